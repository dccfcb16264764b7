"""From log-odds to probabilities that mean the same for every window, document and model.

The distinct answers to a question, from all the texts that were read for it, and "no answer" share one softmax:

    p(answer) = exp(score / T) / (exp(threshold / T) + Σ exp(score / T))

with the card's temperature T and threshold, both fitted on held-out data (`caveat.models.calibration`). What is
left over is the probability that the texts do not answer the question, so "no answer" is the most probable
outcome exactly where the best score is below the threshold. The same text in several places is one answer: it
counts once, with its best score. A model without "no answer" leaves that term out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from caveat.models.decoding import Candidate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

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


# This many answers take part in the sum, however many are asked for or were found: a long text must not drown its
# answer in a thousand improbable ones.
WEIGHED = 10


class Choice(msgspec.Struct, frozen=True):
    """An answer, how probable it is, and where it was found: (number of the text, candidate), best first."""

    probability: float
    places: tuple[tuple[int, Candidate], ...]

    @property
    def text(self) -> str:
        """The answer as it stands in the best of its places."""
        return self.places[0][1].text


class Weighed(msgspec.Struct, frozen=True):
    """The answers, most probable first, and the probability that there is none."""

    choices: tuple[Choice, ...]
    unanswerable: float

    @property
    def answered(self) -> bool:
        """Whether the best answer is more probable than none."""
        return bool(self.choices) and self.choices[0].probability > self.unanswerable


def weigh(found: Sequence[Sequence[Candidate]], *, temperature: float, none_at: float | None) -> Weighed:
    """The candidates of several texts as answers with probabilities; `none_at` is the threshold, or None."""
    groups: dict[str, list[tuple[int, Candidate]]] = {}
    every = [(number, candidate) for number, candidates in enumerate(found) for candidate in candidates]
    for number, candidate in sorted(every, key=lambda item: (-item[1].score, item[0], item[1].start)):
        groups.setdefault(answer_key(candidate.text), []).append((number, candidate))
    scores = [places[0][1].score for places in groups.values()]
    weights, none = probabilities(scores, temperature=temperature, none_at=none_at)
    choices = tuple(
        Choice(weight, tuple(places))
        for weight, places in zip(weights.tolist(), groups.values(), strict=True)
    )
    return Weighed(choices, none)


def probabilities(
    scores: ArrayLike, *, temperature: float, none_at: float | None
) -> tuple[NDArray[np.float64], float]:
    """The probability of each score, given best first, and of none; beyond the first ten the sum stays as it is."""
    logits = np.asarray(scores, dtype=np.float64) / temperature
    if not len(logits):
        return logits, 1.0
    none = -np.inf if none_at is None else none_at / temperature
    most = max(logits[0], none)
    weights, of_none = np.exp(logits - most), float(np.exp(none - most))
    total = float(weights[:WEIGHED].sum()) + of_none
    return weights / total, of_none / total


def distinct_scores(candidates: Sequence[Candidate]) -> tuple[float, ...]:
    """The scores that take part in the sum for one text: what calibration is fitted on."""
    best: dict[str, float] = {}
    for candidate in sorted(candidates, key=lambda candidate: -candidate.score):
        best.setdefault(answer_key(candidate.text), candidate.score)
    return tuple(best.values())[:WEIGHED]


def answer_key(text: str) -> str:
    """Texts with the same key are the same answer: case and blanks do not tell them apart."""
    return " ".join(text.casefold().split())
