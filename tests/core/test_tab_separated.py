from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.core.errors import InputError
from caveat.core.tab_separated import read_rows, write_rows


def test_reads_columns_with_line_numbers_and_passes_over_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tb\r\n\r\n\tc\r\n")
    assert list(read_rows(path)) == [(1, ["a", "b"]), (3, ["", "c"])]


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\r"])
def test_text_that_would_not_come_back_is_refused_and_no_file_is_left(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.tsv"
    with pytest.raises(InputError, match="line 2"):
        write_rows(path, [("fine", "fine"), ("x", text)])
    assert list(tmp_path.iterdir()) == []


@settings(deadline=None, max_examples=60)
@given(rows=st.lists(st.tuples(st.text(), st.text())))
def test_what_is_written_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "rows.tsv"
    try:
        write_rows(path, rows)
    except InputError:
        assert any(character in text for row in rows for text in row for character in "\t\n\r\ufeff")
    else:
        assert [tuple(row) for _, row in read_rows(path)] == rows
