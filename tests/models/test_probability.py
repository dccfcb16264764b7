"""Probabilities of answers and of none."""

from __future__ import annotations

import pytest

from caveat.models.decoding import Candidate
from caveat.models.probability import Choice, Weighed, asked_of_pages


def test_what_is_asked_of_pages_has_an_answer_more_often() -> None:
    place = (0, Candidate("a", 0, 1, 0.0))
    weighed = Weighed((Choice(0.4, (place,)), Choice(0.2, (place,))), 0.4)
    eased = asked_of_pages(weighed, 0.5)
    # 0.4, 0.2 and 0.4 / 2, of 0.8.
    assert [choice.probability for choice in eased.choices] == pytest.approx([0.5, 0.25])
    assert eased.unanswerable == pytest.approx(0.25)
    assert asked_of_pages(weighed, 1.0) == weighed
