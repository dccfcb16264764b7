from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import encode, read_json, read_json_lines, write_json, write_json_lines


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


@pytest.mark.parametrize(
    ("content", "problem", "line"),
    [
        # A value of the wrong type, and the JSON is broken after it.
        ('{"q1": 1,\n"q2" "x"}', "broken JSON: expecting ':' delimiter (column 6)", 2),
        ('{"q1": "a",\n"q2": "\\ud83d x"}', r"broken JSON: \ud83d is half of a surrogate pair", 2),
        ('{"q1": "\\\\ud83d \\ud83d\\ude00",\n"q2": "\\udc00"}', r"broken JSON: \udc00 is half", 2),
        ('{"q1":\n1e999}', "number out of range", 1),
        ('{"q1": ' + "9" * 5000 + "}", "number out of range", 1),
        ("[" * 100_000, "the JSON is nested too deeply", None),
        ('{"q1": "a\0b"}', "broken JSON: invalid control character", 1),
        ('{"q1": "a"}\n{"q2": "b"}', "broken JSON: extra data (column 1)", 2),
    ],
)
def test_what_is_no_prediction_file(tmp_path: Path, content: str, problem: str, line: int | None) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_json(path, dict[str, str])
    assert caught.value.problem.startswith(problem)
    assert caught.value.line == line


def test_a_line_that_is_nested_too_deeply(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("{}\n" + '{"a":' * 5000)
    with pytest.raises(InputError, match=r"deep\.jsonl, line 2: the JSON is nested too deeply"):
        [*read_json_lines(path, dict)]


def test_pairs_of_surrogates_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(r'{"q1": "\ud83d\ude00"}')
    assert read_json(path, dict[str, str]) == {"q1": "😀"}


def test_numbers_beyond_64_bits_come_back(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"n": 10**30})
    assert read_json(tmp_path / "a.json", dict) == {"n": 10**30}


def test_text_that_is_no_unicode_is_written_escaped() -> None:
    assert encode({"file": "a\udcff"}) == '{"file":"a\\udcff"}'


def test_what_is_nested_too_deeply_is_not_written(tmp_path: Path) -> None:
    value: list[object] = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(CaveatError, match="nested too deeply"):
        write_json(tmp_path / "a.json", value)
    assert [*tmp_path.iterdir()] == []
