"""Examples of what a reader is asked: a question or statement, a text, the kind of answer, and where it stands.

Extractive sets give spans and silence, sets of inference and of yes or no give verdicts, and questions on whole pages
give all of it with the sentences that decide.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, page_document
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import InputError
from caveat.core.files import read_text
from caveat.core.json_files import read_json_lines
from caveat.language.sentences import sentences
from caveat.training.kinds.joint.recipe import JointDataSet
from caveat.training.kinds.judge.judgements import Label, read_pairs
from caveat.training.kinds.reader.data import (
    answer_places,
    as_parts,
    read_passages,
    simplified,
    span_place,
)
from caveat.training.sampling import fold_of

Verdict = Literal["span", "list", "yes", "no", "none"]
VERDICTS: tuple[Verdict, ...] = ("span", "list", "yes", "no", "none")
Places = tuple[tuple[int, int], ...]

# Neighbours in a file among which one without the answer is looked for.
_NEIGHBOURS = (1, -1, 2, -2, 3, -3)
_FROM_LABEL: dict[Label, Verdict | None] = {
    "entailed": "yes",
    "contradicted": "no",
    "open": "none",
    "not entailed": None,
}


class Example(msgspec.Struct, frozen=True):
    """What is asked of a text, and what is right; a verdict of None is any but yes.

    `evidence` is None where nobody marked what decides, `conditions`, what the asker has left open, where nobody marked
    those. `source` is what examples on one text have in common.
    """

    question: str
    text: str
    verdict: Verdict | None
    answers: Places = ()
    evidence: Places | None = None
    source: str = ""
    conditions: Places | None = None

    def fold(self, folds: int) -> int:
        """The fold of its source."""
        return fold_of(self.source or self.text, folds)


def read_examples(data: JointDataSet, root: Path, seed: int) -> list[Example]:
    """All examples of a file; the seed draws those that are put to another text."""
    path = root / data.path
    draw = random.Random(f"joint {data.path} {seed}")
    if data.format == "pages":
        return list(_of_pages(path, data.language))
    if data.format == "conditionalqa":
        return list(_of_conditional(path))
    if data.format == "squad" or data.format == "mrqa" or data.format == "contexts":
        passages: Iterable[Passage] = (
            _of_contexts(path) if data.format == "contexts" else read_passages(path, data.format)
        )
        if data.simplify:
            passages = simplified(passages)
        if data.parts:
            passages = as_parts(passages)
        return list(_of_passages(list(passages), data, draw))
    pairs = read_pairs(data.format, path, seed, asked=data.asked, foreign=data.foreign, without=data.without)
    return [Example(pair.judged, pair.text, _FROM_LABEL[pair.label], source=pair.source) for pair in pairs]


def _of_passages(passages: Sequence[Passage], data: JointDataSet, draw: random.Random) -> Iterator[Example]:
    for number, passage in enumerate(passages):
        whole: list[tuple[int, int]] = []
        for question in passage.questions:
            if data.take != "all" and (data.take == "answerable") != question.answerable:
                continue
            if not question.answerable:
                yield Example(question.text, passage.text, "none", evidence=(), source=passage.text)
                continue
            several = next((answer for answer in question.answers if len(answer) > 1), None)
            if several is not None:
                found = [span_place(passage.text, span) for span in several if span.text.strip()]
                places = tuple(sorted({place for place in found if place}))
                if len(places) != len(found):
                    continue
            else:
                places = answer_places(passage.text, question)[:1]
            if not places:
                continue
            whole = whole or sentences(passage.text)
            evidence = tuple(
                (first, last)
                for first, last in whole
                if any(first < end and start < last for start, end in places)
            )
            verdict: Verdict = "list" if len(places) > 1 else "span"
            yield Example(question.text, passage.text, verdict, places, evidence, passage.text)
            if draw.random() < data.foreign:
                texts = [passage.text[start:end] for start, end in places]
                if other := _neighbour(passages, number, texts):
                    yield Example(question.text, other, "none", evidence=(), source=passage.text)


def _of_contexts(path: Path) -> Iterator[Passage]:
    """A question a line, whose answers, where there are several, are the spans of one."""
    for number, record in read_json_lines(path, dict[str, Any]):
        spans = tuple(GoldSpan(answer["text"], answer["start"]) for answer in record["answers"])
        question = PassageQuestion(str(number), record["question"], (spans,) if spans else ())
        yield Passage(record["context"], (question,))


def _neighbour(passages: Sequence[Passage], number: int, answers: Sequence[str]) -> str | None:
    """The text of a passage nearby that has none of the answers."""
    for step in _NEIGHBOURS:
        if 0 <= number + step < len(passages):
            text = passages[number + step].text
            if text != passages[number].text and not any(answer in text for answer in answers):
                return text
    return None


def _of_pages(path: Path, language: str) -> Iterator[Example]:
    """Items on whole pages, whose texts are in texts/PAGE.txt beside the file."""
    texts: dict[str, str] = {}
    for line, item in read_json_lines(path, dict[str, Any]):
        if item["language"] != language:
            continue
        page = item["page"]
        if page not in texts:
            texts[page] = read_text(path.parent / "texts" / f"{page}.txt")
        text = texts[page]
        answers = [_place(text, quotation) for quotation in item["answers"]]
        evidence = [_place(text, quotation) for quotation in item["evidence"]]
        conditions = [_place(text, quotation) for quotation in item.get("conditions") or ()]
        if item["kind"] not in VERDICTS:
            raise InputError(
                f"the kind {item['kind']!r} is none of {', '.join(VERDICTS)}", path=path, line=line
            )
        if None in answers:
            continue  # a quotation that the text has no more
        question = " ".join(part for part in (item["question"], item["scenario"]) if part)
        yield Example(
            question,
            text,
            item["kind"],
            tuple(place for place in answers if place),
            tuple(place for place in evidence if place),
            item["repository"],
            tuple(place for place in conditions if place) if "conditions" in item else None,
        )


def _of_conditional(path: Path) -> Iterator[Example]:
    """ConditionalQA's questions, each on the evidences of all questions on its page: the pages are not to be had."""
    questions = conditionalqa.read(path)
    of_page: dict[str, dict[str, None]] = {}
    for question in questions:
        conditions = (condition for answer in question.answers for condition in answer.conditions)
        of_page.setdefault(question.url, {}).update(dict.fromkeys((*question.evidences, *conditions)))
    for question in questions:
        contents = tuple(content for content in of_page[question.url] if content.strip())
        page = page_document(ConditionalDocument("", question.url, contents))
        if not contents or len(page.elements) != len(contents):
            continue
        at = {
            content: (element.start, element.end)
            for content, element in zip(contents, page.elements, strict=True)
        }
        decides = tuple(at[each] for each in question.evidences if each in at)
        open_ = {condition for answer in question.answers for condition in answer.conditions}
        texts = list(dict.fromkeys(answer.text for answer in question.answers))
        verdict: Verdict = "none"
        places: list[tuple[int, int]] = []
        if texts in (["yes"], ["no"]):
            verdict = "yes" if texts == ["yes"] else "no"
        elif texts:
            # An answer stands in its evidence.
            inside = (
                next(
                    (_within(page.text, text, place) for place in decides if _within(page.text, text, place)),
                    None,
                )
                for text in texts
            )
            places = sorted(place for place in inside if place)
            if len(places) != len(texts):
                continue
            verdict = "span" if len(places) == 1 else "list"
        asked = " ".join(part for part in (question.question, question.scenario) if part)
        yield Example(
            asked,
            page.text,
            verdict,
            tuple(places),
            decides,
            question.url,
            tuple(at[each] for each in sorted(open_) if each in at),
        )


def _within(text: str, wanted: str, place: tuple[int, int]) -> tuple[int, int] | None:
    start = text.find(wanted, *place)
    return (start, start + len(wanted)) if start >= 0 else None


def _place(text: str, quotation: str) -> tuple[int, int] | None:
    """Where a quotation stands, white space aside."""
    words = quotation.split()
    if not words:
        return None
    if (at := text.find(quotation)) >= 0:
        return at, at + len(quotation)
    match = re.search(r"\s*".join(re.escape(letter) for word in words for letter in word), text)
    return match.span() if match else None


def as_typed(question: str, draw: random.Random) -> str:
    """A question as people type it: without its mark, and now and then with two letters exchanged or one missing."""
    text = question.rstrip("?？.。!！ ")
    if draw.random() < 0.7 or len(text) < 12:
        return text
    places = [at for at in range(2, len(text) - 2) if text[at].isascii() and text[at - 1 : at + 2].isalpha()]
    if not places:
        return text
    at = draw.choice(places)
    return text[:at] + (text[at + 1] + text[at] + text[at + 2 :] if draw.random() < 0.5 else text[at + 1 :])
