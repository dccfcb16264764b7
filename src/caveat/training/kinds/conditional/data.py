"""ConditionalQA's questions with the pages that they are asked of, whole or pooled."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
)
from caveat.benchmarks.conditionalqa.metric import score
from caveat.core.errors import InputError
from caveat.training.kinds.conditional.pages import Page, pooled_pages, whole_page

__all__ = ["ConditionalDataSet", "Example", "examples_of", "figures_of", "read_examples", "span_in"]


class ConditionalDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions, and that of their pages."""

    path: str
    # Where there is none, the evidences of an address stand for its page.
    documents: str = ""
    # So many sections of other pages then stand among them.
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
