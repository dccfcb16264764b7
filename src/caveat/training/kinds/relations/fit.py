"""Fitting of the relation model: a conditional logit with an L2 penalty; convex, so that every fit ends alike.

It is measured by CMQA's metric, beside the rules, on samples that it has not seen, then fitted to all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from caveat.answerers.documents.structure.features import Candidates, Feature, describe, find_candidates
from caveat.answerers.documents.structure.relations import (
    RELATIONS,
    FeatureWeights,
    Relater,
    RelationModel,
    nearest_coarse,
    nearest_condition,
    nearest_condition_of_the_uppermost,
    write_model,
)
from caveat.answerers.documents.structure.spans import Booleans, Integers, Layout, Pair, lay_out
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa import metric as label_sets
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.predict import related_sample, spans_of, with_relations
from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.training.fitting import Floats, minimise
from caveat.training.kinds.relations.recipe import RelationData, RelationRecipe
from caveat.training.sampling import fold_of

# The file's name in a run's folder.
SCORES = "scores.json"

Figures = dict[str, dict[str, float | None]]
"""A row a system or a sort of relations, a column a figure."""

_MEASURED = ("condition-answer", "coarse-fine")

# Weights are kept to this many digits: the file is half as large, and no decision changes.
_DIGITS = 3


def figures_of(gold: Sequence[CmqaSample], predicted: Sequence[CmqaSample]) -> Figures:
    """F1 and exact match by sort of relations."""
    scores = label_sets.score(_labels(gold), _labels(predicted)).scores
    return {sort: {name: scores[sort][name] for name in ("f1", "exact_match")} for sort in _MEASURED}


def measure(gold: Sequence[CmqaSample], predicted: Sequence[CmqaSample]) -> dict[str, float | None]:
    """F1 and exact match of both sorts of relations, in one row."""
    names = {"f1": "F1", "exact_match": "EM"}
    return {
        f"{sort} {names[key]}": figure
        for sort, figures in figures_of(gold, predicted).items()
        for key, figure in figures.items()
    }


def rules(samples: Sequence[CmqaSample]) -> Figures:
    """The rows that any model has to beat."""
    by_name: dict[str, Callable[[CmqaSample], list[Pair]]] = {
        "nearest": lambda sample: nearest_condition(spans_of(sample)),
        "nearest, coarse first": lambda sample: nearest_condition_of_the_uppermost(
            sample.context, spans_of(sample)
        ),
    }
    return {
        name: measure(
            samples,
            [
                with_relations(sample, [*rule(sample), *nearest_coarse(spans_of(sample))])
                for sample in samples
            ],
        )
        for name, rule in by_name.items()
    }


def _labels(samples: Sequence[CmqaSample]) -> dict[str, label_sets.Sample]:
    return {str(number): cmqa.labels(sample) for number, sample in enumerate(samples)}


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


def fit_relations(
    recipe: RelationRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/relations.json and OUT/scores.json; gives the tables of figures by their titles."""
    samples = [sample for data in recipe.data for sample in read_samples(data, data_root)]
    held_out = read_samples(recipe.held_out, data_root) if recipe.held_out else []
    everything = [*samples, *held_out]
    tables: dict[str, Figures] = {}
    if recipe.held_out:
        fitted = predicted(_fit(samples, recipe), held_out)
        tables[f"{recipe.held_out.path}, fitted on the rest"] = {
            **rules(held_out),
            "fitted": measure(held_out, fitted),
        }
        note(f"{recipe.held_out.path}: measured.")
    if recipe.folds:
        title = f"all samples, by cross-validation in {recipe.folds} parts"
        tables[title] = {
            **rules(everything),
            "fitted": measure(everything, cross_validated(everything, recipe)),
        }
        note(f"cross-validation in {recipe.folds} parts: measured.")
    out.mkdir(parents=True, exist_ok=True)
    seen = _without(everything, recipe, recipe.fold)
    about = {"recipe": msgspec.to_builtins(recipe), "samples": len(seen), "figures": tables}
    write_model(out / RELATIONS, _fit(seen, recipe), about)
    write_json(out / SCORES, tables)
    return tables


def cross_validated(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> list[CmqaSample]:
    """Each sample with the relations by a model that has not seen its context."""
    found = list(samples)
    for fold in range(recipe.folds):
        part = [number for number, sample in enumerate(samples) if _fold(sample, recipe) == fold]
        model = _fit(_without(samples, recipe, fold), recipe)
        for number, sample in zip(part, predicted(model, [samples[number] for number in part]), strict=True):
            found[number] = sample
    return found


def _without(samples: Sequence[CmqaSample], recipe: RelationRecipe, fold: int) -> list[CmqaSample]:
    return [sample for sample in samples if _fold(sample, recipe) != fold]


def _fold(sample: CmqaSample, recipe: RelationRecipe) -> int:
    return fold_of(sample.context, recipe.folds) if recipe.folds else 0


def read_samples(data: RelationData, root: Path) -> list[CmqaSample]:
    """The samples of a file, at least one."""
    path = root / data.path
    samples = [sample for _, sample in cmqa.read(path)]
    if not samples:
        raise InputError("has no samples", path=path)
    return samples


def _fit(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> RelationModel:
    return fit(samples, l2=recipe.l2, least=recipe.least)


def predicted(model: Relater, samples: Sequence[CmqaSample]) -> list[CmqaSample]:
    """The samples with the relations that a model finds among their spans."""
    return [related_sample(model, sample) for sample in samples]
