"""The weights for questions on tables, fitted and written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from caveat.answerers.tables import choice, confidence
from caveat.core.json_files import write_json
from caveat.training.kinds.tables.choice import fit_choice
from caveat.training.kinds.tables.confidence import Figures, fit_confidence
from caveat.training.kinds.tables.recipe import TablesRecipe

__all__ = ["train_tables"]

SCORES = "scores.json"


def train_tables(
    recipe: TablesRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/confidence.json, OUT/choice.json and OUT/scores.json; gives the tables of figures by their titles."""
    sure, of_interpretations = fit_confidence(recipe, data_root, note)
    answerable, temperature, of_lists = fit_choice(recipe, data_root, note)
    raw = msgspec.to_builtins(recipe)
    out.mkdir(parents=True, exist_ok=True)
    write_json(
        out / confidence.WEIGHTS,
        confidence.ConfidenceWeights({"recipe": raw, "figures": of_interpretations}, sure),
    )
    write_json(
        out / choice.WEIGHTS,
        choice.ChoiceWeights({"recipe": raw, "figures": of_lists}, answerable, temperature),
    )
    figures = of_interpretations | of_lists
    write_json(out / SCORES, figures)
    return figures
