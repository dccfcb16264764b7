"""The one decision: all candidates for a question, "not answered" among them, as probabilities that add up to 1.

A conditional logit: a weight for each named feature, fitted by `caveat train decision-LANGUAGE` to labelled questions
on pages, so that a new reader is followed by one command.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from caveat.answerers.documents.candidates import Proposal
from caveat.core.json_files import read_json
from caveat.models.log_odds import softmax

__all__ = ["WEIGHTS", "DecisionWeights", "decide", "weights_beside"]

# The file's name in the folder of the reader that it was fitted to.
WEIGHTS = "decision.json"


class DecisionWeights(msgspec.Struct, frozen=True, eq=False):
    """decision.json: a weight a feature, how often questions have each word, and what both were fitted to."""

    about: dict[str, object]
    weights: dict[str, float]
    asked: dict[str, float]


def decide(proposals: Sequence[Proposal], weights: DecisionWeights) -> list[float]:
    """How probable each proposal is; features without a weight do not count."""
    known = weights.weights
    scores = [
        sum(known.get(name, 0.0) * value for name, value in proposal.features.items())
        for proposal in proposals
    ]
    return [float(share) for share in softmax(np.array(scores))]


@cache
def weights_beside(folder: Path) -> DecisionWeights | None:
    """The weights in a reader's folder; None where it has none."""
    path = folder / WEIGHTS
    return read_json(path, DecisionWeights) if path.is_file() else None
