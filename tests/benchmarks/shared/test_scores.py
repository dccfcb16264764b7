from __future__ import annotations

import pytest

from caveat.benchmarks.shared.scores import Scored, missing_and_unknown, percentage


def test_missing_and_unknown_keep_the_order_of_their_files() -> None:
    gold, predicted = {"b": 1, "a": 2, "c": 3}, {"z": 1, "a": 2, "y": 3}
    assert missing_and_unknown(gold, predicted) == (("b", "c"), ("z", "y"))


def test_percentage() -> None:
    assert percentage([1.0, 0.5, 0.0]) == 50.0
    assert percentage([]) is None


def test_scored_is_frozen() -> None:
    scored = Scored({"f1": 100.0})
    assert (scored.missing, scored.unknown, scored.details) == ((), (), ())
    with pytest.raises(AttributeError):
        scored.scores = {}  # type: ignore[misc]
