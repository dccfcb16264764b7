from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.tokens import fold, stems_of
from caveat.core.records import Table

TABLE = Table(
    ("Name", "Country", "Note"),
    (
        ("Anna Berg", "Italy", "won 1,115 games"),
        ("Jon", "Itälien"),
        ("罗一凡", "湖北", "winner, 2 times\nin Italy's north"),
    ),
    "Players of 2010",
)


def test_words_are_found_in_every_form() -> None:
    prepared = PreparedTable(TABLE)
    assert prepared.cells_with("itali").tolist() == [1, 8]
    assert prepared.cells_with("win").tolist() == [2, 8]
    assert prepared.cells_with("1115").tolist() == [2]
    assert prepared.cells_with("gam").tolist() == [2]
    assert prepared.cells_with("time").tolist() == []
    assert prepared.cells_with("tim").tolist() == [8]


def test_parts_of_words_are_no_words() -> None:
    prepared = PreparedTable(TABLE)
    assert prepared.cells_with("ann").tolist() == []
    assert prepared.cells_with("115").tolist() == []
    assert prepared.cells_with("taly").tolist() == []


def test_chinese_characters_and_pairs() -> None:
    prepared = PreparedTable(TABLE)
    assert prepared.cells_with("凡").tolist() == [6]
    assert prepared.cells_with_text("一凡").tolist() == [6]
    assert prepared.cells_with_text("凡湖").tolist() == []


def test_short_rows_and_empty_tables() -> None:
    assert PreparedTable(TABLE).cell(1, 2) == ""
    assert PreparedTable(Table((), ())).cells_with("x").tolist() == []
    assert PreparedTable(Table(("a",), ())).cells_with("a").tolist() == []


WORDS = st.sampled_from(
    ["games", "Game", "won", "win", "1,115", "1115", "Apr", "April", "北京", "x-ray", "don't", "3a"]
)


@given(st.lists(st.lists(WORDS, max_size=3).map(" ".join), min_size=1, max_size=6))
def test_the_scan_finds_what_the_tokens_say(cells: list[str]) -> None:
    prepared = PreparedTable(Table(("a",), tuple((cell,) for cell in cells)))
    for term in {stem for cell in cells for stem in stems_of(cell)}:
        expected = [row for row, cell in enumerate(cells) if term in stems_of(fold(cell))]
        assert prepared.cells_with(term).tolist() == expected
