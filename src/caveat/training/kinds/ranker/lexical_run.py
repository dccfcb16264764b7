"""Weights of lexical evidence from a recipe, measured beside the single sorts of evidence they put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caveat.answerers.ranking.combination import COMBINATION, Combination, Kind, write_combinations
from caveat.answerers.ranking.evidence import Evidence
from caveat.answerers.ranking.matching import Floats
from caveat.core.json_files import write_json
from caveat.training.kinds.ranker.combination import Featured, cross_validated, figures_of, fit
from caveat.training.kinds.ranker.data import RankDataSet, read_ranked
from caveat.training.kinds.ranker.lexical_recipe import LexicalRecipe

__all__ = ["BASELINES", "SCORES", "train_lexical"]

SCORES = "scores.json"
# Rows of every table, since a fit must beat them.
BASELINES = ("overlap", "bm25")

Figures = dict[str, dict[str, Any]]
"""A row a method, a column a figure."""


def train_lexical(
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
