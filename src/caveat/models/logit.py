"""Fitted weights of named features, and the log-odds that they give."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from caveat.models.log_odds import sigmoid


class Logit(msgspec.Struct, frozen=True):
    """A weight for each feature that has one, and a constant."""

    constant: float
    weights: dict[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """How probable it is; features without a weight do not count."""
        return sigmoid(self.score(features))

    def score(self, features: Mapping[str, float]) -> float:
        """The log-odds; of several that exclude each other, what a softmax with 0 for none of them takes."""
        weights = self.weights
        return self.constant + sum(weights.get(name, 0.0) * value for name, value in features.items())
