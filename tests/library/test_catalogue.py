"""Sources as bytes and back, and their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import InputError
from caveat.core.records import Document, Table
from caveat.library.catalogue import RecordFile, RecordWriter, UniqueNames, packed, unpacked
from caveat.sources.markdown import parse_markdown


@given(st.text(alphabet="ab #-\n春。", max_size=60))
def test_a_document_comes_back_as_it_was(text: str) -> None:
    page = parse_markdown(text)
    assert unpacked(packed(page), page.url) == page


def test_a_table_comes_back_as_it_was() -> None:
    table = Table(("a", "b"), (("1", "2"),), "Caption", "a.csv#2")
    assert unpacked(packed(table), "a.csv#2") == table


def test_copies_are_equal_whatever_their_names() -> None:
    assert packed(Document("x", url="a")) == packed(Document("x", url="b"))


@given(st.lists(st.binary(min_size=1, max_size=100_000), min_size=1, max_size=5))
def test_records_of_a_file(tmp_path_factory: pytest.TempPathFactory, records: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("records")
    with RecordWriter(folder / "records") as writer:
        numbers = [writer.add(record) for record in records]
    held = RecordFile(folder, {"records": None})
    assert [held.read(writer.locations[number]) for number in numbers] == records


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "records") as writer:
        writer.add(b"abc" * 100)
    data = bytearray((tmp_path / "records").read_bytes())
    data[5] ^= 4
    (tmp_path / "records").write_bytes(data)
    with pytest.raises(InputError, match="is damaged, 0 bytes into it"):
        RecordFile(tmp_path, {"records": None}).read(writer.locations[0])


def test_each_source_has_a_name_of_its_own() -> None:
    names = UniqueNames()
    assert [names.take(name) for name in ("fares", "fares", "rules", "fares")] == [
        "fares",
        "fares#1",
        "rules",
        "fares#2",
    ]
