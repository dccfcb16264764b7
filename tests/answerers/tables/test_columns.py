from __future__ import annotations

import math

import pytest

from caveat.answerers.tables.columns import ColumnKind, columns_of, key_column, total_rows
from caveat.core.records import Table


def table(name: str, *cells: str) -> Table:
    return Table((name,), tuple((cell,) for cell in cells))


@pytest.mark.parametrize(
    ("name", "cells", "kind", "values"),
    [
        ("Price", ("$3", "1,200", "–"), "number", [3, 1200, math.nan]),
        ("Share", ("12 %", "7 %", "n/a"), "number", [12, 7, math.nan]),
        ("Preis", ("3,5", "4,25", "10"), "number", [3.5, 4.25, 10]),
        ("人口", ("3.2万", "5.6万"), "number", [32_000, 56_000]),
        ("Place", ("1st", "T2", "T2"), "number", [1, 2, 2]),
        ("Built", ("1874", "1902"), "date", [18740000, 19020000]),
        ("Passengers", ("1874", "902", "310"), "number", [1874, 902, 310]),
        ("Date", ("12 May 2010", "June 2011"), "date", [20100512, 20110600]),
        ("线路", ("1号线", "2号线", "机场快线"), "text", None),
        ("Score", ("3–1", "2–2"), "text", None),
        ("Artist", ("50 Cent", "2 Unlimited", "10 Years", "4 Non Blondes", "98 Degrees"), "text", None),
        ("Empty", ("", "-"), "text", None),
    ],
)
def test_kinds_and_values(
    name: str, cells: tuple[str, ...], kind: ColumnKind, values: list[float] | None
) -> None:
    (column,) = columns_of(table(name, *cells))
    assert column.kind == kind
    if values is not None:
        assert column.values.tolist() == pytest.approx(values, nan_ok=True)


def test_ranks_and_row_numbers() -> None:
    rank, number, points = columns_of(
        Table(("Rank", "No.", "Points"), (("1", "1", "12"), ("2", "2", "9"), ("3", "3", "9")))
    )
    assert rank.is_rank
    assert not rank.is_index
    assert number.is_index
    assert not points.is_index


def test_the_key_is_a_name_before_it_is_a_code() -> None:
    rows = (("A01", "Vase", "Song"), ("A02", "Bowl", "Song"), ("A03", "Mirror", "Tang"))
    assert key_column(columns_of(Table(("Code", "Name", "Age"), rows))) == 1
    assert key_column(columns_of(Table(("Code",), (("A01",), ("A02",))))) == 0


@pytest.mark.parametrize("word", ["Total", "Totals", "Grand total", "Total for the north:", "合计", "总计"])
def test_rows_that_sum_up_others(word: str) -> None:
    totals = total_rows(
        columns_of(Table(("Party", "Votes"), (("Reds", "3"), (word, "3"), ("Total Recall", "9"))))
    )
    assert totals.tolist() == [False, True, False]


def test_columns_beyond_the_headers() -> None:
    columns = columns_of(Table(("a",), (("1", "x"), ("2",))))
    assert [column.cells for column in columns] == [["1", "2"], ["x", ""]]


def _totals(*rows: tuple[str, ...]) -> list[str]:
    table = Table(("Place", "People"), rows)
    columns = columns_of(table)
    return [row[0] for row, total in zip(rows, total_rows(columns), strict=True) if total]


def test_the_whole_and_its_groups_are_no_rows_like_the_others() -> None:
    places = (("Japan", "125"), ("Peru", "33"), ("Chad", "17"), ("Fiji", "1"), ("Malta", "0.5"))
    assert _totals(*places, ("World", "8000")) == ["World"]
    assert _totals(*places, ("World", "8000"), ("Asia", "4700"), ("Low income", "700")) == [
        "World",
        "Asia",
        "Low income",
    ]
    # Where all are parts of the world, they are what the table is about.
    assert _totals(("World", "8000"), ("Asia", "4700"), ("Africa", "1400"), ("Europe", "740")) == ["World"]
    assert _totals(("东县", "120"), ("西县", "340"), ("全国", "460")) == ["全国"]
    assert _totals(*places, ("All countries", "177")) == ["All countries"]
    # A newspaper of that name is no total.
    assert _totals(("Herald", "900"), ("World", "300"), ("Courier", "500")) == []


def test_a_column_of_codes_does_not_say_what_a_row_is_about() -> None:
    columns = columns_of(Table(("Symbol", "Firm"), (("ABO", "Abbot Oil"), ("COR", "Corn Mill"))))
    assert key_column(columns) == 1
