from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.delimited import is_delimited, read_delimited
from caveat.sources.grid import ReadTable

Read = Callable[..., ReadTable]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_parts_the_cells_is_told_by_the_content(read: Read, delimiter: str) -> None:
    lines = [
        ["Bank", "Head office", "Price"],
        ["Union, Credit", "Lindholm", "3.50"],
        ["Valley", "Skeld", "4"],
    ]
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(lines)
    found = read("banks.csv", stream.getvalue())
    assert found.table.headers == ("Bank", "Head office", "Price")
    assert found.table.rows == (("Union, Credit", "Lindholm", "3.50"), ("Valley", "Skeld", "4"))
    assert found.table.caption == "banks"
    assert not found.without_header
    assert found.ragged == 0


def test_a_decimal_comma_parts_no_cells(read: Read) -> None:
    assert read("prices.csv", "item;price\ntea;3,5\nmilk;4,25\n").table.rows == (
        ("tea", "3,5"),
        ("milk", "4,25"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_encodings(read: Read, encoding: str) -> None:
    found = read("cities.csv", "城市,人口\n青石镇,3.2万\n柳河镇,5.6万\n", encoding)
    assert found.table.headers == ("城市", "人口")
    assert found.table.rows[1] == ("柳河镇", "5.6万")


def test_gzip_and_excels_first_line(read: Read) -> None:
    found = read("plain.csv.gz", gzip.compress(b"sep=;\r\na;b\r\n1;2\r\n"))
    assert (found.table.headers, found.table.rows, found.table.caption) == (
        ("a", "b"),
        (("1", "2"),),
        "plain",
    )


def test_quotation_marks(read: Read) -> None:
    found = read("quotes.csv", 'name,note\n"Holm, Little","two\nlines"\n"say ""yes""",5" pipe\n')
    assert found.table.rows == (("Holm, Little", "two lines"), ('say "yes"', '5" pipe'))


def test_a_quotation_mark_that_nobody_closed(read: Read) -> None:
    found = read("open.tsv", 'a\tb\n"open\t1\n' + "c\t2\n" * 300)
    assert found.table.rows[:2] == (('"open', "1"), ("c", "2"))
    assert len(found.table.rows) == 301


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Town,People\nArvo,340\n", True),
        ("Town;People\nArvo;340\n", True),
        ("Town\tPeople\nArvo\t340\nRauma\n", False),
        ("Town, People\nArvo, 340\nRauma, 5100\n", True),
        ("sep=;\nTown;People\n", True),
        ("Town,People\nArvo,340\nRauma,5100,1755\nSkeld,7\n", True),
        ("Town\nArvo\nRauma\n", False),
        ("Town,People\n", False),
        ("Dear Ann,\nwe came, we saw.\n", False),
        ("We met Ann, Bob and Cleo.\nThey sat, ate and left.\n", False),
        ("First, we wait\nThen, we go\n", False),
        ("他来了,我走了。\n天黑了,灯亮了。\n", False),
        ('Name,Note\nAnn,"one\ntwo"\nBob,three\n', True),
        ("", False),
    ],
)
def test_tables_are_told_from_prose(text: str, expected: bool) -> None:
    assert is_delimited(text) is expected


_CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf"]), max_size=8).map(str.strip)


@given(
    st.lists(st.lists(_CELLS, min_size=3, max_size=3), min_size=2, max_size=6).filter(
        lambda rows: all(rows[0])
    ),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_what_the_csv_module_writes_is_read(rows: list[list[str]], delimiter: str) -> None:
    stream = io.StringIO()
    stream.write(f"sep={delimiter}\n")
    csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    assert read_delimited(stream.getvalue()) == [[" ".join(cell.split("\n")) for cell in row] for row in rows]
