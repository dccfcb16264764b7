"""Recipes that train a judge, and that fit the weights of yes and no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.training.kinds.judge.data import JudgeDataSet, StatementFormat
from caveat.training.kinds.judge.judgements import JudgementFormat
from caveat.training.recipe import Phase, Settings


class JudgeTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end; never trained on."""

    # A file of its own, beside the fold that is held out of the data.
    path: str = ""
    format: StatementFormat = "conditionalqa"
    # Further files in the same format.
    also: tuple[str, ...] = ()
    # Steps between measurements, on this many statements spread over the data; 0: only at the end.
    every: int = 400
    questions: int = 600
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 192
    stride: int = 96
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class JudgeRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a judge."""

    kind: Literal["judge"] = "judge"
    data: tuple[JudgeDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: JudgeTuning | None = None
    # Rule texts and pages fall into this many folds by a hash of their characters or address. `fold` is the one that is
    # held out, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1
    # The share of a label's weight that all labels get: some of the labels are wrong.
    smoothing: float = 0.0
    # Rare labels weigh more: by their share to the power of minus this; 0 leaves all alike, 1 makes them even.
    balance: float = 0.0


def problems_of(recipe: JudgeRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    if not 0 <= recipe.smoothing < 1:
        yield f"smoothing is a share, from 0 to below 1, got {recipe.smoothing}"
    if not 0 <= recipe.balance <= 1:
        yield f"balance must be from 0 to 1, got {recipe.balance}"
    for data in recipe.data:
        if data.weight <= 0:
            yield f"{data.path} needs a weight above 0"
    tuning = recipe.tuning
    if tuning and not tuning.path and (recipe.fold < 0 or not any(data.held_out for data in recipe.data)):
        yield "tuning needs a path, or a fold that is held out of a data set"


class YesNoData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of ConditionalQA's questions; without its pages the evidences of all questions on a page stand for it."""

    path: str
    documents: str = ""
    # So many questions, spread over the file, are put to pages that do not speak to them; 0 means all.
    most: int = 0
    name: str = ""
    licence: str = "unstated"


class TextData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of judgements, each a question and the text that it is judged by."""

    path: str
    format: JudgementFormat = "judgements"
    # The share of statements that are asked as questions.
    asked: float = 0.0
    # Texts fall into this many folds as those that a judge is trained on; the one that was held out of it is used.
    folds: int = 0
    fold: int = 0
    # So many questions, spread over the file; 0 means all.
    most: int = 0
    # Whether what is answered is known, and whether texts of other questions leave a question open.
    labelled: bool = True
    others_silent: bool = True
    name: str = ""
    licence: str = "unstated"


class PageData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of English pages that are asked about by their own words."""

    path: str
    # As of `TextData`.
    folds: int = 0
    fold: int = 0
    most: int = 0
    name: str = ""
    licence: str = "unstated"


class YesNoRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["yes-no"]
    # The judge that reads the evidence, by name or folder.
    judge: str
    # None of these, nor of the texts, was the judge trained on.
    data: tuple[YesNoData, ...] = ()
    texts: tuple[TextData, ...] = ()
    pages: tuple[PageData, ...] = ()
    # Sets whose questions alone are used: the words that are often asked with, whatever is asked about.
    words: tuple[TextData, ...] = ()
    # What the pages that do not speak to a question count together, beside the one that does.
    silent: float = 1.0
    # Which texts and pages are put together.
    seed: int = 1
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 2.0
    # What a question counts whose answer depends on something: its yes is one that needs more than a yes.
    conditional: float = 0.5
    # What the log-odds of all are divided by: pages made of single texts are easier than whole ones. 0: those of yes by
    # what is held out of whole pages.
    temperature: float = 0.0
    # Pages fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5


def yes_no_problems(recipe: YesNoRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data and not recipe.texts and not recipe.pages:
        yield "a recipe needs at least one data set"
    if min(recipe.l2, recipe.conditional, recipe.silent) <= 0:
        yield "l2, conditional and silent must be above 0"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
