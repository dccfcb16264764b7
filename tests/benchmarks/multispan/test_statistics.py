from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from caveat.benchmarks.multispan.statistics import count


def example(id: str, label: str | None, **extra: Any) -> dict[str, Any]:
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
            example("1", "BIOB", type="HUM", num_span=2, structure="Conjunction"),
            example(
                "2", "BBOOII", type="HUM", num_span=2, structure="Complex"
            ),  # three: the last begins with I
            example("3", "OBIIO", type="NUM", num_span=1),
            example("4", "OOO", type="NUM"),
            example("5", None),
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
    counted = count(written(tmp_path, example("1", "BOB")))
    assert [table.name for table in counted.tables] == [
        "Examples by number of spans",
        "Lengths in tokens",
        "How many of each",
    ]
