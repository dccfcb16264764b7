"""What a saved model of conditional answers says about itself, whatever its family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.json_files import read_json
from caveat.training.kinds.conditional.recipe import ConditionalRecipe

__all__ = ["CARD", "WHAT", "ConditionalCard", "read_conditional_card"]

CARD = "conditionalqa.json"
# What holds such a card, for an error.
WHAT = "model of conditional answers"


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
