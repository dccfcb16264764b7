"""Fitting weights of evidence, measured on lists that were not fitted to."""

from __future__ import annotations

import numpy as np
import pytest

from caveat.answerers.ranking.combination import Combination
from caveat.answerers.ranking.evidence import CandidateList
from caveat.answerers.ranking.features import Features
from caveat.core.errors import InputError
from caveat.training.kinds.ranker.combination import Featured, cross_validated, figures_of, fit


def lists(count: int, seed: int = 0) -> list[Featured]:
    """Lists of four: `telling` is higher for the right one, `noise` is nothing, `constant` the same for all."""
    random = np.random.default_rng(seed)
    made: list[Featured] = []
    for number in range(count):
        right = random.integers(4)
        telling = random.normal(size=4) + 3 * (np.arange(4) == right)
        values = np.stack([telling, random.normal(size=4), np.full(4, float(number)), -telling], axis=1)
        of = CandidateList(
            f"question {number}",
            tuple(f"{number} {place}" for place in range(4)),
            tuple(np.arange(4) == right),
        )
        made.append((of, Features(("telling", "noise", "constant", "overlap"), values)))
    return made


def test_what_tells_gets_the_weight() -> None:
    fitted = fit(lists(200), l2=1.0).weights
    # What is the same for all candidates of a question cannot count; plain overlap must not.
    assert set(fitted) == {"telling", "noise"}
    assert fitted["telling"] > 1
    assert abs(fitted["noise"]) < 0.3
    assert fit(lists(200), l2=1e6).weights["telling"] < 0.01


def test_a_logit_of_two_by_hand() -> None:
    # The right one has 1 more in three lists, 1 less in one: odds of three to one, so a weight of ln 3.
    made = [
        (CandidateList("q", ("a", "b"), (True, False)), Features(("x",), np.array([[sign], [0.0]])))
        for sign in (1.0, 1.0, 1.0, -1.0)
    ]
    assert fit(made, l2=1e-9).weights["x"] == pytest.approx(np.log(3), abs=1e-3)
    # The last list counts three times: even.
    assert fit(made, l2=1e-9, weights=[1, 1, 1, 3]).weights.get("x", 0.0) == pytest.approx(0, abs=1e-3)


def test_lists_that_tell_nothing() -> None:
    all_right = (CandidateList("q", ("a",), (True,)), Features(("x",), np.array([[1.0]])))
    none_right = (CandidateList("q", ("a", "b"), (False, False)), Features(("x",), np.array([[1.0], [2.0]])))
    with pytest.raises(InputError, match="nothing to fit"):
        fit([all_right, none_right], l2=1.0)
    assert fit([*lists(20), all_right, none_right][:20], l2=1.0).weights


def test_no_list_is_scored_by_weights_that_have_seen_it() -> None:
    made = lists(60)
    scores = cross_validated(made, l2=1.0, folds=3)
    alone = fit(made, l2=1.0)
    assert len(scores) == 60
    assert all(
        not np.allclose(mine, alone.scores(features))
        for mine, (_, features) in zip(scores, made, strict=True)
    )
    figures = figures_of([of for of, _ in made], scores)
    assert figures["questions"] == 60
    assert figures["mrr"] > 85


def test_figures_by_hand() -> None:
    made = [CandidateList("a", ("x", "y"), (False, True)), CandidateList("b", ("x", "y"), (True, False))]
    found = figures_of(made, [np.array([2.0, 1.0]), np.array([2.0, 1.0])])
    assert found == {"mrr": 75.0, "map": 75.0, "accuracy@1": 50.0, "questions": 2}
    assert Combination({}).weights == {}
