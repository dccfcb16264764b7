from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.benchmarks.cmqa.task import count

# Characters:   0123456789
TEA = "口渴时喝茶，如绿茶。"
SAMPLES = [
    {
        "context": TEA + "\n ",  # ten characters and blanks around them
        "question": " 喝什么好\n",
        "condition": [["口渴时", [0, 3]]],
        "coarse": [["茶", [4, 5]]],
        "fine": [["绿茶", [7, 9]]],
        "condition_coarse": [[["口渴时", "茶"], [[0, 3], [4, 5]]]],
        "condition_fine": [],
        "coarse_fine": [[["茶", "绿茶"], [[4, 5], [7, 9]]]],
    },
    {
        "context": "红茶和绿茶",
        "question": "有哪些茶",
        "fine": [["红茶", [0, 2]], ["绿茶", [3, 5]]],
    },
    {
        "context": "冷时红茶，热时绿茶",
        "question": "喝什么茶",
        "condition": [["冷时", [0, 2]], ["热时", [5, 7]]],
        "fine": [["红茶", [2, 4]], ["绿茶", [7, 9]]],
        "condition_fine": [
            [["冷时", "红茶"], [[0, 2], [2, 4]]],
            [["热时", "绿茶"], [[5, 7], [7, 9]]],
        ],
    },
    {"context": "水", "question": "好茶"},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "tea.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in SAMPLES), encoding="utf-8")
    return path


def test_counts(data: Path) -> None:
    assert count(data).counts == {
        "samples": 4,
        "conditional": 2,
        "hierarchical": 1,
        "several_answers": 3,
        "spans": 9,
        "relations": 4,
        "labels": 13,
        "condition": 3,
        "coarse": 1,
        "fine": 5,
        "condition_coarse": 1,
        "condition_fine": 2,
        "coarse_fine": 1,
    }


def test_lengths_spans_and_relations(data: Path) -> None:
    tables = {table.name: table.rows for table in count(data).tables}
    assert tables["Lengths in characters"] == (
        ("contexts", 4, 25 / 4, 7.0, 10),  # 10, 5, 9, 1
        ("questions", 4, 14 / 4, 4.0, 4),  # 4, 4, 4, 2
        ("condition spans", 3, 7 / 3, 2.0, 3),
        ("coarse spans", 1, 1.0, 1.0, 1),
        ("fine spans", 5, 2.0, 2.0, 2),
    )
    assert tables["Spans"] == (
        ("condition", 3, 2, 3 / 4, 2),
        ("coarse", 1, 1, 1 / 4, 1),
        ("fine", 5, 3, 5 / 4, 2),
        ("all", 9, 3, 9 / 4, 4),
    )
    assert tables["Relations"] == (
        ("condition-coarse", 1, 1, 1 / 4, 1),
        ("condition-fine", 2, 1, 2 / 4, 2),
        ("coarse-fine", 1, 1, 1 / 4, 1),
    )


def test_samples_are_divided_by_the_types_of_their_spans(data: Path) -> None:
    tables = {table.name: table.rows for table in count(data).tables}
    assert tables["Samples by the types of their spans"] == (
        ("condition + coarse + fine", 1, 25.0),
        ("condition + coarse", 0, 0.0),
        ("condition + fine", 1, 25.0),
        ("condition", 0, 0.0),
        ("coarse + fine", 0, 0.0),
        ("coarse", 0, 0.0),
        ("fine", 1, 25.0),
        ("none", 1, 25.0),
    )


def test_spans_by_question_type(data: Path) -> None:
    rows = {row[0]: row[1:] for row in count(data).tables[4].rows}
    # 喝什么好 has 1 condition, 1 coarse, 1 fine; 喝什么茶 has 2 and 2.
    assert rows["what"] == (2, 50.0, 1.5, 0.5, 1.5)
    assert rows["which"] == (1, 25.0, 0.0, 0.0, 2.0)
    assert rows["no question word"] == (1, 25.0, 0.0, 0.0, 0.0)
    assert rows["why"] == (0, 0.0, None, None, None)


def test_histograms_leave_out_what_does_not_occur(data: Path) -> None:
    drawn = {histogram.name: histogram.counts for histogram in count(data).histograms}
    assert drawn["Samples by number of spans"] == {"0": 1, "1": 0, "2": 1, "3": 1, "4": 1}
    assert drawn["Samples by question type"] == {"which": 1, "what": 2, "no question word": 1}
    assert "condition" not in drawn["Samples by the types of their spans"]


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("", encoding="utf-8")
    counted = count(path)
    assert counted.counts["samples"] == counted.counts["labels"] == 0
    assert counted.tables[1].rows[0] == ("condition", 0, 0, None, None)
