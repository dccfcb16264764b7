"""Recipes that train one model for spans, verdicts and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.judge.judgements import JudgementFormat
from caveat.training.recipe import Phase, Settings

# SQuAD's layout, MRQA's, one JSON a line with context, question and answers, questions on whole pages (one JSON a line,
# the texts beside it), ConditionalQA's questions on their evidences, or judgements of texts.
ExampleFormat = Literal["squad", "mrqa", "contexts", "pages", "conditionalqa"] | JudgementFormat


class JointDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file with questions or statements, and how much of it an epoch takes."""

    path: str
    format: ExampleFormat
    # Passes over the set in an epoch: 2 takes each example twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Of spans: which questions are taken, and whether several answers are the spans of one (Quoref).
    take: Literal["all", "answerable", "unanswerable"] = "all"
    parts: bool = False
    # Traditional script is read as Simplified.
    simplify: bool = False
    # Of judgements: the share of statements that are asked as questions.
    asked: float = 0.0
    # How many pairs with the text of another example come to each example: of a neighbour in the file that does not
    # have the answer, or of one that shares words.
    foreign: float = 0.0
    # Of pages: the language whose items are taken.
    language: str = ""
    # Of statutes that are asked about by their own words: those whose path has one of these are left out.
    without: tuple[str, ...] = ()
    # Whether the recipe's fold is kept out of training, and measured on.
    held_out: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def key(self) -> str:
        """What the log calls it: a file may be read in several ways."""
        return " ".join(part for part in (self.path, self.format, self.language) if part)


class JointTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on beside the folds that are held out of its data; never trained on."""

    files: tuple[JointDataSet, ...] = ()
    # Steps between measurements, on this many questions of each file; 0: only at the end.
    every: int = 0
    questions: int = 300
    # At the end; 0 means all.
    final_questions: int = 1_000
    window: int = 384
    stride: int = 256
    max_answer_tokens: int = 30
    # How spans are scored.
    metric: Literal["squad", "cmrc2018"] = "squad"

    @property
    def name(self) -> str:
        """What it was measured on, for the model's card."""
        return ", ".join(file.name or file.path for file in self.files)

    @property
    def licence(self) -> str:
        """The terms of it, for the model's card."""
        return ", ".join(dict.fromkeys(file.licence for file in self.files))


class JointRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains spans, verdicts and evidence together."""

    kind: Literal["joint"] = "joint"
    data: tuple[JointDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: JointTuning | None = None
    # Sources (texts, or the repositories of pages) fall into this many folds by a hash. `fold` is the one that is
    # held out where a data set says so, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1
    # The share of a label's weight that all labels get: some of the labels are wrong.
    smoothing: float = 0.05
    # Windows of an example's own text without its answer and evidence, for each window with them.
    negatives: float = 0.1
    # The share of questions that are written as people type: without a mark, some with a typing error.
    typed: float = 0.3
    # What the loss of verdicts, and that of the tokens of evidence, answers and conditions, weigh beside that of spans.
    verdict_weight: float = 1.0
    token_weight: float = 0.5
    # How often a token of a condition counts for each that is in none: few are.
    condition_weight: float = 4.0


def problems_of(recipe: JointRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    for name in ("smoothing", "typed"):
        if not 0 <= getattr(recipe, name) < 1:
            yield f"{name} is a share, from 0 to below 1, got {getattr(recipe, name)}"
    for name in ("negatives", "verdict_weight", "token_weight", "condition_weight"):
        if getattr(recipe, name) < 0:
            yield f"{name} must not be below 0, got {getattr(recipe, name)}"
    for data in recipe.data:
        if data.weight <= 0:
            yield f"{data.path} needs a weight above 0"
        if data.format == "pages" and not data.language:
            yield f"{data.path} needs the language of the items that are taken"
