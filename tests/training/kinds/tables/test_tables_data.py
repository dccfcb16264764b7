from __future__ import annotations

import pytest

from caveat.core.records import Table
from caveat.training.kinds.tables.data import TableQuestion, cloze
from caveat.training.kinds.tables.fit import is_right

FARMS = Table(("farm", "county", "cows"), (("old mill", "north", "40"), ("skerry", "west", "15")), "farms")


def test_a_statement_becomes_a_question() -> None:
    assert cloze("the farm have 2 barn", FARMS) == TableQuestion("the farm have how many barn ?", ("2",))
    assert cloze("the most cow be at old mill", FARMS) == TableQuestion(
        "the most cow be at which farm ?", ("old mill",), open=True
    )
    assert cloze("it close in 1998", FARMS) is None


@pytest.mark.parametrize(
    ("text", "answers", "right"),
    [
        ("1,200", ("1200",), True),
        ("$3.5", ("3.50",), True),
        ("Ann; Bob", ("bob", "Ann"), True),
        ("Ann", ("bob", "Ann"), False),
        ("Ann; Bob", ("Ann",), False),
    ],
)
def test_what_is_right(text: str, answers: tuple[str, ...], right: bool) -> None:
    assert is_right(text, TableQuestion("", answers)) is right


def test_more_cells_than_the_one_that_is_known() -> None:
    question = TableQuestion("which farm ?", ("skerry",), open=True)
    assert is_right("old mill; skerry", question) is None
    assert is_right("skerry", question) is True
    assert is_right("old mill", question) is False
