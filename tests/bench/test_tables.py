"""`caveat bench tables`: shares of right denotations, by kind of question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.bench import bench
from caveat.bench.tables import kind_of
from caveat.benchmarks.nlpcc import tbqa_format as tbqa
from caveat.core.errors import InputError, UsageError
from caveat.core.records import Table

MILLS = Table(
    ("Mill", "County", "Sails"),
    (("Skerry", "West", "4"), ("Carrow", "East", "6"), ("Skeld", "West", "5")),
    "mills",
    "mills.csv",
)


def questions(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("utterance\tcontext\ttargetValue", *lines, "")), encoding="utf-8")
    return path


def test_shares_by_kind_and_failures(tmp_path: Path) -> None:
    tbqa.write_tables(tmp_path / "tables.tsv", [MILLS])
    asked = questions(
        tmp_path / "questions.tsv",
        "Which mill has the most sails?\tmills.csv\tCarrow",
        "Which county is Skerry in?\tmills.csv\tWest",
        "How many mills are in the county West?\tmills.csv\t3",
    )
    measured = bench("tables", data={"en": asked}, tables=tmp_path / "tables.tsv", examples=1)
    rows = {row[0]: row[1:5] for row in measured.rows}
    assert rows["all"][0] == 3
    assert rows["all"][1] == "66.7 %"
    assert rows["superlative"] == (1, "100.0 %", "100.0 %", "100.0 %")
    assert rows["count"][1] == "0.0 %"
    assert [note.split(" (")[0] for note in measured.notes] == [
        "count: How many mills are in the county West?"
    ]


def test_so_many_questions_from_the_beginning(tmp_path: Path) -> None:
    tbqa.write_tables(tmp_path / "tables.tsv", [MILLS])
    asked = questions(tmp_path / "questions.tsv", *["Which county is Skerry in?\tmills.csv\tWest"] * 3)
    measured = bench("tables", data={"en": asked}, tables=tmp_path / "tables.tsv", questions=2)
    assert measured.rows[0][:3] == ("all", 2, "100.0 %")


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--tables"):
        bench("tables")
    tbqa.write_tables(tmp_path / "tables.tsv", [MILLS])
    asked = questions(tmp_path / "questions.tsv", "Which?\tfarms.csv\tWest")
    with pytest.raises(InputError, match="no table of this id"):
        bench("tables", data={"en": asked}, tables=tmp_path / "tables.tsv")


def folder_of_files(root: Path, items: list[dict[str, object]]) -> Path:
    (root / "files").mkdir()
    (root / "files" / "mills.csv").write_text(
        "Mill;County;Sails\nSkerry;West;4\nCarrow;East;6\nSkeld;West;5\n", encoding="utf-8"
    )
    origin = {"files": {"mills.csv": {"repository": "someone/mills"}}}
    (root / "origin.json").write_text(json.dumps(origin), encoding="utf-8")
    lines = [json.dumps({"id": str(at), "table": "mills.csv"} | item) for at, item in enumerate(items)]
    (root / "items.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return root


def test_a_folder_of_files_by_kind_and_language(tmp_path: Path) -> None:
    folder = folder_of_files(
        tmp_path,
        [
            {
                "language": "en",
                "question": "Which mill has the most sails?",
                "kind": "argmax",
                "answers": ["Carrow"],
            },
            {
                "language": "en",
                "question": "Which county is Skerry in?",
                "kind": "cell",
                "answers": ["East"],
            },
            {"language": "en", "question": "Wann regnet es?", "kind": "none", "answers": []},
        ],
    )
    measured = bench("tables", folder=folder, examples=1)
    rows = {row[0]: row[1:4] for row in measured.rows}
    assert rows["all"] == (3, "66.7 %", "66.7 %")
    assert rows["en"][0] == 3
    assert rows["zh"][0] == 0
    assert rows["argmax"][1] == "100.0 %"
    assert rows["none"] == (1, "100.0 %", "0.0 %")
    assert [note.split(" — ")[0] for note in measured.notes] == ["cell: 1 Which county is Skerry in?"]


def test_a_folder_and_a_file_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--folder"):
        bench("tables", folder=tmp_path, tables=tmp_path / "tables.tsv")
    with pytest.raises(UsageError, match="--part"):
        bench("tables", part="development")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many mills are there?", "count"),
        ("Which mill has the most sails?", "superlative"),
        ("Which is older, Skerry or Carrow?", "one of two"),
        ("Is Skerry in the West?", "yes or no"),
        ("What is the difference in sails between Skerry and Carrow?", "difference"),
        ("Which mill comes after Skerry?", "next or previous"),
        ("What was the first mill?", "first or last"),
        ("How long was Skerry open?", "how long"),
        ("What is the total of sails?", "sum"),
        ("What is the average of sails?", "average"),
        ("List the mills in the West.", "list"),
        ("Which mill has the same county as Skerry?", "same"),
        ("How many mills were built in a row?", "in a row"),
        ("Which mill was built before 1900?", "comparison"),
        ("Where is Skerry?", "look-up"),
    ],
)
def test_kinds_of_questions(question: str, kind: str) -> None:
    assert kind_of(question) == kind
