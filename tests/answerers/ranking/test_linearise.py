"""Tables as texts: the rows and columns that matter, wherever they stand."""

from __future__ import annotations

import numpy as np

from caveat.answerers.ranking.evidence import linearise, pieces
from caveat.answerers.ranking.table_features import TableIndex, TableMatch
from caveat.core.records import Table

SMALL = Table(("Ferry", "Port"), (("Gannet", "Lindholm"), ("Tern", "Old Harbour")), "Ferries")


def written(question: str, table: Table, room: int) -> str:
    index = TableIndex()
    match = TableMatch(question, [index.words(table)], index)
    return linearise(table, match.row_evidence(0), match.column_evidence(0), room)


def test_a_small_table_is_written_whole() -> None:
    assert written("who?", SMALL, 50) == "Ferries | Ferry, Port | Gannet, Lindholm | Tern, Old Harbour"


def test_of_a_long_table_the_rows_that_matter_are_written_wherever_they_stand() -> None:
    rows = tuple((f"boat {number}", f"port {number}") for number in range(200_000))
    text = written("where is boat 198765?", Table(("Boat", "Port"), rows, "Boats"), 40)
    assert "boat 198765, port 198765" in text
    # Then the first ones, in the table's order.
    assert text.startswith("Boats | Boat, Port | boat 0, port 0 | ")
    assert text.endswith("boat 198765, port 198765")
    assert pieces(text) <= 45


def test_of_a_wide_table_the_columns_that_matter_are_written() -> None:
    headers = tuple(f"column{chr(97 + number % 26)}{number}" for number in range(300))
    row = tuple(f"cell {number}" for number in range(300))
    text = written("what is column z 285, columnz285?", Table(headers, (row,), "Wide"), 60)
    assert "columnz285" in text
    assert "cell 285" in text
    assert "cell 150" not in text


def test_shapes() -> None:
    assert written("a", Table((), ()), 20) == ""
    assert written("a", Table((), (("a", "b"), ("c",)), "t"), 20) == "t | a, b | c"
    assert written("a", Table(("a", "b"), ()), 20) == " | a, b"
    # A row that does not fit is still written: windows are for that.
    long = Table(("a",), (("word " * 15,),))
    assert "word" in written("a", long, 16)
    assert len(written("a", Table(("a",), (("x" * 500,),)), 16)) < 120


def test_pieces() -> None:
    assert pieces("石桥, bridge 1892") == 2 + 1 + 1 + 2
    assert pieces("") == 0


def test_ties_go_to_the_first_rows() -> None:
    table = Table(("n",), tuple((str(number),) for number in range(100)))
    text = linearise(table, np.zeros(100), np.zeros(1), 12)
    assert text.startswith(" | n | 0 | 1 | 2")
    assert "99" not in text
