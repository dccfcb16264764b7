"""Which predicate a question asks for: both as the sum of what their characters and words mean, compared by a product.

The vectors are learnt (`caveat train`) so that the product is a log-likelihood ratio: how much likelier
the question is if this predicate is meant than if any is.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import cached_property, lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.knowledge.words import grams_of, units_of
from caveat.core.errors import InputError
from caveat.models.log_odds import log_sum_exp

Floats = NDArray[np.float32]
_STEPS = 127


class Vectors(msgspec.Struct, frozen=True):
    """A vector for each gram: rows of signed bytes in base64, each row with its own scale."""

    grams: list[str]
    scales: str
    rows: str


class MatcherFile(msgspec.Struct, frozen=True):
    """A matcher as it is stored; `counts` says how many training questions ask for each predicate."""

    dimensions: int
    questions: Vectors
    predicates: Vectors
    counts: dict[str, int]


def whole(predicate: str) -> str:
    """The gram that stands for a predicate as a whole."""
    return f"={predicate}"


def pack(grams: Sequence[str], rows: Floats) -> Vectors:
    """Vectors in bytes; a row is off by less than a hundredth of its greatest value."""
    scales = np.maximum(np.abs(rows).max(1), 1e-6).astype("<f2").astype(np.float32)
    bytes = np.clip(np.rint(rows / scales[:, None] * _STEPS), -_STEPS, _STEPS).astype(np.int8)
    return Vectors(list(grams), _text(scales.astype("<f2").tobytes()), _text(bytes.tobytes()))


class Matcher:
    """Scores of predicates for a question, from the grams of both."""

    def __init__(self, file: MatcherFile) -> None:
        self._counts = file.counts
        self._dimensions = file.dimensions
        self._question_rows, self._question_places = _unpack(file.questions, file.dimensions)
        self._predicate_rows, self._predicate_places = _unpack(file.predicates, file.dimensions)
        self._vector = lru_cache(maxsize=1 << 16)(self._predicate_vector)

    def count(self, predicate: str) -> int:
        """How many training questions ask for a predicate."""
        return self._counts.get(predicate, 0)

    def question(self, units: Sequence[str]) -> Floats:
        """The vector of a masked question."""
        return _sum(self._question_rows, self._question_places, grams_of(units))

    def scores(self, question: Floats, predicates: Sequence[str]) -> Floats:
        """The log-likelihood ratio of each cleaned predicate, for a question's vector."""
        vectors = np.stack([self._vector(predicate) for predicate in predicates])
        scores: Floats = vectors @ question - self._normaliser(question)
        return scores

    def _normaliser(self, question: Floats) -> float:
        known, prior = self._known
        return log_sum_exp(known @ question + prior)

    @cached_property
    def _known(self) -> tuple[Floats, Floats]:
        vectors = np.stack([self._vector(predicate) for predicate in self._counts])
        counts = np.array(list(self._counts.values()), dtype=np.float32)
        return vectors, np.log(counts / counts.sum())

    def _predicate_vector(self, predicate: str) -> Floats:
        grams = [*grams_of(units_of(predicate)), whole(predicate)]
        return _sum(self._predicate_rows, self._predicate_places, grams)


def _unpack(vectors: Vectors, dimensions: int) -> tuple[Floats, dict[str, int]]:
    scales = np.frombuffer(base64.b64decode(vectors.scales), dtype="<f2").astype(np.float32)
    rows = np.frombuffer(base64.b64decode(vectors.rows), dtype=np.int8)
    if not len(scales) == len(vectors.grams) == len(rows) / dimensions:
        raise InputError("the matcher's vectors do not fit its grams: the file is damaged")
    scaled: Floats = rows.reshape(-1, dimensions).astype(np.float32) * (scales[:, None] / np.float32(_STEPS))
    return scaled, {gram: place for place, gram in enumerate(vectors.grams)}


def _sum(rows: Floats, places: dict[str, int], grams: Sequence[str]) -> Floats:
    """The rows of the known grams, added up and divided by the root of how many there are."""
    found = [places[gram] for gram in grams if gram in places]
    if not found:
        return np.zeros(rows.shape[1], dtype=np.float32)
    total: Floats = rows[found].sum(0) / np.float32(len(found) ** 0.5)
    return total


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
