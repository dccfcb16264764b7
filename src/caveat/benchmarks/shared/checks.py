"""Findings of `caveat check`: what is wrong in a data file, and where it stands."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

import msgspec

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import one_line
from caveat.core.files import PathLike, read_bytes
from caveat.core.json_files import encode


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of `caveat check`: what is wrong, and where."""

    rule: str
    message: str
    file: str
    line: int | None = None
    id: str | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        id = "" if self.id is None else f"{self.id}: "
        return one_line(f"{place}: {id}{self.message}", 1000) + f" [{self.rule}]"


_SHOWN = 40

Seen = TypeVar("Seen", bound=Hashable)


class Place(msgspec.Struct, frozen=True):
    """The file, line and id that findings about one record have in common."""

    file: str
    line: int | None = None
    id: str | None = None

    def finding(self, rule: str, message: str) -> Finding:
        """A finding here."""
        return Finding(rule, message, self.file, self.line, self.id)


class FirstLines(Generic[Seen]):
    """Remembers on which line each key was first seen, to tell what comes twice."""

    def __init__(self) -> None:
        self._first: dict[Seen, int | None] = {}

    def see(self, key: Seen, line: int | None) -> str | None:
        """None for a new key; for one seen before, where: "on line 3", or "before" if no line is known."""
        if key not in self._first:
            self._first[key] = line
            return None
        first = self._first[key]
        return "before" if first is None else f"on line {first}"


def quote(text: str) -> str:
    """Text of the data within a message: quoted, on one line, its middle left out if it is long."""
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN // 2]} … {text[-_SHOWN // 3 :]}"
    return encode(text)


class IdLines:
    """The lines of a JSON file on which ids stand.

    Ids are found as the values of the given keys by one regular expression over the file. A quote inside a
    JSON string is escaped, so that text which looks like a key is never taken for one.
    """

    def __init__(self, path: PathLike, *keys: str) -> None:
        self._lines: dict[str, deque[int]] = {}
        if str(path) == "-":
            return  # standard input can be read once only, and the records are read from it
        data = read_bytes(path)
        names = "|".join(map(re.escape, keys)).encode()
        entry = re.compile(rb'"(?:' + names + rb')"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)')
        line, counted = 1, 0
        for match in entry.finditer(data):
            line += data.count(b"\n", counted, match.start(1))
            counted = match.start(1)
            try:
                id = str(msgspec.json.decode(match[1]))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # no JSON: whoever reads the records says so
            self._lines.setdefault(id, deque()).append(line)

    def next(self, id: str) -> int | None:
        """The line of the next record with this id: ask once for each record, in the file's order."""
        lines = self._lines.get(id)
        return lines.popleft() if lines else None


# The rules that several benchmarks have: name → one sentence on what it finds.
SHARED_RULES: dict[str, str] = {
    "duplicate-id": "Two questions have the same id, so that one prediction would answer both.",
    "empty-question": "A question has no text.",
    "empty-context": "A question stands on a context without text.",
    "duplicate-question": "A question is asked twice, under different ids, on the same passage.",
    "no-answer": "A question has no answer, in data whose questions have one or say that there is none.",
    "answerability-contradiction": (
        "A question marked unanswerable (is_impossible, not_answerable) has answers, or one marked "
        "answerable has none."
    ),
    "offset-mismatch": (
        "An answer stands in the context, though not at the offset given; for CMQA, a span's text is "
        "not what stands at its offsets."
    ),
    "answer-not-in-context": (
        "An answer stands nowhere in the context, so that no extractive system can give it; the yes "
        "and no answers of mixed sets such as CAIL are found by this too."
    ),
    "empty-answer": "One of a question's several gold answers has no text.",
}


def shared_rules(*names: str) -> dict[str, str]:
    """Some of the shared rules, as a benchmark declares those it checks by."""
    return {name: SHARED_RULES[name] for name in names}


def with_places(
    passages: Iterable[Passage], data: PathLike, lines: IdLines
) -> Iterator[tuple[Passage, list[Place]]]:
    """Each passage with the places of its questions."""
    file = str(data)
    for passage in passages:
        ids = [question.id for question in passage.questions]
        yield passage, [Place(file, lines.next(id), id) for id in ids]


def check_passage(passage: Passage, places: list[Place], ids: FirstLines[str]) -> Iterator[Finding]:
    """The findings in one passage; `ids` remembers those of the passages before it."""
    # A passage itself has no id: it is found by its first question.
    if places:
        yield from empty_context(passage.text, places[0])
    texts: dict[str, str] = {}
    for question, place in zip(passage.questions, places, strict=True):
        yield from duplicate_id(question.id, place, ids)
        yield from empty_question(question.text, place)
        yield from duplicate_question(question.id, question.text, place, texts)
        yield from answerability_contradiction(question, place)
        yield from no_answer(question, place)
        yield from empty_answer(question, place)
        # Several annotators give the same answer: one finding is enough.
        for text, start in dict.fromkeys((s.text, s.start) for s in _spans(question) if s.text):
            yield from offset_mismatch(text, start, passage.text, place)
            yield from answer_not_in_context(text, start, passage.text, place)


def empty_context(text: str, place: Place) -> Iterator[Finding]:
    """A passage without text."""
    if not text.strip():
        yield place.finding("empty-context", "the context of this question is empty")


def duplicate_id(id: str, place: Place, ids: FirstLines[str]) -> Iterator[Finding]:
    """An id that another question has."""
    if before := ids.see(id, place.line):
        yield place.finding("duplicate-id", f"another question has this id ({before})")


def empty_question(text: str, place: Place) -> Iterator[Finding]:
    """A question without text."""
    if not text.strip():
        yield place.finding("empty-question", "the question is empty")


def duplicate_question(id: str, text: str, place: Place, texts: dict[str, str]) -> Iterator[Finding]:
    """A question asked before on the same passage; `texts` are those asked so far, with their ids."""
    if not (text := text.strip()):
        return
    first = texts.setdefault(text, id)
    if first != id:  # the same id twice is another rule's finding
        yield place.finding("duplicate-question", f"{quote(text)} is asked on this passage already: {first}")


def answerability_contradiction(question: PassageQuestion, place: Place) -> Iterator[Finding]:
    """`is_impossible` that says the opposite of the answers."""
    answer = next((span.text for span in _spans(question) if span.text), None)
    match _flag(question):
        case True if answer is not None:
            yield place.finding(
                "answerability-contradiction", f"is_impossible, yet answered: {quote(answer)}"
            )
        case False if answer is None and not _is_test(question):
            yield place.finding("answerability-contradiction", "not is_impossible, yet it has no answer")


def no_answer(question: PassageQuestion, place: Place) -> Iterator[Finding]:
    """No answer, and nothing that says there is none."""
    if _is_test(question) or _flag(question) is not None:
        return
    if not any(span.text for span in _spans(question)):
        yield place.finding("no-answer", "the question has no answer, and no is_impossible that says so")


def empty_answer(question: PassageQuestion, place: Place) -> Iterator[Finding]:
    """An empty text among answers with text."""
    spans = _spans(question)
    empty = sum(not span.text for span in spans)
    if 0 < empty < len(spans):
        yield place.finding("empty-answer", f"{empty} of {len(spans)} answers without text")


def offset_mismatch(text: str, start: int | None, context: str, place: Place) -> Iterator[Finding]:
    """An answer that is in the context, though not where `answer_start` says."""
    if start is None or _stands(text, start, context) or text not in context:
        return
    found = _occurrences(text, context)
    nearest = min(found, key=lambda at: abs(at - start))
    more = f" (nearest of {len(found)})" if len(found) > 1 else ""
    given = _given(text, start, context)
    yield place.finding("offset-mismatch", f"{given}; {quote(text)} stands at {nearest}{more}")


def answer_not_in_context(text: str, start: int | None, context: str, place: Place) -> Iterator[Finding]:
    """An answer that stands nowhere in the context."""
    if text in context:
        return
    given = "" if start is None else f"; {_given(text, start, context)}"
    yield place.finding("answer-not-in-context", f"{quote(text)} is not in the context{given}")


def _spans(question: PassageQuestion) -> list[GoldSpan]:
    return [span for answer in question.answers for span in answer]


def _is_test(question: PassageQuestion) -> bool:
    """Whether the question has no key `answers` at all, as in a test file; the reader keeps that as None."""
    return question.extra.get("answers", ()) is None


def _flag(question: PassageQuestion) -> bool | None:
    """`is_impossible`, which some sets write as a string (CAIL); None where it is not given."""
    flag = question.extra.get("is_impossible")
    return {"true": True, "false": False}.get(str(flag).lower())


def _stands(text: str, start: int, context: str) -> bool:
    # A negative index would count from the end of the context.
    return start >= 0 and context.startswith(text, start)


def _given(text: str, start: int, context: str) -> str:
    if not 0 <= start < len(context):
        return f"answer_start {start} is no offset of the context"
    return f"answer_start {start} gives {quote(context[start : start + len(text)])}"


def _occurrences(text: str, context: str) -> list[int]:
    """Every offset of the text, overlapping ones too."""
    found = []
    at = context.find(text)
    while at >= 0:
        found.append(at)
        at = context.find(text, at + 1)
    return found
