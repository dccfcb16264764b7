"""Questions on the tables of files: the folder, its two parts, and what counts as right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.benchmarks.table_questions import FileQuestion, is_answer, part_of, read
from caveat.core.errors import InputError

ITEM = {
    "id": "1",
    "language": "zh",
    "table": "a/farms.csv",
    "question": "有几头牛？",
    "kind": "count",
    "answers": ["3"],
    "columns": [],
    "where": [],
}


def write(root: Path, **files: str) -> None:
    origin = {"files": {name: {"repository": where} for name, where in files.items()}}
    (root / "origin.json").write_text(json.dumps(origin), encoding="utf-8")
    (root / "items.jsonl").write_text(json.dumps(ITEM), encoding="utf-8")


def test_a_folder_is_read(tmp_path: Path) -> None:
    write(tmp_path, **{"a/farms.csv": "someone/farms"})
    path = tmp_path / "files" / "a" / "farms.csv"
    assert list(read(tmp_path)) == [
        FileQuestion("1", "zh", path, "someone/farms", "有几头牛？", "count", ("3",))
    ]


def test_a_file_of_unknown_origin_is_an_error(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError, match="does not say where"):
        list(read(tmp_path))


def test_a_repository_is_in_one_part() -> None:
    names = [f"someone/data-{number}" for number in range(1000)]
    held_out = sum(part_of(name) == "held-out" for name in names)
    assert 780 < held_out < 850
    assert part_of(names[0]) == part_of(names[0])


@pytest.mark.parametrize(
    ("given", "wanted", "right"),
    [
        (["3.14159"], ["3.14"], True),
        (["3.15"], ["3.14"], False),
        (["1,943"], ["1943.000"], True),
        (["是"], ["yes"], True),
        (["yes"], ["否"], False),
        (["Skeld", "Skerry"], ["Skerry", "Skeld"], True),
        (["Skeld"], ["Skerry", "Skeld"], False),
        ([], [], False),
    ],
)
def test_what_is_right(given: list[str], wanted: list[str], right: bool) -> None:
    assert is_answer(given, wanted) is right
