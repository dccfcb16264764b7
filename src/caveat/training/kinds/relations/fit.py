"""Fitting of the relation model: a conditional logit with an L2 penalty; convex, so that every fit ends alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from caveat.answerers.documents.structure.features import Candidates, Feature, describe, find_candidates
from caveat.answerers.documents.structure.layout import Booleans, Integers, Layout, lay_out
from caveat.answerers.documents.structure.relations import FeatureWeights, RelationModel
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.spans import spans_of
from caveat.core.errors import InputError
from caveat.training.lbfgs import Floats, minimise

__all__ = ["fit"]

# Weights are kept to so many digits: the file is half as large, and no decision changes.
_DIGITS = 3


class _Described(msgspec.Struct, frozen=True):
    candidates: Candidates
    features: list[Feature]
    # The column of the head, by answer; -1 where it is not among the candidates.
    gold: Integers


def fit(samples: Iterable[CmqaSample], *, l2: float, least: int) -> RelationModel:
    """A model that gives the samples' relations the highest probability, less half of `l2` times the squared weights.

    Words that stand in their place fewer than `least` times are not learned.
    """
    described = [found for sample in samples if (found := _describe(sample)) is not None]
    if not described:
        raise InputError("The data has no answers, so there is nothing to fit.")
    blank = RelationModel(_vocabulary(described, least))
    rows = np.concatenate([_rows(blank, one) for one in described])
    counts = np.concatenate([one.candidates.valid[one.gold >= 0].sum(1) for one in described])
    gold = np.concatenate([_gold(one) for one in described])
    used, places = np.unique(rows, return_inverse=True)
    weights = np.zeros_like(blank.weights)
    weights[used] = _weights(places.reshape(rows.shape), counts, gold, np.where(used == 0, 0.0, 1.0), l2)
    return _with_weights(blank, weights)


def _describe(sample: CmqaSample) -> _Described | None:
    layout = lay_out(sample.context, spans_of(sample))
    candidates = find_candidates(layout)
    if not len(candidates.answers):
        return None
    return _Described(
        candidates, describe(layout, candidates, sample.question), _gold_columns(sample, layout, candidates)
    )


def _gold_columns(sample: CmqaSample, layout: Layout, candidates: Candidates) -> Integers:
    heads: dict[tuple[str, int, int], tuple[str, int, int]] = {}
    # A coarse answer comes last and stays: a condition beside it is the coarse answer's own.
    for name in ("condition_coarse", "condition_fine", "coarse_fine"):
        head, tail = name.split("_")
        for relation in getattr(sample, name):
            key = (tail, relation.tail.start, relation.tail.end)
            heads[key] = (head, relation.head.start, relation.head.end)
    columns = []
    for answer, row in zip(candidates.answers.tolist(), candidates.heads.tolist(), strict=True):
        wanted = heads.get(msgspec.structs.astuple(layout.spans[answer]))
        found = [msgspec.structs.astuple(layout.spans[index]) if index >= 0 else None for index in row]
        columns.append(0 if wanted is None else found.index(wanted) if wanted in found else -1)
    return np.array(columns)


def _vocabulary(described: Sequence[_Described], least: int) -> dict[str, FeatureWeights]:
    """The features with the words that are frequent enough, and no weights yet."""
    found: dict[str, FeatureWeights] = {}
    for number, feature in enumerate(described[0].features):
        counts = Counter(word for one in described for word in _words(one.features[number]))
        words = sorted(word for word, count in counts.items() if word and count >= least)
        found[feature.name] = FeatureWeights(feature.size, worded={word: {} for word in words})
    return found


def _words(feature: Feature) -> list[str]:
    """The words of a worded feature, one a span."""
    if feature.words is None or feature.of is None:
        return []
    return [feature.words[span] for span in np.unique(feature.of[feature.of >= 0]).tolist()]


def _rows(model: RelationModel, one: _Described) -> Integers:
    """A row of indices into the weights for each candidate of each answer whose head is among them."""
    indices = np.stack([model.indices(feature) for feature in one.features], axis=-1)
    known = one.gold >= 0
    rows: Integers = indices[known][one.candidates.valid[known]]
    return rows


def _gold(one: _Described) -> Booleans:
    """Which of the rows is the head."""
    known = one.gold >= 0
    is_gold = np.arange(one.candidates.valid.shape[1]) == one.gold[known][:, None]
    marked: Booleans = is_gold[one.candidates.valid[known]]
    return marked


def _weights(places: Integers, counts: Integers, gold: Booleans, free: Floats, l2: float) -> Floats:
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    group = np.repeat(np.arange(len(counts)), counts)
    flat, features = places.ravel(), places.shape[1]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = weights[places].sum(1)
        scores -= np.maximum.reduceat(scores, starts)[group]
        exponents = np.exp(scores)
        totals = np.add.reduceat(exponents, starts)
        value = np.log(totals).sum() - scores[gold].sum() + l2 / 2 * (weights @ weights)
        slopes = np.repeat(exponents / totals[group] - gold, features)
        gradient = np.bincount(flat, slopes, len(weights)) + l2 * weights
        # What stands for "nothing known" keeps its 0.
        return float(value), gradient * free

    return minimise(loss, np.zeros(len(free)))


def _with_weights(blank: RelationModel, weights: Floats) -> RelationModel:
    features = {}
    at = 1
    for name, feature in blank.features.items():
        tables = []
        for _ in range(max(1, len(feature.worded))):
            rounded = weights[at : at + feature.size].round(_DIGITS)
            tables.append({int(code): float(rounded[code]) for code in np.flatnonzero(rounded)})
            at += feature.size
        worded = {word: table for word, table in zip(feature.worded, tables, strict=False) if table}
        features[name] = FeatureWeights(feature.size, {} if feature.worded else tables[0], worded)
    return RelationModel(features)
