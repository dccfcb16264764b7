"""Recipes that train one of ConditionalQA's three families of models, and the card of a trained one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.json_files import read_json
from caveat.training.kinds.conditional.data import ConditionalDataSet
from caveat.training.recipe import Phase, Settings

__all__ = [
    "CARD",
    "WHAT",
    "ConditionalCard",
    "ConditionalRecipe",
    "ConditionalTuning",
    "Family",
    "problems_of",
    "read_conditional_card",
]

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
