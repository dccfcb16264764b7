"""Recipes that train a reader: its data, which windows it learns from, and what it is measured on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.recipe import Phase, Settings

__all__ = ["ReaderDataSet", "ReaderRecipe", "ReaderTuning", "problems_of"]


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
    # Traditional script becomes Simplified.
    simplify: bool = False
    # What several answers to a question are: of several annotators, or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Those of the file, or others made of its passages alone: what a text says twice, hidden in one of its sentences.
    questions: Literal["asked", "recurring"] = "asked"
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


def problems_of(recipe: ReaderRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    for data in recipe.data:
        if (data.format == "kbqa") != bool(data.triples):
            yield f'{data.path} needs `triples`, a knowledge base, with format = "kbqa", and only then'
    if recipe.negatives < 0:
        yield f"negatives must not be below 0, got {recipe.negatives}"
    if recipe.windows_per_question < 0:
        yield "windows_per_question must not be below 0"
