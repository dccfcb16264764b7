from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.grid import ReadTable, column_names, invented_name, is_invented

Read = Callable[..., ReadTable]


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


def test_a_table_without_header(read: Read) -> None:
    found = read("people.csv", "Ann,31\nBob,42\nCleo,27\n")
    assert found.without_header
    assert found.table.headers == ("column 1", "column 2")
    assert len(found.table.rows) == 3


def test_years_may_be_names_of_columns(read: Read) -> None:
    assert read("k.csv", "Country,2001,2002\nArvo,10,20\nSenn,30,40\n").table.headers == (
        "Country",
        "2001",
        "2002",
    )


def test_a_number_like_a_year_is_no_name_in_a_row_of_data(read: Read) -> None:
    assert read("a.csv", "Lindholm,1200,1890\nArvo,340,1902\nRauma,5100,1755\n").without_header


def test_texts_alone_have_a_header_unless_it_recurs(read: Read) -> None:
    assert not read("a.csv", "Name,Town\nAnn,Skeld\nBob,Carrow\n").without_header
    assert read("b.csv", "Ann,Skeld\nBob,Skeld\nCleo,Carrow\n").without_header


def test_ragged_rows_are_padded_and_counted(read: Read) -> None:
    found = read("ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert found.table.headers == ("a", "b", "c", "column 4")
    assert found.table.rows == (("1", "2", "3", ""), ("4", "5", "", ""), ("6", "7", "8", "9"))
    assert found.ragged == 2


def test_titles_blank_rows_and_empty_columns(read: Read) -> None:
    found = read("report.csv", "Sales 2020,,\n\nitem,price,\ntea,3,\n,,\nmilk,4,\n")
    assert found.table.caption == "report: Sales 2020"
    assert (found.table.headers, found.table.rows) == (("item", "price"), (("tea", "3"), ("milk", "4")))


def test_the_same_name_twice(read: Read) -> None:
    assert read("twice.csv", "team,score,score\nArvo,1,2\nSenn,3,4\n").table.headers == (
        "team",
        "score",
        "score (2)",
    )


def test_a_header_alone_and_one_column(read: Read) -> None:
    assert read("head.csv", "a,b\n").table.rows == ()
    assert read("one.csv", "town\nSkeld\nCarrow\n").table.rows == (("Skeld",), ("Carrow",))


def test_200_000_rows(read: Read) -> None:
    lines = "".join(f"{number},name {number},Italy\n" for number in range(200_000))
    found = read("large.csv", f"id,name,country\n{lines}")
    assert len(found.table.rows) == 200_000
    # Each text is kept once.
    assert found.table.rows[0][2] is found.table.rows[-1][2]
