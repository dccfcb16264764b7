"""Triples in CSV and TSV: headings, quotes, and rows that are no triples."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.sources.triple_tables import heading_columns, read_csv_table, read_tsv_table


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        (["subject", "predicate", "object"], (0, 1, 2)),
        (["id", "Value", " Entity", "Attribute"], (2, 3, 1)),
        (["头实体", "关系", "尾实体"], (0, 1, 2)),
        (["Ada", "born in", "Old Town"], None),
        (["subject", "subject", "object"], None),
    ],
)
def test_headings(row: list[str], columns: tuple[int, int, int] | None) -> None:
    assert heading_columns(row) == columns


def test_csv_with_quotes_and_line_breaks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('Ada,motto,"first, ""second""\nthird"\n\nAda , born ,1815\r\n', "utf-8", newline="")
    assert list(read_csv_table(path)) == [
        Triple("Ada", "motto", 'first, "second"\nthird'),
        Triple("Ada", "born", "1815"),
    ]


def test_columns_in_the_order_of_the_headings(tmp_path: Path) -> None:
    csv, tsv = tmp_path / "x.csv", tmp_path / "x.tsv"
    csv.write_text("id,value,entity,attribute\n1,46米,青石桥,长度\n", "utf-8")
    tsv.write_text("value\tentity\tattribute\tnote\n46米\t青石桥\t长度\tabout\n", "utf-8")
    assert list(read_csv_table(csv)) == list(read_tsv_table(tsv)) == [Triple("青石桥", "长度", "46米")]


def test_without_headings_a_tab_belongs_to_the_object(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text('a\tb\t"c\td"\n')
    assert list(read_tsv_table(path)) == [Triple("a", "b", '"c\td"')]


def test_bad_rows_have_the_numbers_of_their_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b,"c\nd"\na,b\na,,c\na,b,c,d\n"a"x,b,c\na,b,c\n')
    bad: list[int] = []
    found = list(read_csv_table(path, lambda number, text: bad.append(number)))
    assert [triple.object for triple in found] == ["c\nd", "c"]
    assert bad == [3, 4, 5, 6]
    with pytest.raises(
        InputError, match=r"line 3: expected subject, predicate and object, none empty, with commas"
    ):
        list(read_csv_table(path))


def test_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b,c\na,b,"open\na,b,c\n')
    bad: list[int] = []
    assert len(list(read_csv_table(path, lambda number, text: bad.append(number)))) == 1
    assert bad == [2]
