"""Benchmarks answered by a language model: its examples, from a training split alone, and what a run of it says."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable

from caveat.answerers.prompted.reading import Example
from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.benchmarks.task import Predicted
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.language.sentences import sentences

SHOTS = 3
"""Examples in a prompt: each costs as much as two sentences more to read, and the fourth hardly helps."""


class PromptedPredicted(Predicted, frozen=True):
    """What a run did that a language model took part in."""

    closing: str = ""

    def remarks(self, out: str) -> list[str]:
        """What was written, then what was sent."""
        return [*super().remarks(out), self.closing]


def with_closing(done: Predicted, closing: str) -> PromptedPredicted:
    """The same run with what is to be said of the language model."""
    return PromptedPredicted(done.task, done.model, done.questions, done.unanswered, done.seconds, closing)


def chosen_examples(
    passages: Iterable[Passage], asked: Collection[str], path: PathLike, *, count: int = SHOTS
) -> list[Example]:
    """Examples of a training split, the same ones every time; raises where it has a question that is to be answered."""
    found: list[tuple[str, Example]] = []
    for passage, question in questions_of(passages):
        if question.text.strip() in asked:
            raise InputError(
                "has a question that is to be answered: examples come from the training split", path=path
            )
        texts = gold_texts(question)
        answer = texts[0] if texts else ""
        shown = _around(passage.text, answer)
        if shown is not None:
            order = hashlib.sha256(f"{question.id}\n{question.text}".encode()).hexdigest()
            found.append((order, Example(question.text, shown, answer)))
    return [example for _, example in sorted(found, key=lambda each: each[0])[:count]]


def _around(text: str, answer: str) -> str | None:
    """The sentence with the answer, or the first where there is none."""
    for start, end in sentences(text):
        if answer in text[start:end]:
            return text[start:end]
    return None
