"""Fitting a matcher: vectors of grams, by the likelihood of the right predicate among all that are asked for.

Predicates compete with their frequency added (logit adjustment), so that the product of the vectors alone is free of
it; how far frequency counts is left to the combination. Grams of a question are dropped at random while it learns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.knowledge.words import MatcherFile, grams_of, pack, units_of, whole

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


class MatcherSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How large a matcher is and how it learns."""

    dimensions: int = 48
    epochs: int = 10
    batch: int = 512
    rate: float = 0.02
    dropped: float = 0.2
    decay: float = 1e-5
    # Grams of questions, and predicates as a whole, that come fewer times are not learnt.
    least: int = 3
    least_whole: int = 3


def fit_matcher(
    pairs: Sequence[tuple[Sequence[str], str]],
    settings: MatcherSettings,
    *,
    seed: int,
    note: Callable[[str], None] = lambda _: None,
) -> MatcherFile:
    """The matcher of masked questions, in units, and the cleaned predicates they ask for."""
    counts = Counter(predicate for _, predicate in pairs)
    predicates = list(counts)
    number = {predicate: place for place, predicate in enumerate(predicates)}
    target = np.array([number[predicate] for _, predicate in pairs])
    questions = _Bags([grams_of(units) for units, _ in pairs], settings.least)
    wholes = {whole(p) for p in predicates if counts[p] >= settings.least_whole}
    asked_for = _Bags(
        [[*grams_of(units_of(p)), *((whole(p),) if whole(p) in wholes else ())] for p in predicates],
        1,
    )
    prior = np.log(np.array([counts[p] for p in predicates], dtype=np.float32) / len(pairs))
    random = np.random.default_rng(seed)
    sizes = f"{len(questions.grams):,} + {len(asked_for.grams):,} grams"
    note(f"{len(pairs):,} questions, {len(predicates):,} predicates, {sizes}")

    size = 1 / settings.dimensions**0.5
    left = random.normal(0, size, (len(questions.grams), settings.dimensions)).astype(np.float32)
    right = random.normal(0, size, (len(asked_for.grams), settings.dimensions)).astype(np.float32)
    steps = [_Adam(left, settings.decay), _Adam(right, settings.decay)]
    batches = -(-len(pairs) // settings.batch)
    for epoch in range(settings.epochs):
        order = random.permutation(len(pairs))
        loss = right_first = 0.0
        for batch in range(batches):
            chosen = order[batch * settings.batch : (batch + 1) * settings.batch]
            rate = settings.rate * (1 - (epoch * batches + batch) / (settings.epochs * batches))
            q = questions.of(chosen, random, settings.dropped)
            q_vectors, p_vectors = q.sums(left), asked_for.all.sums(right)
            logits: Floats = q_vectors @ p_vectors.T + prior
            logits -= logits.max(1, keepdims=True)
            goal = target[chosen]
            rows = np.arange(len(chosen))
            right_first += float((logits[rows, goal] == 0).sum())
            np.exp(logits, out=logits)
            logits /= logits.sum(1, keepdims=True)
            loss -= float(np.log(logits[rows, goal] + 1e-12).sum())
            logits[rows, goal] -= 1
            logits /= len(chosen)
            steps[0].step(left, q.gradient(logits @ p_vectors, len(left)), rate)
            steps[1].step(right, asked_for.all.gradient(logits.T @ q_vectors, len(right)), rate)
        note(f"epoch {epoch + 1}: loss {loss / len(pairs):.3f}, right {100 * right_first / len(pairs):.1f}%")
    return MatcherFile(
        settings.dimensions,
        pack(questions.grams, left),
        pack(asked_for.grams, right),
        {predicate: counts[predicate] for predicate in predicates},
    )


class _Batch:
    """Bags of grams as one array, each with where it starts; the sums of their vectors and the way back."""

    def __init__(self, places: Places, starts: Places, sizes: Places) -> None:
        self._places, self._starts = places, starts
        self._empty = sizes == 0
        self._share = (1 / np.sqrt(np.maximum(sizes, 1))).astype(np.float32)[:, None]
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._order = np.argsort(places, kind="stable")
        in_order = places[self._order]
        self._first = np.flatnonzero(np.diff(in_order, prepend=-1))
        self._grams = in_order[self._first]

    def sums(self, rows: Floats) -> Floats:
        if not len(self._places):
            return np.zeros((len(self._share), rows.shape[1]), dtype=np.float32)
        found = np.add.reduceat(rows[self._places], np.minimum(self._starts, len(self._places) - 1), axis=0)
        found[self._empty] = 0
        return found * self._share

    def gradient(self, of_sums: Floats, count: int) -> Floats:
        gradient = np.zeros((count, of_sums.shape[1]), dtype=np.float32)
        if len(self._places):
            spread = (of_sums * self._share)[self._owner[self._order]]
            gradient[self._grams] = np.add.reduceat(spread, self._first, axis=0)
        return gradient


class _Bags:
    """Many bags of grams, of which those that come often enough count."""

    def __init__(self, bags: Iterable[list[str]], least: int) -> None:
        several = list(bags)
        counts = Counter(gram for bag in several for gram in bag)
        self.grams = sorted(gram for gram, count in counts.items() if count >= least)
        places = {gram: place for place, gram in enumerate(self.grams)}
        found = [[places[gram] for gram in bag if gram in places] for bag in several]
        self._sizes = np.array([len(bag) for bag in found])
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._places = np.array([place for bag in found for place in bag], dtype=np.int64)
        self.all = _Batch(self._places, self._starts, self._sizes)

    def of(self, chosen: Places, random: np.random.Generator, dropped: float) -> _Batch:
        """Some of the bags, with a share of their grams left out at random."""
        sizes = self._sizes[chosen]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        places = self._places[np.repeat(self._starts[chosen], sizes) + offsets]
        kept = random.random(len(places)) >= dropped
        owner = np.repeat(np.arange(len(chosen)), sizes)[kept]
        sizes = np.bincount(owner, minlength=len(chosen))
        return _Batch(places[kept], np.cumsum(sizes) - sizes, sizes)


class _Adam:
    def __init__(self, rows: Floats, decay: float) -> None:
        self._decay = decay
        self._mean, self._square = np.zeros_like(rows), np.zeros_like(rows)
        self._steps = 0

    def step(self, rows: Floats, gradient: Floats, rate: float) -> None:
        self._steps += 1
        gradient += self._decay * rows
        self._mean += 0.1 * (gradient - self._mean)
        self._square += 0.001 * (gradient * gradient - self._square)
        mean = self._mean / (1 - 0.9**self._steps)
        square = self._square / (1 - 0.999**self._steps)
        rows -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


class MatchingData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions in NLPCC's format; in the order of a hash of their text they go to three uses."""

    path: str
    # First those that are only measured, then those that the weights of all evidence are fitted to.
    # The matcher learns from the rest.
    held_out: int = 0
    weighed: int = 0
    name: str = ""
    licence: str = "unstated"


class MatchingRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["matching"]
    data: tuple[MatchingData, ...]
    # Triples, or an index of them.
    base: str
    matcher: MatcherSettings = MatcherSettings()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 5.0
    # Predicates of similar entities that are mixed with those of the right one, in one of two lists a question.
    distractors: int = 20
    # The share of the questions to weigh that is asked once more without what answers it.
    unanswerable: float = 0.25
    # The share of the questions to weigh that only tunes the threshold.
    tuned: float = 0.25
    # A ranker's folder, whose scores are weighed too; "" for none.
    ranker: str = ""
    seed: int = 1


def problems_of(recipe: MatchingRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if not 0 < recipe.tuned < 1 or not 0 <= recipe.unanswerable <= 1:
        yield "tuned and unanswerable are shares, tuned above 0 and below 1"
    if not any(data.weighed for data in recipe.data):
        yield "no data set has questions to weigh the evidence with (weighed)"
    if recipe.distractors < 0:
        yield f"distractors must not be below 0, got {recipe.distractors}"
    if recipe.matcher.epochs < 1 or recipe.matcher.dimensions < 1 or recipe.matcher.batch < 1:
        yield "epochs, dimensions and batch of the matcher must be at least 1"
