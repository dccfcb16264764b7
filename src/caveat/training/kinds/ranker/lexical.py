"""Fitting weights of lexical evidence: a conditional logit with an L2 penalty; convex, so that every fit ends alike.

It is measured beside each kind of evidence alone, by cross-validation or on files of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.ranking.combination import COMBINATION, Combination, Kind, distinct, write_combinations
from caveat.answerers.ranking.evidence import CandidateList, Evidence
from caveat.answerers.ranking.features import Features, Floats
from caveat.benchmarks.nlpcc import metric as ranking
from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.training.fitting import minimise
from caveat.training.kinds.ranker.data import LexicalRecipe, RankDataSet, fold_of_list, read_ranked

Featured = tuple[CandidateList, Features]
# Weights are kept to this many digits: no order changes.
_DIGITS = 4
# Columns that were seen in fewer lists are not learnt.
_LEAST = 8
# Plain overlap is a baseline. Where wrong candidates were chosen for the common words that they share with the
# question, as in WTQ's lists, a fit would hold it against a candidate.
_NOT_LEARNT = frozenset({"overlap"})

SCORES = "scores.json"
# Rows of every table, since a fit must beat them.
BASELINES = ("overlap", "bm25")
Figures = dict[str, dict[str, Any]]
"""A row a method, a column a figure."""


def fit(lists: Sequence[Featured], *, l2: float, weights: Sequence[float] = ()) -> Combination:
    """Weights that give the right candidates of each list the highest probability together.

    Less half of `l2` times the squared weights of the columns in deviations. `weights` are what each list counts.
    """
    counts = weights or [1.0] * len(lists)
    useful = [
        (of, features, count)
        for (of, features), count in zip(lists, counts, strict=True)
        if any(of.right) and not all(of.right)
    ]
    if not useful:
        raise InputError("no list has both right and wrong candidates, so there is nothing to fit")
    names = useful[0][1].names
    values = np.concatenate([features.values for _, features, _ in useful])
    sizes = np.array([len(of.right) for of, _, _ in useful])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    learnt = np.array([name not in _NOT_LEARNT for name in names])
    kept, scale = _scaled(values, sizes, starts, learnt)
    right = np.concatenate([of.right for of, _, _ in useful]).astype(np.bool_)
    count = np.array([count for _, _, count in useful])
    found = _minimum(values[:, kept] / scale, starts, sizes, right, count, l2) / scale
    rounded = {
        names[place]: float(f"{weight:.{_DIGITS}g}") for place, weight in zip(kept, found, strict=True)
    }
    return Combination({name: weight for name, weight in rounded.items() if weight})


def _scaled(
    values: Floats, sizes: NDArray[np.intp], starts: NDArray[np.intp], learnt: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Floats]:
    """The columns that differ within enough lists, and the deviation of each within lists."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    means = np.add.reduceat(values, starts, axis=0) / sizes[:, None]
    squares = np.add.reduceat((values - means[group]) ** 2, starts, axis=0)
    differing = (squares > 1e-12).sum(0)
    kept = np.flatnonzero(learnt & (differing >= min(_LEAST, len(sizes))))
    return kept, np.sqrt(squares[:, kept].sum(0) / len(values))


def _minimum(
    values: Floats,
    starts: NDArray[np.intp],
    sizes: NDArray[np.intp],
    right: NDArray[np.bool_],
    count: Floats,
    l2: float,
) -> Floats:
    group = np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        scores -= np.maximum.reduceat(scores, starts)[group]
        raised = np.exp(scores)
        total = np.add.reduceat(raised, starts)
        # A right one may be too far below the best to have a share of its own.
        of_right = np.maximum(np.add.reduceat(raised * right, starts), 1e-300)
        value = count @ (np.log(total) - np.log(of_right)) + l2 / 2 * (weights @ weights)
        slopes = count[group] * (raised / total[group] - raised * right / of_right[group])
        return float(value), values.T @ slopes + l2 * weights

    return minimise(loss, np.zeros(values.shape[1]))


def cross_validated(
    lists: Sequence[Featured], *, l2: float, folds: int, weights: Sequence[float] = ()
) -> list[Floats]:
    """The scores of each list by weights that were fitted to the lists of the other folds."""
    counts = list(weights) or [1.0] * len(lists)
    fold = [fold_of_list(of, folds) for of, _ in lists]
    scores: list[Floats] = [np.zeros(len(of.candidates)) for of, _ in lists]
    for number in sorted(set(fold)):
        others = [place for place, other in enumerate(fold) if other != number]
        fitted = fit([lists[place] for place in others], l2=l2, weights=[counts[place] for place in others])
        for place, other in enumerate(fold):
            if other == number:
                scores[place] = fitted.scores(lists[place][1])
    return scores


def figures_of(lists: Sequence[CandidateList], scores: Sequence[Floats]) -> dict[str, Any]:
    """MRR, MAP and the share of right candidates at the top, as `caveat predict` and `caveat eval` give them."""
    groups = [(of.question, of.right) for of in lists]
    flat = np.concatenate([distinct(found) for found in scores]).tolist() if scores else []
    found = ranking.score(groups, flat).scores
    return {name: found[name] for name in ("mrr", "map", "accuracy@1", "questions")}


def fit_lexical(
    recipe: LexicalRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/ranking.json and OUT/scores.json; gives the tables of figures by their titles."""
    evidence = Evidence()

    def featured(data: RankDataSet) -> list[Featured]:
        left_out: Counter[str] = Counter()
        lists = list(evidence.of(read_ranked(data, data_root, recipe.seed, left_out)))
        reasons = "".join(f", {count:,} {reason}" for reason, count in left_out.items())
        note(f"{data.path}: {len(lists):,} questions{reasons}")
        return lists

    tables: dict[str, Figures] = {}
    combinations: dict[Kind, Combination] = {}
    for kind in sorted({data.kind for data in recipe.data}):
        sets = {data: featured(data) for data in recipe.data if data.kind == kind}
        together = [each for lists in sets.values() for each in lists]
        weights = [data.weight for data, lists in sets.items() for _ in lists]
        if recipe.folds:
            scores = cross_validated(together, l2=recipe.l2, folds=recipe.folds, weights=weights)
            at = 0
            for data, lists in sets.items():
                title = f"{data.path}, by cross-validation in {recipe.folds} parts"
                tables[title] = _beside_baselines(lists, scores[at : at + len(lists)])
                at += len(lists)
        combinations[kind] = fit(together, l2=recipe.l2, weights=weights)
        for data in recipe.measured:
            if data.kind == kind:
                lists = featured(data)
                scores = [combinations[kind].scores(features) for _, features in lists]
                tables[data.path] = _beside_baselines(lists, scores)
    out.mkdir(parents=True, exist_ok=True)
    about = {"recipe": msgspec.to_builtins(recipe), "figures": tables}
    write_combinations(out / COMBINATION, combinations, about)
    write_json(out / SCORES, tables)
    return tables


def _beside_baselines(lists: Sequence[Featured], fitted: Iterable[Floats]) -> Figures:
    candidates = [of for of, _ in lists]
    rows = {name: [features.column(name) for _, features in lists] for name in BASELINES}
    rows["fitted"] = [np.asarray(scores) for scores in fitted]
    return {name: figures_of(candidates, scores) for name, scores in rows.items()}
