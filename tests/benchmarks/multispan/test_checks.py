from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.multispan.checks import check
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
