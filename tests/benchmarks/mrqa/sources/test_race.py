from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

ARTICLE = "Every spring the ferry is\npainted red.  Old Tom does it alone."


def passage(id: str = "high7.txt", **changes: Any) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": id,
        "article": ARTICLE,
        "questions": [
            "What colour is the ferry?",
            "Tom paints the ferry  _  .",
            "Which of the following is true?",
            "Why does Tom do it?",
        ],
        "options": [
            ["Blue.", "Red.", "Green.", "White."],
            ["alone", "twice", "badly", "fast"],
            ["Tom is old.", "Tom is rich.", "Tom is ill.", "Tom is young."],
            ["He is paid.", "He is bored.", "He is asked.", "He likes it."],
        ],
        "answers": ["B", "A", "A", "D"],
    }
    return {**value, **changes}


def write(path: Path, *values: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def test_json_lines(tmp_path: Path) -> None:
    drops = Drops()
    path = write(tmp_path / "dev.jsonl", passage(), passage("middle3.txt"))
    [context] = convert_source("race", path, drops)
    # Line ends and double blanks become single blanks, as in the shared task's copy.
    assert context.context == "Every spring the ferry is painted red. Old Tom does it alone."
    [question] = context.questions
    assert (question.question, question.answers) == ("What colour is the ferry?", ("Red.",))
    assert question.extra["id"] == "high7.txt:0"
    [detected] = question.detected
    # "Red." is found as "red." (34 to 38): the full stop is the answer's own.
    assert [context.context[place.start : place.end] for place in detected.places] == ["red."]
    assert [(place.start, place.end) for place in detected.places] == [(34, 38)]
    assert drops.counts == {
        "cloze question": 1,
        "question depends on its options": 1,
        "no answer within the first 800 tokens": 1,
        "middle-school passage": 4,
    }
    assert drops.examples["cloze question"] == ["high7.txt:1"]
    assert drops.examples["middle-school passage"] == ["middle3.txt:0", "middle3.txt:1", "middle3.txt:2"]


def test_folder_as_published(tmp_path: Path) -> None:
    drops = Drops()
    # Without an id the folder tells the level.
    write(tmp_path / "RACE" / "dev" / "middle" / "3.txt", passage(""))
    write(tmp_path / "RACE" / "dev" / "high" / "10.txt", passage("high10.txt"))
    write(tmp_path / "RACE" / "dev" / "high" / "9.txt", passage("high9.txt"))
    (tmp_path / "RACE" / "readme.txt").write_text("About this data.")
    contexts = list(convert_source("race", tmp_path / "RACE", drops))
    assert [context.extra["id"] for context in contexts] == ["high9.txt", "high10.txt"]
    assert drops.counts["middle-school passage"] == 4


def test_single_file_of_the_folder(tmp_path: Path) -> None:
    drops = Drops()
    path = tmp_path / "high" / "9.txt"
    path.parent.mkdir()
    path.write_text(json.dumps(passage(), indent=2))
    assert len(list(convert_source("race", path, drops))) == 1


def test_archive_as_published(tmp_path: Path) -> None:
    path = tmp_path / "RACE.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("RACE/dev/high/1.txt", "RACE/dev/middle/1.txt", "RACE/.DS_Store"):
            data = json.dumps(passage("")).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    drops = Drops()
    [context] = convert_source("race", path, drops)
    assert [q.extra["id"] for q in context.questions] == ["RACE/dev/high/1.txt:0"]
    assert drops.counts["middle-school passage"] == 4


def test_subset_in_squad_layout(tmp_path: Path) -> None:
    questions = [
        {"id": "a", "question": "What is the best title?", "answers": [{"text": "red", "answer_start": 34}]},
        {"id": "b", "question": "Tom is _ .", "answers": [{"text": "Old", "answer_start": 39}]},
    ]
    value = {"data": [{"title": "x", "paragraphs": [{"context": ARTICLE, "qas": questions}]}]}
    drops = Drops()
    [context] = convert_source("race", write(tmp_path / "race.json", value), drops)
    # It has been filtered already and has no options to depend on.
    assert [question.extra["id"] for question in context.questions] == ["a"]
    assert drops.counts == {"cloze question": 1}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answers": ["B", "A", "A"]}, "4 questions, 4 lists of options and 3 answers"),
        ({"answers": ["B", "A", "A", "F"]}, "the answer is 'F', expected the letter of one of 4 options"),
        ({"answers": ["B", "A", "A", ""]}, "the answer is ''"),
        ({"answers": ["B", "A", "A", "AB"]}, "the answer is 'AB'"),
        ({"article": 3}, "expected `str`, got `int`"),
    ],
)
def test_bad_passages(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    path = write(tmp_path / "dev.jsonl", passage(), passage("high8.txt", **changes))
    with pytest.raises(InputError, match=r"line 2, id high8\.txt") as caught:
        list(convert_source("race", path, Drops()))
    assert problem in str(caught.value)


def test_folder_without_passages(tmp_path: Path) -> None:
    (tmp_path / "readme.txt").write_text("Nothing here.")
    with pytest.raises(InputError, match="has no RACE passages"):
        list(convert_source("race", tmp_path, Drops()))


def test_takes_no_companion(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs no documents"):
        convert_source("race", tmp_path, Drops(), tmp_path)
