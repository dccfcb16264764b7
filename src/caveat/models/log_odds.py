"""From scores to probabilities: the logistic function, the softmax, and fitted weights of named features."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Float = TypeVar("Float", bound="np.floating[Any]")


def sigmoid(score: float) -> float:
    """The probability that log-odds stand for."""
    if score >= 0:
        return 1 / (1 + math.exp(-score))
    raised = math.exp(score)
    return raised / (1 + raised)


def sigmoids(scores: NDArray[Float]) -> NDArray[Float]:
    """The probabilities that an array of log-odds stands for."""
    raised: NDArray[Float] = np.exp(-np.abs(scores))
    found: NDArray[Float] = np.where(scores >= 0, 1, raised) / (1 + raised)
    return found


def softmax(scores: NDArray[Float]) -> NDArray[Float]:
    """Along the last axis, the probability of each score among the others."""
    raised: NDArray[Float] = np.exp(scores - scores.max(axis=-1, keepdims=True))
    raised /= raised.sum(axis=-1, keepdims=True)
    return raised


def log_softmax(scores: NDArray[Float]) -> NDArray[Float]:
    """Along the last axis, the logarithm of the probability of each score; -inf is one that cannot be."""
    shifted: NDArray[Float] = scores - scores.max(axis=-1, keepdims=True)
    logs: NDArray[Float] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def log_sum_exp(scores: NDArray[Any]) -> float:
    """The logarithm of the sum of what a row of scores are logarithms of."""
    top = float(scores.max())
    return top + float(np.log(np.exp(scores - top).sum()))


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
