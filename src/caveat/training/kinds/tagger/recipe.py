"""Recipes that train a tagger: its layers, its data, and what is held out to measure it on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.answerers.documents.structure.spans import KINDS
from caveat.training.recipe import Phase, Settings

__all__ = ["SpanDataSet", "SpanTuning", "TaggerRecipe", "problems_of"]


class SpanDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions with all their spans, and how much of it an epoch takes."""

    path: str
    # CMQA's JSON lines, SQuAD's layout (an answer may be a list of spans, as in CAIL 2021), or MultiSpanQA's.
    format: Literal["cmqa", "squad", "multispan"]
    # What the spans of a file in SQuAD's layout or MultiSpanQA's are; CMQA's say it themselves.
    span_kind: str = ""
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Traditional script becomes Simplified (SQuAD's layout only).
    simplify: bool = False
    # In SQuAD's layout: what several answers to a question are, of several annotators or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take; one without spans teaches silence.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Whether the recipe's fold is kept out of training and measured on.
    held_out: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of span that the file marks: where it marks none, there is none."""
        return KINDS if self.format == "cmqa" else (self.span_kind,)


class SpanTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end, and how; never trained on."""

    metric: Literal["cmqa", "multispan"]
    # A file of its own in the metric's format; where there is none, the fold that is held out of the data.
    path: str = ""
    # Steps between measurements, on this many questions spread over the data; 0: only at the end.
    every: int = 100
    questions: int = 100
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 384
    stride: int = 192
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class TaggerRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a tagger."""

    kind: Literal["tagger"] = "tagger"
    # Kinds of span, by layers: those of one layer never overlap each other. The paper's modes are one layer of all
    # kinds (merged), and a run for each kind (separate).
    layers: tuple[tuple[str, ...], ...]
    # Kinds whose spans begin and end at punctuation only, where they are in a layer.
    clause_kinds: tuple[str, ...] = ()
    # One that marks no kind of any layer is left out.
    data: tuple[SpanDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: SpanTuning | None = None
    # Texts fall into this many folds by a hash of their characters, the same in every file and in every run. `fold` is
    # the one that is held out, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1

    @property
    def clausal(self) -> tuple[str, ...]:
        """The kinds of the layers whose spans begin and end at punctuation only."""
        return tuple(kind for layer in self.layers for kind in layer if kind in self.clause_kinds)


def problems_of(recipe: TaggerRecipe) -> Iterator[str]:
    """What is wrong with the values of a recipe."""
    kinds = [kind for layer in recipe.layers for kind in layer]
    if not kinds or not all(recipe.layers):
        yield "a tagger needs layers, each of at least one kind of span"
    if len(set(kinds)) < len(kinds):
        yield "every kind of span belongs to one layer"
    # A recipe for some of CMQA's kinds may go on naming the others; they are left out.
    known = {*kinds, *KINDS}
    if strange := sorted(set(recipe.clause_kinds) - known):
        yield f"clause_kinds names {strange[0]!r}, which is in no layer"
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    for data in recipe.data:
        if data.format != "cmqa" and not data.span_kind:
            yield f"{data.path} needs span_kind: what its spans are"
        elif not set(data.kinds) & known:
            yield f"{data.path} has spans of the kind {data.kinds[0]!r}, which is in no layer"
        if data.held_out and recipe.tuning and not recipe.tuning.path and data.format != recipe.tuning.metric:
            yield f"{data.path} is held out, but its format is not that of the metric {recipe.tuning.metric!r}"
    if not any(set(data.kinds) & set(kinds) for data in recipe.data):
        yield "none of the data sets has spans of a kind that is in a layer"
    if recipe.tuning and not recipe.tuning.path and not any(data.held_out for data in recipe.data):
        yield "tuning needs a path, or a data set of which a fold is held out"
