from __future__ import annotations

import gzip
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.benchmarks.shared.checks import IdLines
from caveat.benchmarks.squad.task import check


def test_ids_are_found_where_they_stand(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{\n"id": "a",\n"other": "id",\n"id" : 7, "id":\n  "b"\n}', encoding="utf-8")
    lines = IdLines(path, "id")
    assert [lines.next(id) for id in ("b", "7", "a", "c")] == [5, 4, 2, None]


def test_the_same_id_is_given_in_the_files_order(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('[{"id": "a"},\n{"id": "b"},\n{"id": "a"}]')
    lines = IdLines(path, "id")
    assert [lines.next(id) for id in ("a", "b", "a", "a")] == [1, 2, 3, None]


def test_text_that_looks_like_a_key_is_text(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"context": 'a "id": "a" \\'}, {"id": "a"}], indent=0))
    assert IdLines(path, "id").next("a") == 6


def test_escapes_other_keys_gzip_and_standard_input(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(b'[{"query_id": "\\u6d77\\"x"},\n{"id": 1, "context_id": "c"}]'))
    lines = IdLines(path, "id", "query_id")
    assert [lines.next(id) for id in ('海"x', "1", "c")] == [1, 2, None]
    assert IdLines("-", "id").next("1") is None


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.lists(st.text(max_size=5)), text=st.text(max_size=20), indent=st.sampled_from([None, 0, 2]))
def test_every_record_gets_its_own_line(tmp_path, ids, text, indent):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"text": text, "id": id} for id in ids], indent=indent), encoding="utf-8")
    lines = IdLines(path, "id")
    # Indented, record n begins on line 2 + 4 n and its id follows two lines later; else all is on line 1.
    expected = [1 if indent is None else 4 + 4 * n for n in range(len(ids))]
    assert [lines.next(id) for id in ids] == expected


def test_one_line_of_json_is_line_1(tmp_path):
    path = tmp_path / "x.json"
    qas = [{"id": "q", "question": "", "answers": [{"text": "a"}]}]
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "a", "qas": qas}]}]}))
    assert [str(finding) for finding in check(path)] == [
        f"{path}:1: q: the question is empty [empty-question]"
    ]
