"""An empty cell is no answer."""

from __future__ import annotations

from caveat.answerers.tables.answerer import Tables
from caveat.core.records import Table


def test_a_cell_that_is_empty_says_nothing() -> None:
    table = Table(
        ("City", "Province", "Cases"), (("", "North", "90"), ("Elm", "North", "20"), ("Oak", "South", "30"))
    )
    for question in (
        "Which city in North has the most cases?",
        "Which city has the most cases?",
        "North city",
    ):
        assert all(answer.text.strip() for answer in Tables([table]).answer(question))
