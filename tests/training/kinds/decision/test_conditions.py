"""Which conditions are stated, fitted to candidates by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from caveat.answerers.documents.open_conditions import OpenCondition, is_stated
from caveat.core.logic import Atom
from caveat.training.kinds.decision.conditions import (
    LabelledConditions,
    fitted_conditions,
    measured_conditions,
)
from caveat.training.kinds.decision.labels import shares_words


def labelled(number: int, marks: float = 1.0) -> LabelledConditions:
    """An answer with a clause that the reader marks where it is a condition, and a rule that never is one."""
    cue = number % 2
    found = (
        OpenCondition(Atom("you are 18"), {"marked": 1.0, "marked: condition": marks * (0.1 + 0.8 * cue)}),
        OpenCondition(Atom("it rains"), {"rule": 1.0, "rule: condition": 0.1 * marks}),
    )
    return LabelledConditions(found, (bool(cue), False), bool(cue), f"source {number}")


def test_what_the_reader_marks_is_stated() -> None:
    samples = [labelled(number) for number in range(80)]
    weights = fitted_conditions(samples, 0.1)
    for each in samples:
        assert [is_stated(one.features, weights) for one in each.found] == list(each.right)
    assert measured_conditions(samples, 0.1, 5) == {
        "right answers": 80,
        "need a condition": 40,
        "stated where needed": 100.0,
        "with a condition": 40,
        "with false ones alone": 0.0,
    }


def test_a_reader_that_marks_none_leaves_it_to_rules() -> None:
    samples = [labelled(number, marks=0.0) for number in range(20)]
    assert fitted_conditions(samples, 0.1) == {}
    figures = measured_conditions(samples, 0.1, 5)
    assert (figures["with a condition"], figures["with false ones alone"]) == (20, 100.0)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("within 72 hours", "if you cancel within 72 hours of booking", True),
        ("you are a member", "you rent a garden", False),
        ("经学校核准", "得经学校核准", True),
        ("", "you rent", False),
    ],
)
def test_clauses_that_say_the_same(one: str, other: str, same: bool) -> None:
    assert shares_words(one, other) is same
