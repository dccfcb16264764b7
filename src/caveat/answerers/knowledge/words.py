"""The words of questions and predicates: folded, masked, in units and pairs of units, and how telling each is;
which predicate a question asks for: both as the sum of what their characters and words mean, compared by a product.
"""

from __future__ import annotations

import base64
import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.core.errors import InputError
from caveat.language.stems import root
from caveat.language.tokens import STOP_WORDS
from caveat.library.triples.folding import fold
from caveat.library.triples.names import QUOTES, other_names
from caveat.models.log_odds import log_sum_exp

# Stands in a question where the entity was named.
MASK = "□"

_UNIT = re.compile(rf"{MASK}|[0-9]+|[^\W\d_\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]")
_MARKS = frozenset("《》〈〉「」『』【】（）！？，。、：；“”‘’")


def units_of(text: str) -> list[str]:
    """The ideographs and the words of a folded text, words without their endings, any number as 0; no marks."""
    found = []
    for unit in _UNIT.findall(text):
        if unit in _MARKS:
            continue
        if unit[0].isdecimal():
            unit = "0"
        elif unit.isascii():
            unit = root(unit)
        found.append(unit)
    return found


def grams_of(units: Sequence[str]) -> list[str]:
    """The units and the pairs of neighbours, each once."""
    return list(dict.fromkeys([*units, *(f"{a} {b}" for a, b in pairwise(units))]))


class FoldedQuestion:
    """A question, folded, with the way from offsets in it to those in the folded text."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text = text
        self.folded = folded.text
        self._origin = folded.origin

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the question is in the folded text."""
        first, last = np.searchsorted(self._origin, (start, end)).tolist()
        return first, last

    def masked(self, start: int, end: int) -> str:
        """The folded text with a stretch of it, and the quotes around that, replaced by a mask."""
        before, after = self.folded[:start].rstrip(), self.folded[end:].lstrip()
        while before and after and QUOTES.get(before[-1]) == after[0]:
            before, after = before[:-1].rstrip(), after[1:].lstrip()
        return f"{before}{MASK}{after}"

    def find(self, entity: str) -> tuple[int, int] | None:
        """Where the folded text has an entity's name, or that without brackets or quotes; the first place."""
        for name in (entity, *other_names(entity)):
            wanted = fold(name).text
            at = self.folded.find(wanted) if wanted else -1
            if at >= 0:
                return at, at + len(wanted)
        return None


_UNSEEN, _OF_STOP_WORDS = 6.0, 0.3


class WordCounts(msgspec.Struct, frozen=True):
    """Counts over masked training questions: in how many a unit is, and how often a short stretch stands in them.

    Units and stretches that come a few times only are left out.
    """

    questions: int
    units: dict[str, int]
    stretches: dict[str, int]

    def weight(self, unit: str) -> float:
        """How telling a unit is: the rarer, the more."""
        if unit in _stop_roots():
            return _OF_STOP_WORDS
        count = self.units.get(unit)
        return _UNSEEN if count is None else min(_UNSEEN, math.log(self.questions / count))

    def total(self, units: Iterable[str]) -> float:
        """The sum of their weights."""
        return sum(map(self.weight, units))

    def commonness(self, name: str) -> float:
        """The logarithm of how often a folded name stands in questions that are not about it."""
        return math.log1p(self.stretches.get(name, 0))


def related(unit: str) -> frozenset[str]:
    """The units of predicates that a unit of an English question may mean."""
    return _related().get(unit, frozenset())


@cache
def _stop_roots() -> frozenset[str]:
    return frozenset(root(word) for word in STOP_WORDS if word.isascii())


@cache
def _related() -> dict[str, frozenset[str]]:
    text = (files("caveat.answerers.knowledge") / "english.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    return {root(word): frozenset(map(root, several.split())) for word, several in raw["related"].items()}


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
