"""ConditionalQA's questions with the pages that they are asked of, whole or pooled, and what a model finds there.

A page is elements in sections. What is found, answers and the log-odds of conditions, becomes predictions by a
threshold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
    page_document,
)
from caveat.benchmarks.conditionalqa.metric import score
from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import read_json
from caveat.training.recipe import Phase, Settings

__all__ = [
    "CARD",
    "WHAT",
    "ConditionalCard",
    "ConditionalDataSet",
    "ConditionalRecipe",
    "ConditionalTuning",
    "Example",
    "Family",
    "Page",
    "PageAnswers",
    "best_threshold",
    "examples_of",
    "figures_of",
    "pooled_pages",
    "predictions_of",
    "problems_of",
    "read_conditional_card",
    "read_examples",
    "span_in",
    "whole_page",
]


# How many thresholds are tried.
_TRIED = 60


class Page(msgspec.Struct, frozen=True):
    """A page's elements, as the data has them and as text, with their tags; sections are half-open ranges of them."""

    contents: tuple[str, ...]
    texts: tuple[str, ...]
    tags: tuple[str, ...]
    sections: tuple[tuple[int, int], ...]

    def section_text(self, number: int) -> str:
        """The elements of a section, one a line."""
        first, last = self.sections[number]
        return "\n".join(self.texts[first:last])

    def in_place(self, element: int) -> str:
        """An element after the heading of its section and, for an item of a list, what introduces the list."""
        first, _ = next(each for each in self.sections if each[0] <= element < each[1])
        before = [first] if self.tags[first].startswith("h") and first != element else []
        if self.tags[element] == "li":
            others = (at for at in range(element - 1, first, -1) if self.tags[at] != "li")
            before += [at for at in [next(others, first)] if at not in before and self.tags[at] != "li"]
        return " ".join(self.texts[at] for at in (*before, element))

    def element_at(self, section: int, start: int) -> int:
        """The element of a section's text that a character stands in."""
        first, last = self.sections[section]
        for element in range(first, last):
            start -= len(self.texts[element]) + 1
            if start < 0:
                return element
        return last - 1


def whole_page(document: ConditionalDocument) -> Page:
    """A page with a section for each heading and what stands under it."""
    elements = page_document(document).elements
    tags = tuple(element.tag for element in elements)
    begins = [at for at, tag in enumerate(tags) if at == 0 or (tag.startswith("h") and tag[1:].isdigit())]
    # Headings one after the other are of one section.
    begins = [at for at in begins if at == 0 or at - 1 not in begins]
    ends = [*begins[1:], len(tags)]
    return Page(
        document.contents,
        tuple(element.text for element in elements),
        tags,
        tuple(zip(begins, ends, strict=True)) if tags else (),
    )


def pooled_pages(questions: Sequence[ConditionalQuestion], *, distractors: int, seed: int) -> dict[str, Page]:
    """For every address a stand-in for its page: the evidences of all its questions, and sections of other pages.

    Evidences that one question names are of one section, so that sections with an evidence in common are one.
    """
    own = {url: list(_sections(of)) for url, of in _by_page(questions).items()}
    pages = {}
    for url, sections in own.items():
        draw = random.Random(f"distractors {seed} {url}")
        others = [other for other in own if other != url and own[other]]
        drawn = [draw.choice(own[other]) for other in draw.sample(others, min(distractors, len(others)))]
        known = {content for section in sections for content in section}
        foreign = [[content for content in section if content not in known] for section in drawn]
        mixed = sections + [section for section in foreign if section]
        draw.shuffle(mixed)
        pages[url] = _page(url, mixed)
    return pages


def _by_page(questions: Sequence[ConditionalQuestion]) -> dict[str, list[ConditionalQuestion]]:
    found: dict[str, list[ConditionalQuestion]] = {}
    for question in questions:
        found.setdefault(question.url, []).append(question)
    return found


def _sections(questions: Sequence[ConditionalQuestion]) -> Iterator[list[str]]:
    groups: list[list[str]] = []
    for question in questions:
        conditions = (condition for answer in question.answers for condition in answer.conditions)
        named = list(dict.fromkeys((*question.evidences, *conditions)))
        joined = [group for group in groups if set(group) & set(named)]
        groups = [group for group in groups if group not in joined]
        if named:
            groups.append(list(dict.fromkeys(text for group in (*joined, named) for text in group)))
    yield from groups


def _page(url: str, sections: Sequence[Sequence[str]]) -> Page:
    contents = tuple(content for section in sections for content in section)
    elements = page_document(ConditionalDocument("", url, contents)).elements
    ends = [sum(len(section) for section in sections[: at + 1]) for at in range(len(sections))]
    return Page(
        contents,
        tuple(element.text for element in elements),
        tuple(element.tag for element in elements),
        tuple(zip([0, *ends[:-1]], ends, strict=True)) if sections else (),
    )


class ConditionalDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions, and that of their pages."""

    path: str
    # Where there is none, the evidences of an address stand for its page.
    documents: str = ""
    # How many sections of other pages then stand among them.
    distractors: int = 3
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"


class Example(msgspec.Struct, frozen=True):
    """A question on a page, and the elements of the page that are its evidences."""

    question: ConditionalQuestion
    page: Page
    evidences: frozenset[int] = frozenset()

    def elements(self, contents: Sequence[str]) -> frozenset[int]:
        """The elements with these contents."""
        wanted = set(contents)
        return frozenset(at for at, content in enumerate(self.page.contents) if content in wanted)


def read_examples(data: ConditionalDataSet, root: Path, seed: int) -> list[Example]:
    """At most `cap` of the questions of a data set, with their pages."""
    questions = conditionalqa.read(root / data.path)
    if data.documents:
        found = examples_of(questions, conditionalqa.read_documents(root / data.documents), root / data.path)
    else:
        pages = pooled_pages(questions, distractors=data.distractors, seed=seed)
        found = [_example(question, pages[question.url]) for question in questions]
    if not found:
        raise InputError("has no questions", path=root / data.path)
    if len(found) > data.cap:
        found = [found[at] for at in sorted(random.Random(f"cap {seed}").sample(range(len(found)), data.cap))]
    return found


def examples_of(
    questions: Sequence[ConditionalQuestion],
    documents: Sequence[ConditionalDocument],
    path: Path | None = None,
) -> list[Example]:
    """Questions with their whole pages; one whose page is missing is an error."""
    pages = {document.url: whole_page(document) for document in documents}
    for question in questions:
        if question.url not in pages:
            raise InputError(f"no document has its address, {question.url}", path=path, id=question.id)
    return [_example(question, pages[question.url]) for question in questions]


def _example(question: ConditionalQuestion, page: Page) -> Example:
    bare = Example(question, page)
    return Example(question, page, bare.elements(question.evidences))


def span_in(text: str, answer: str) -> tuple[int, int] | None:
    """Where an answer stands in a text; many answers have lost their capitals."""
    at = text.find(answer)
    if at < 0 and len(text.lower()) == len(text):
        at = text.lower().find(answer.lower())
    return (at, at + len(answer)) if answer.strip() and at >= 0 else None


def figures_of(
    questions: Sequence[ConditionalQuestion], predictions: Sequence[ConditionalPrediction]
) -> dict[str, Any]:
    """The task's figures, as `caveat eval conditionalqa` gives them."""

    def pairs(of: ConditionalQuestion | ConditionalPrediction) -> list[tuple[str, tuple[str, ...]]]:
        return [(answer.text, answer.conditions) for answer in of.answers]

    gold = {question.id: pairs(question) for question in questions}
    found = {prediction.id: pairs(prediction) for prediction in predictions}
    return {**score(gold, found).scores, "questions": len(gold)}


class PageAnswers(msgspec.Struct, frozen=True):
    """Answers, with what conditions the model gave them itself, and the log-odds that each element is one of theirs."""

    answers: tuple[ConditionalAnswer, ...] = ()
    odds: tuple[float, ...] = ()


def predictions_of(
    examples: Sequence[Example], found: Sequence[PageAnswers], threshold: float
) -> list[ConditionalPrediction]:
    """The answers in the task's layout, each with the elements above the threshold."""
    predictions = []
    for example, each in zip(examples, found, strict=True):
        contents = example.page.contents
        above = tuple(dict.fromkeys(contents[at] for at, odds in enumerate(each.odds) if odds > threshold))
        answers = tuple(
            ConditionalAnswer(answer.text, tuple(dict.fromkeys((*answer.conditions, *above))))
            for answer in each.answers
        )
        predictions.append(ConditionalPrediction(example.question.id, answers))
    return predictions


def best_threshold(examples: Sequence[Example], found: Sequence[PageAnswers]) -> float:
    """The threshold with the best F1 with conditions; of equally good ones the highest, with the fewest conditions."""
    odds = sorted({value for each in found if each.answers for value in each.odds}, reverse=True)
    if not odds:
        return 0.0
    # Most elements are no conditions: the steps are fine at the top and coarse below.
    places = np.unique(np.geomspace(1, len(odds), _TRIED).astype(int)) - 1
    tried = [odds[0] + 1.0, *((odds[at] + odds[min(at + 1, len(odds) - 1)]) / 2 for at in places)]
    questions = [example.question for example in examples]

    def worth(threshold: float) -> float:
        figures = figures_of(questions, predictions_of(examples, found, threshold))
        return float(figures["total"]["f1_with_conditions"])

    return max(tried, key=lambda threshold: (round(worth(threshold), 6), threshold))


Family = Literal["pipeline", "hops", "fusion"]

CARD = "conditionalqa.json"
# What holds such a card, for an error.
WHAT = "model of conditional answers"


class ConditionalTuning(ConditionalDataSet, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Questions with whole pages that the run is measured on, on the way and at its end; never trained on."""

    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 0
    questions: int = 30
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 256
    stride: int = 128


class ConditionalRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a model of conditional answers."""

    kind: Literal["conditionalqa"] = "conditionalqa"
    # "pipeline" reads a section at a time, then an element at a time; "hops" attends to the elements of the whole page
    # in three steps; "fusion" writes the answers from all sections at once.
    family: Family
    data: tuple[ConditionalDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: ConditionalTuning | None = None
    # The longest span (pipeline, hops).
    max_answer_tokens: int = 40
    # How many sections without its answer an epoch takes of each question, and for each of its answers how many
    # elements that are no conditions (pipeline).
    sections: int = 3
    elements: int = 6
    # Of a page of more sections those are read that share most with the question; and the longest text of answers and
    # their conditions (fusion).
    most_sections: int = 16
    max_target_tokens: int = 160


def problems_of(recipe: ConditionalRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    for name in ("max_answer_tokens", "most_sections", "max_target_tokens"):
        if getattr(recipe, name) < 1:
            yield f"{name} must be above 0, got {getattr(recipe, name)}"
    for name in ("sections", "elements"):
        if getattr(recipe, name) < 0:
            yield f"{name} must not be below 0, got {getattr(recipe, name)}"
    for data in (*recipe.data, *([recipe.tuning] if recipe.tuning else [])):
        if data.cap < 1 or data.weight <= 0 or data.distractors < 0:
            yield f"{data.path} needs a cap and a weight above 0, and distractors not below 0"
    if recipe.family == "fusion" and (recipe.masked or recipe.freeze_embeddings):
        yield "masked and freeze_embeddings are for encoders with heads, not for fusion"


class ConditionalCard(msgspec.Struct, frozen=True):
    """Recipe and scores, and the log-odds above which an element is a condition, fitted to the tuning questions."""

    recipe: ConditionalRecipe
    scores: dict[str, Any] = {}
    threshold: float = 0.0


def read_conditional_card(folder: Path) -> ConditionalCard:
    """The card in the folder of a trained model."""
    if not (folder / CARD).is_file():
        raise CaveatError(f"{folder} holds no trained {WHAT}: {CARD} is missing.")
    return read_json(folder / CARD, ConditionalCard)
