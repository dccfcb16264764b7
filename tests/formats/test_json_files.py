from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from caveat.errors import InputError
from caveat.formats.json_files import read_json, read_json_lines, write_json, write_json_lines


class Qa(msgspec.Struct):
    id: str
    answers: list[str]


class Page(msgspec.Struct):
    qas: list[Qa]


def test_writes_what_it_reads(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json.gz", {"答": ["案", 1.5, None]})
    assert read_json(tmp_path / "a.json.gz", dict) == {"答": ["案", 1.5, None]}
    write_json_lines(tmp_path / "b.jsonl", [{"id": "1"}, {"id": "二"}])
    assert [*read_json_lines(tmp_path / "b.jsonl", dict)] == [(1, {"id": "1"}), (2, {"id": "二"})]


def test_broken_json_in_line_40000(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text('{"id": "1", "answers": []}\n' * 39_999 + '{"id": "2", "answers": [}\n')
    with pytest.raises(InputError, match=r"long\.jsonl, line 40000: broken JSON: .*\(column 25\)"):
        [*read_json_lines(path, Qa)]


def test_broken_json_in_a_pretty_file_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_text('{\n "qas": [\n  {"id": "q1" "answers": []}\n ]\n}')
    with pytest.raises(InputError, match=r"page\.json, line 3: broken JSON"):
        read_json(path, Page)


def test_a_missing_key_names_the_nearest_id_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_text('{\n "qas": [\n  {"id": "q1", "answers": []},\n  {"id": "q2"}\n ]\n}')
    with pytest.raises(InputError) as caught:
        read_json(path, Page)
    assert (caught.value.line, caught.value.id) == (4, "q2")
    assert caught.value.problem == "object missing required field `answers` at qas[1]"


def test_a_list_where_a_string_belongs_names_the_id(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text('{"q1": "one",\n"q2": ["two"]}')
    with pytest.raises(InputError) as caught:
        read_json(path, dict[str, str])
    assert str(caught.value) == f"{path}, line 2, id q2: expected `str`, got `array` at q2"


def test_nan_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text('{"a": 1.0,\n "b": NaN}')
    with pytest.raises(InputError, match="line 2: broken JSON: NaN or Infinity"):
        read_json(path, dict[str, float])


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text(" \n")
    with pytest.raises(InputError, match="the file is empty, expected JSON"):
        read_json(path, dict)


def test_a_wrong_type_before_broken_json_is_broken_json(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("0.25\n0.75\n")
    with pytest.raises(InputError, match="broken JSON"):
        read_json(path, dict[str, str])
    path.write_text('{"q1": ["one"],\n"q2": "tw')
    with pytest.raises(InputError, match="line 2: broken JSON"):
        read_json(path, dict[str, str])
