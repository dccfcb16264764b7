from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.column_names import column_names, invented_name, is_invented


def test_columns_without_a_name_are_numbered() -> None:
    assert column_names(["Name", "", " "]) == ("Name", "column 2", "column 3")
    assert is_invented("column 2", 1)
    assert not is_invented("column 2", 0)


def test_the_same_name_twice_is_told_apart() -> None:
    assert column_names(["Score", "Score", "Score"]) == ("Score", "Score (2)", "Score (3)")
    assert column_names(["Score", "Score (2)", "Score"]) == ("Score", "Score (2)", "Score (3)")


@given(st.lists(st.sampled_from(["", "a", "a (2)", "column 1", "column 2", "b\nc"]), max_size=8))
def test_names_are_different_and_as_many(names: list[str]) -> None:
    found = column_names(names)
    assert len(found) == len(names) == len(set(found))
    assert all(found)
    assert invented_name(0) == "column 1"
