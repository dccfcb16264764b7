from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

QUESTIONS = (
    "1\tfactoid\tHow deep is Lake Orla? \t1,?20[0-9]\\s*f(ee|oo)t|366 m\n"
    "2\tfactoid\tWho mapped the lake?\tBrook(e)?\n"
    "3\tfactoid\tWhat do zebras eat?\tgrass\n"
    "4\tfactoid\tWhich lake is deep?\tLake Holm\n"
)


def write_lines(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "curated.tsv"
    path.write_text(QUESTIONS)
    return path


def test_passages_of_each_question(tmp_path: Path, questions: Path) -> None:
    documents = write_lines(
        tmp_path / "passages.jsonl",
        {"qid": 1, "passages": ["Lake Orla is 1,200 Feet deep.", "It is 366 m, or 1200 feet."]},
        {"qid": "2", "passages": [{"title": "Maps", "text": "Ada Brook mapped it. Brookes did not."}]},
        {"qid": "3", "passages": []},
    )
    drops = Drops()
    first, second = convert_source("trec", questions, drops, documents)
    assert first.context == "[DOC] [PAR] Lake Orla is 1,200 Feet deep. [PAR] It is 366 m, or 1200 feet."
    [asked] = first.questions
    assert (asked.question, asked.extra["id"]) == ("How deep is Lake Orla?", "1")
    # Each string that the pattern matches is an answer of its own, whatever its case.
    assert asked.answers == ("1,200 Feet", "366 m", "1200 feet")
    assert [(d.text, [(p.start, p.end) for p in d.places]) for d in asked.detected] == [
        ("1,200 Feet", [(25, 35)]),
        ("366 m", [(54, 59)]),
        ("1200 feet", [(64, 73)]),
    ]
    assert second.context == "[DOC] [TLE] Maps [PAR] Ada Brook mapped it. Brookes did not."
    # A match within a word ("Brookes") does not count.
    assert [(d.text, len(d.places)) for d in second.questions[0].detected] == [("Brook", 1)]
    assert drops.counts == {"no passage shares a word with the question": 2}
    assert drops.examples == {"no passage shares a word with the question": ["3", "4"]}


def test_passages_searched_for(tmp_path: Path, questions: Path) -> None:
    documents = write_lines(
        tmp_path / "passages.jsonl",
        {"id": "p0", "text": "Bread is baked at night."},
        {"id": "p1", "text": "The lake was mapped by Brooke."},
        {"id": "p2", "text": "Lake Orla is deep: 1203 foot."},
    )
    drops = Drops()
    first, second = convert_source("trec", questions, drops, documents)
    assert first.context == (
        "[DOC] [PAR] Lake Orla is deep: 1203 foot. [PAR] Bread is baked at night. "
        "[PAR] The lake was mapped by Brooke."
    )
    assert second.questions[0].answers == ("Brooke",)
    assert drops.counts == {
        "no passage shares a word with the question": 1,
        "no answer within the first 800 tokens": 1,
    }


def test_plain_text(tmp_path: Path, questions: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("Bread is\nbaked at night.\n\n\nLake Orla is\n366 m deep.\n")
    (folder / "b.txt").write_text("filler " * 100 + "who mapped it was Brook")
    first, second = convert_source("trec", questions, Drops(), folder)
    assert first.context.startswith("[DOC] [PAR] Lake Orla is 366 m deep. [PAR] ")
    # The long paragraph has become two passages; only the second shares words with the question.
    assert second.context.startswith("[DOC] [PAR] who mapped it was Brook [PAR] ")
    assert "filler" not in second.context


def test_patterns_in_a_file_of_their_own(tmp_path: Path) -> None:
    questions = tmp_path / "trec1999-q.tsv"
    questions.write_text("1\tfactoid\tWho mapped the lake? \n2\tfactoid\tWho swam in the lake?\n")
    documents = write_lines(tmp_path / "passages.jsonl", {"text": "The lake was mapped by Ada and Brook."})
    with pytest.raises(InputError, match="has no answer patterns"):
        list(convert_source("trec", questions, Drops(), documents))
    # As published: an empty first line, several patterns for an id, none for another.
    (tmp_path / "trec1999-p.tsv").write_text("\t\n1\tAda\n1\tBrook\n")
    drops = Drops()
    [context] = convert_source("trec", questions, drops, documents)
    assert context.questions[0].answers == ("Ada", "Brook")
    assert drops.counts == {"no answer pattern": 1}


def test_invalid_pattern(tmp_path: Path, questions: Path) -> None:
    questions.write_text(QUESTIONS + "9\tfactoid\tWho?\tA(da|Brook\n")
    documents = write_lines(tmp_path / "passages.jsonl", {"text": "Ada"})
    drops = Drops()
    list(convert_source("trec", questions, drops, documents))
    assert drops.examples["the answer pattern is not a regular expression"] == ["9"]


def test_bad_input(tmp_path: Path, questions: Path) -> None:
    with pytest.raises(InputError, match="give passages"):
        list(convert_source("trec", questions, Drops()))
    bad = write_lines(tmp_path / "bad.jsonl", {"text": "Ada"}, {"id": "p1"})
    with pytest.raises(InputError, match="line 2: expected a passage with `text`, or `qid` with `passages`"):
        list(convert_source("trec", questions, Drops(), bad))
    empty = tmp_path / "none"
    empty.mkdir()
    with pytest.raises(InputError, match="has no passages"):
        list(convert_source("trec", questions, Drops(), empty))
    good = write_lines(tmp_path / "good.jsonl", {"text": "Ada"})
    questions.write_text("1\tfactoid\n")
    with pytest.raises(InputError, match="line 1: expected id, type, question and answer pattern"):
        list(convert_source("trec", questions, Drops(), good))
