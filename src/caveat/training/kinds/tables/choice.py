"""Which table a question is about, and whether any of them: a temperature and a logit, fitted to lists of tables."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.ranking.table_features import TableIndex
from caveat.answerers.tables.choice import ranking_scores, share_of_words
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.benchmarks.nlpcc.ranked import tbqa_format as tbqa
from caveat.core.errors import InputError
from caveat.models.calibration import expected_calibration_error, least_temperature, log_loss
from caveat.models.log_odds import softmax
from caveat.models.logit import Logit
from caveat.training.fitting import fit_logit
from caveat.training.kinds.tables.confidence import Figures
from caveat.training.kinds.tables.recipe import ListData, TablesRecipe

__all__ = ["fit_choice"]


class CandidateList(NamedTuple):
    """A question's candidate tables, the right one first: their scores, and the share of its words that they have."""

    scores: NDArray[np.float64]
    shares: tuple[float, ...]


def fit_choice(
    recipe: TablesRecipe, data_root: Path, note: Callable[[str], None]
) -> tuple[Logit, float, dict[str, Figures]]:
    """The logit of there being the right table, the ranking's temperature, and figures on lists kept apart."""

    def read(data: ListData) -> list[CandidateList]:
        lists = list(_lists(data, data_root, recipe.seed))
        note(f"{data.path}: {len(lists):,} lists of tables")
        return lists

    lists = [found for data in recipe.lists for found in read(data)]
    if not lists:
        raise InputError("The lists have no question with a right table and a wrong one.")
    temperature = round(least_temperature(lambda one: _log_loss(lists, one)), 3)
    balanced = _fit_answerable(lists)
    # The fit has as many right tables as wrong ones.
    odds = math.log(recipe.answerable / (1 - recipe.answerable))
    answerable = Logit(round(balanced.constant + odds, 4), balanced.weights)
    figures: dict[str, Figures] = {}
    for data in recipe.measured_lists:
        found = read(data)
        for size in sorted({len(one.shares) for one in found}):
            some = [one for one in found if len(one.shares) == size]
            figures[f"{data.path}, {size} tables"] = {
                "untempered": _figures(some, 1.0, balanced),
                "fitted": _figures(some, temperature, balanced),
            }
    return answerable, temperature, figures


def _lists(data: ListData, root: Path, seed: int) -> Iterator[CandidateList]:
    groups = list(tbqa.groups(tbqa.read(root / data.path, root / data.tables if data.tables else None)))
    draw = random.Random(seed)
    for group in draw.sample(groups, min(data.cap, len(groups))):
        pairs = sorted(group.pairs, key=lambda pair: -(pair.label or 0))
        if len(pairs) > 1 and pairs[0].label and not pairs[1].label:
            parsed, index = ParsedQuestion(group.question), TableIndex()
            right, *others = (PreparedTable(pair.table) for pair in pairs)
            for size in data.sizes:
                tables = [right, *draw.sample(others, min(size - 1, len(others)))]
                shares = tuple(share_of_words(parsed, table) for table in tables)
                yield CandidateList(ranking_scores(parsed, tables, index), shares)


def _log_loss(lists: Sequence[CandidateList], temperature: float) -> float:
    """Of the right table's probability among the others."""
    right = [math.log(max(float(softmax(one.scores / temperature)[0]), 1e-12)) for one in lists]
    return -sum(right) / max(1, len(right))


def _fit_answerable(lists: Sequence[CandidateList]) -> Logit:
    """Whether a table is the right one, of which there are as many as, by their weight, of all others."""
    features = [{"share": share} for one in lists for share in one.shares]
    targets = [float(not place) for one in lists for place in range(len(one.shares))]
    counts = [
        1 / (len(one.shares) - 1) if place else 1.0 for one in lists for place in range(len(one.shares))
    ]
    return fit_logit(features, targets, counts, 1e-3)


def _figures(lists: Sequence[CandidateList], temperature: float, balanced: Logit) -> dict[str, Any]:
    found = [softmax(one.scores / temperature) for one in lists]
    first = [float(not one.argmax()) for one in found]
    pairs = [
        (balanced.probability({"share": share}), float(not place))
        for one in lists
        for place, share in enumerate(one.shares[:2])
    ]
    return {
        "lists": len(lists),
        "right table first": 100 * sum(first) / max(1, len(first)),
        "log_loss": round(_log_loss(lists, temperature), 4),
        "calibration_error": round(expected_calibration_error([one.max() for one in found], first), 4),
        "log_loss of any being right": round(log_loss(*np.array(pairs).T), 4) if pairs else 0.0,
    }
