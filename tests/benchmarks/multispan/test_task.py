from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.multispan.task import check, count
from caveat.core.errors import InputError


def example(id: str = "m1", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "question": ["what", "swims"],
        "context": ["sea", "otters", "and", "seals"],
        "label": ["B", "I", "O", "B"],
        "num_span": 2,
        **more,
    }


def write(path: Path, *examples: dict[str, Any]) -> Path:
    """The first example on line 2, each next one on the next line."""
    lines = ",\n".join(map(json.dumps, examples))
    path.write_text('{"version": 1.0, "data": [\n' + lines + "\n]}", encoding="utf-8")
    return path


def test_sound_data_gives_no_finding(tmp_path, told):
    unlabelled = {key: example("m2")[key] for key in ("id", "question", "context")}
    path = write(tmp_path / "m.json", example(), unlabelled)
    assert told(check(path), path) == []


BROKEN = {
    "duplicate-id": example("m1"),
    "empty-question": example("m2", question=[]),
    "empty-context": example("m2", context=[], label=None),
    "inside-without-begin": example("m2", label=["I", "I", "O", "I"]),
    "no-span": example("m2", label=["O"] * 4, num_span=0),
    "span-count-mismatch": example("m2", num_span=3),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_the_second_example(rule, tmp_path, told):
    path = write(tmp_path / "m.json", example("m1"), BROKEN[rule])
    assert told(check(path), path) == [(rule, 3, BROKEN[rule]["id"])]


def test_a_stray_i_is_told_with_its_token(tmp_path):
    path = write(tmp_path / "m.json", example(label=["B", "O", "I", "I"]))
    assert [f.message for f in check(path)] == ['token 2, "and", is labelled I with no B before it']


def test_a_file_whose_labels_do_not_fit_its_tokens_cannot_be_read(tmp_path):
    path = write(tmp_path / "m.json", example(label=["B"]))
    with pytest.raises(InputError, match="id m1"):
        list(check(path))


@pytest.mark.shared
def test_the_published_set_is_sound(shared):
    assert list(check(shared / "data/multispan/multispanqa_valid.json.gz")) == []


def labelled(id: str, label: str | None, **extra: Any) -> dict[str, Any]:
    context = ["w"] * (len(label) if label is not None else 4)
    labels = {} if label is None else {"label": list(label)}
    return {"id": id, "question": ["who", "?"], "context": context, **labels, **extra}


def written(folder: Path, *examples: dict[str, Any]) -> Path:
    path = folder / "data.json"
    path.write_text(json.dumps({"version": 1.0, "data": examples}), encoding="utf-8")
    return path


def test_spans_lengths_types_and_structure(tmp_path: Path) -> None:
    counted = count(
        written(
            tmp_path,
            labelled("1", "BIOB", type="HUM", num_span=2, structure="Conjunction"),
            labelled(
                "2", "BBOOII", type="HUM", num_span=2, structure="Complex"
            ),  # three: the last begins with I
            labelled("3", "OBIIO", type="NUM", num_span=1),
            labelled("4", "OOO", type="NUM"),
            labelled("5", None),
        )
    )
    assert counted.counts == {
        "examples": 5,
        "spans": 6,
        "multi_span": 2,
        "single_span": 1,
        "unanswerable": 1,
        "without_labels": 1,
        "wrong_num_span": 1,
    }
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["Examples by number of spans"] == (
        ("0", 1, 25.0),
        ("1", 1, 25.0),
        ("2", 1, 25.0),
        ("3", 1, 25.0),
    )
    assert tables["Lengths in tokens"] == (
        ("contexts", 5, 22 / 5, 4.0, 6),
        ("questions", 5, 2.0, 2.0, 2),
        ("spans", 6, 10 / 6, 1.5, 3),  # 2 and 1; 1, 1 and 2; 3
    )
    assert tables["How many of each"] == (("spans per example", 4, 1.5, 1.5, 3),)
    assert tables["Examples by type of answer"] == (("HUM", 2, 50.0), ("NUM", 2, 50.0))
    assert tables["Examples by structure of answer"] == (("Complex", 1, 50.0), ("Conjunction", 1, 50.0))


def test_a_file_without_types_has_no_table_of_them(tmp_path: Path) -> None:
    counted = count(written(tmp_path, labelled("1", "BOB")))
    assert [table.name for table in counted.tables] == [
        "Examples by number of spans",
        "Lengths in tokens",
        "How many of each",
    ]
