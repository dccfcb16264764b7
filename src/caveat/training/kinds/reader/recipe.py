"""Recipes that train a reader: its data, which windows it learns from, and what it is measured on.

And recipes that measure what a few examples of a target domain do for a reader that was trained on others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.reader.options import (
    Adversarial,
    Auxiliary,
    Distillation,
    Experts,
    Feeding,
    Frozen,
    Sampling,
    Usefulness,
)
from caveat.training.recipe import Phase, Settings


class ReaderDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A training file and how much of it an epoch takes."""

    path: str
    # "squad" (SQuAD's layout) or "mrqa" (JSON lines); told by the name where it is left out. "kbqa": questions on the
    # facts of a knowledge base, which is `triples`, on passages that tell them.
    format: Literal["squad", "mrqa", "kbqa"] | None = None
    triples: str = ""
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Whether its answers were found in passages by their text, and not marked by a person who read them.
    distant: bool = False
    # Traditional script becomes Simplified.
    simplify: bool = False
    # What several answers to a question are: of several annotators, or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Those of the file, or others: made of its passages alone, of what a text says twice, hidden in one of its
    # sentences; or its own with another's name, which the passage then does not answer.
    questions: Literal["asked", "recurring", "exchanged"] = "asked"
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def key(self) -> str:
        """What the log calls the set: a file may be in a recipe twice, with its own questions and with others."""
        return self.path if self.questions == "asked" else f"{self.path} ({self.questions})"


class ReaderTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end; never trained on."""

    path: str
    metric: Literal["cmrc2018", "squad"]
    format: Literal["squad", "mrqa"] | None = None
    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 500
    questions: int = 200
    # At the end; 0 means the whole file.
    final_questions: int = 0
    window: int = 384
    stride: int = 128
    max_answer_tokens: int = 64
    batch_size: int = 16
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class ReaderRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a reader."""

    kind: Literal["reader"] = "reader"
    data: tuple[ReaderDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: ReaderTuning | None = None
    # Windows without the answer, as a share of those with it.
    negatives: float = 0.1
    # Windows an epoch takes of each question; 0 takes all that hold the answer.
    windows_per_question: int = 0
    # The target in a window: the gold answer's first occurrence there, or the place that was annotated.
    target: Literal["first", "annotated"] = "first"
    # Whether the reader learns to say that a window does not answer; without, it learns from windows that do alone.
    no_answer: bool = True
    auxiliary: Auxiliary | None = None
    adversarial: Adversarial | None = None
    sampling: Sampling | None = None
    feeding: Feeding | None = None
    experts: Experts | None = None
    frozen: Frozen | None = None
    distillation: Distillation | None = None

    @property
    def usefulness(self) -> Usefulness | None:
        """How sets are measured on the way, where they are."""
        return self.sampling.usefulness if self.sampling else None

    def weight_of(self, data: ReaderDataSet) -> float:
        """Passes over a set in an epoch."""
        return data.weight * (self.sampling.distant if self.sampling and data.distant else 1.0)


def problems_of(recipe: ReaderRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    for data in recipe.data:
        if (data.format == "kbqa") != bool(data.triples):
            yield f'{data.path} needs `triples`, a knowledge base, with format = "kbqa", and only then'
    if recipe.negatives < 0:
        yield f"negatives must not be below 0, got {recipe.negatives}"
    if recipe.windows_per_question < 0:
        yield "windows_per_question must not be below 0"
    if recipe.negatives and not recipe.no_answer:
        yield "windows without the answer (negatives) teach a reader that may say so (no_answer = true)"
    if recipe.auxiliary and recipe.auxiliary.ranking and not recipe.negatives:
        yield "auxiliary.ranking needs windows without the answer: negatives above 0"
    inference = recipe.auxiliary.inference if recipe.auxiliary else None
    if inference and inference.window <= recipe.max_question_tokens + 8:
        yield f"a window of {inference.window} for inference leaves no room beside {recipe.max_question_tokens} tokens"
    if recipe.frozen and recipe.auxiliary and recipe.auxiliary.masked:
        yield "auxiliary.masked trains the encoder, which frozen leaves as it is"
    if recipe.adversarial and len(recipe.data) < 2:
        yield "adversarial needs at least two data sets to tell apart"
    if recipe.usefulness and not (recipe.usefulness.targets or recipe.tuning):
        yield "sampling.usefulness needs targets, or a tuning file"
    if recipe.usefulness and recipe.feeding and recipe.feeding.order == "sets":
        yield 'sampling.usefulness mixes data sets, which feeding.order = "sets" forbids'
    methods = (recipe.auxiliary, recipe.adversarial, recipe.sampling, recipe.experts, recipe.frozen)
    for method in (*methods, recipe.distillation):
        if method is not None:
            yield from method.problems()


class InoculationTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of another domain, which examples are taken of, and the rest of which is measured on."""

    path: str
    # Told by the name where it is left out.
    format: Literal["squad", "mrqa"] | None = None
    name: str = ""


class InoculationRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a measurement."""

    kind: Literal["inoculation"]
    # The folder of a finished run that trained a reader; its own recipe is in it.
    run: str
    # The target, or several, each a measurement of its own.
    data: tuple[InoculationTarget, ...]
    # So many examples are trained on, one reader for each number; 0 is the reader as it was.
    examples: tuple[int, ...] = (0, 10, 50, 200, 400)
    epochs: float = 5.0
    batch_size: int = 8
    # A fraction of the run's own: there is less to learn.
    learning_rate: float = 0.2
    # Questions of the target, not among the examples, and of the run's tuning file that are measured; 0 means all.
    questions: int = 1_000
    seed: int = 1
    threads: int = 0


def inoculation_problems(recipe: InoculationRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.run:
        yield "run names the folder of a finished run: --set run=DIR"
    if not recipe.examples or min(recipe.examples) < 0:
        yield "examples are numbers from 0 on, at least one"
    if recipe.epochs <= 0 or recipe.batch_size < 1 or recipe.learning_rate <= 0 or recipe.questions < 0:
        yield "epochs, batch_size and learning_rate must be above 0, questions not below it"
