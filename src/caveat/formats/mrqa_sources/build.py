"""What the rules of the shared task make of any source: joined contexts, cut to 800 tokens, every answer located."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec

from caveat.formats.files import PathLike
from caveat.formats.mrqa import DetectedAnswer, MrqaContext, MrqaQuestion, build_question
from caveat.text.occurrences import Occurrence, Occurrences
from caveat.text.words import words

__all__ = ["Drops", "MrqaSource", "SourceContext", "SourceQuestion", "build", "join_documents"]

MAXIMUM_TOKENS = 800


class Drops:
    """Questions left out, counted by reason, with the first few ids of each."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, id: object) -> None:
        """Count one question that is left out."""
        self.counts[reason] += 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < 3:
            examples.append(str(id))


class SourceQuestion(msgspec.Struct, frozen=True):
    """A question of a source; `patterns` are regular expressions whose matches count as answers (TREC)."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


class SourceContext(msgspec.Struct, frozen=True):
    """A context of a source, already joined to one text, and its questions."""

    text: str
    questions: tuple[SourceQuestion, ...]
    id: str = ""


# Reads a source's native file; the third argument is its companion (evidence folder, abstracts, answer key …).
SourceReader = Callable[[PathLike, Drops, PathLike | None], Iterable[SourceContext]]


class MrqaSource(msgspec.Struct, frozen=True):
    """One sub-domain: its name here, its name in MRQA's files, what it reads, and what `--documents` must name."""

    name: str
    dataset: str
    reads: str
    read: SourceReader
    documents: str = ""


def join_documents(documents: Iterable[tuple[str | None, Iterable[str]]]) -> str:
    """Titles and paragraphs of several documents as one context: `[DOC] [TLE] title [PAR] text [PAR] text [DOC] …`."""
    parts = []
    for title, paragraphs in documents:
        texts = [text.strip() for text in paragraphs if text and text.strip()]
        head = ["[DOC]"]
        if title and title.strip():
            head += ["[TLE]", title.strip()]
        parts.append(" ".join([*head, *(f"[PAR] {text}" for text in texts)]))
    return " ".join(parts)


def build(source: MrqaSource, contexts: Iterable[SourceContext], drops: Drops) -> Iterator[MrqaContext]:
    """MRQA contexts: cut to 800 tokens, questions without an answer in there dropped, contexts without questions too."""
    for context in contexts:
        text = first_tokens(context.text)
        occurrences = Occurrences(text)
        questions = []
        for asked in context.questions:
            question = _question(source.dataset, asked, occurrences)
            if question.detected:
                questions.append(question)
            else:
                drops.add(f"no answer within the first {MAXIMUM_TOKENS} tokens", asked.id)
        if questions:
            yield MrqaContext(text, tuple(questions), tuple(occurrences.tokens), {"id": context.id})


def first_tokens(text: str, maximum: int = MAXIMUM_TOKENS) -> str:
    """The text up to the end of its 800th token."""
    tokens = words(text)
    if len(tokens) <= maximum:
        return text
    token, offset = tokens[maximum - 1]
    return text[: offset + len(token)]


def _question(dataset: str, asked: SourceQuestion, occurrences: Occurrences) -> MrqaQuestion:
    if not asked.patterns:
        return build_question(dataset, asked.id, asked.text, asked.answers, occurrences)
    found: dict[str, list[Occurrence]] = {}
    for pattern in asked.patterns:
        for match in re.finditer(pattern, occurrences.text, re.IGNORECASE):
            if place := _tokens_of(occurrences, match.start(), match.end()):
                found.setdefault(match[0], []).append(place)
    question = build_question(dataset, asked.id, asked.text, found, occurrences)
    detected = tuple(DetectedAnswer(text, tuple(places)) for text, places in found.items())
    return msgspec.structs.replace(question, detected=detected)


def _tokens_of(occurrences: Occurrences, start: int, end: int) -> Occurrence | None:
    """The characters as a place, if they begin and end at token boundaries."""
    first = next((i for i, (_, at) in enumerate(occurrences.tokens) if at == start), None)
    last = next((i for i, (token, at) in enumerate(occurrences.tokens) if at + len(token) == end), None)
    if first is None or last is None or last < first:
        return None
    return Occurrence(start, end, first, last + 1)
