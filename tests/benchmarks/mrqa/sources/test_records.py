from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from caveat.benchmarks.mrqa.sources import open_records
from caveat.core.errors import InputError


class Point(msgspec.Struct):
    x: int


def points(path: Path) -> list[tuple[int, int, int | None]]:
    _, records = open_records(path)
    return [(record.to(Point).x, record.number, record.line) for record in records]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"x": 1}\n\n{"x": 2}\n', [(1, 1, 1), (2, 2, 3)]),
        ('[{"x": 1}, {"x": 2}]', [(1, 1, None), (2, 2, None)]),
        ('[\n {"x": 1},\n {"x": 2}\n]\n', [(1, 1, None), (2, 2, None)]),
        ('{\n "x": 1\n}\n', [(1, 1, None)]),
        ('{\n "x": 1\n}\n{\n "x": 2\n}\n', [(1, 1, 1), (2, 2, 4)]),
        ('{"x": 1}\n{\n "x": 2\n}\n{"x": 3}\n', [(1, 1, 1), (2, 2, 2), (3, 3, 5)]),
    ],
    ids=["lines", "list", "spread list", "one object", "objects over lines", "mixed"],
)
def test_records_in_every_layout(
    tmp_path: Path, text: str, expected: list[tuple[int, int, int | None]]
) -> None:
    (tmp_path / "f.json").write_text(text)
    assert points(tmp_path / "f.json") == expected


def test_the_first_record_tells_the_fields(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('[{"x": 1, "y": 2}, {"z": 3}]')
    assert open_records(tmp_path / "f.json")[0] == {"x", "y"}
    (tmp_path / "f.json").write_text("[1, 2]")
    assert open_records(tmp_path / "f.json")[0] == frozenset()


def test_items_of_a_field(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text('{"data": [{"x": 4}], "version": 1}')
    _, records = open_records(tmp_path / "f.json")
    record = next(records)
    assert [item.to(Point).x for item in record.items("data")] == [4]
    for field in ("version", "absent"):
        with pytest.raises(InputError, match=f"expected a list in `{field}`"):
            list(record.items(field))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no records"),
        ('{"x": 1}\n{"x": 2,}\n', "line 2: broken JSON"),
        ('{"x": 1}\n{"x": 2', "line 2: broken JSON"),
        ('{\n "x": 1\n}\n{\n "x" 2\n}', "line 5: broken JSON: expecting ':' delimiter"),
        ('{"y": 1}\n', "line 1: object missing required field `x`"),
        ('[{"x": 1}, {"y": 1}]', "missing required field `x` in record 2"),
        ('[{"x": 1}, {"id": "q7", "x": "a"}]', "id q7: expected `int`, got `str` at x"),
    ],
)
def test_faults_name_their_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(InputError) as caught:
        points(tmp_path / "f.json")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        # The parser sees the fault on the next line; the third is the one that is cut off.
        ('{"x": 1}\n{"x": 2}\n{"x":\n{"x": 4}\n', r"line 3: broken JSON: expecting value \(column 6\)"),
        ('{"x": 1}\n{"x": "\\ud800"}\n', r"line 2: broken JSON: \\ud800 is half of a surrogate pair"),
        ('{"x": "\\ud800"}\n', r"line 1: broken JSON: \\ud800 is half of a surrogate pair"),
        ('{"x": 1}\n' + '{"x":' * 5000, "line 2: the JSON is nested too deeply"),
        ('{"x": 1}\n{\n"x": ' + "9" * 5000 + "\n}\n{}", r"line 2: .* has too many digits"),
        ("[" * 100_000, "line 1: the JSON is nested too deeply"),
    ],
    ids=["cut off", "surrogate", "surrogate first", "deep", "digits", "deep list"],
)
def test_broken_records(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(InputError, match=rf"f\.json, {problem}"):
        points(tmp_path / "f.json")
