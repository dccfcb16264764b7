from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

SENTENCE = "Ada Brook, a Welsh painter, taught in Leeds and York."
ROWS = [
    f"employer city\tWhere did XXX teach?\tAda Brook\t{SENTENCE}\tLeeds\tYork",
    f"occupation\tWhat was XXX's job, and when did XXX begin?\tAda Brook\t{SENTENCE}\tpainter",
    f"spouse\tWho married XXX?\tAda Brook\t{SENTENCE}",
    "river\tWhich river is XXX on?\tHolm\tHolm lies on the Wye.\tthe Wye",
]


def test_relation_split(tmp_path: Path) -> None:
    path = tmp_path / "dev.0"
    path.write_text("\n".join(ROWS) + "\n", newline="\r\n")
    drops = Drops()
    first, second = convert_source("relationextraction", path, drops)
    assert first.context == SENTENCE
    assert [(q.extra["id"], q.question, q.answers) for q in first.questions] == [
        ("dev.0:1", "Where did Ada Brook teach?", ("Leeds", "York")),
        ("dev.0:2", "What was Ada Brook's job, and when did Ada Brook begin?", ("painter",)),
    ]
    leeds, york = first.questions[0].detected
    assert [(place.start, place.end) for place in leeds.places] == [(38, 43)]
    assert [(place.start, place.end) for place in york.places] == [(48, 52)]
    assert second.questions[0].extra["id"] == "dev.0:4"
    assert drops.counts == {"negative example": 1}
    assert drops.examples == {"negative example": ["dev.0:3"]}


def test_folder_of_splits(tmp_path: Path) -> None:
    for name in ("dev.0", "dev.1"):
        (tmp_path / name).write_text(ROWS[3] + "\n")
    contexts = list(convert_source("relationextraction", tmp_path, Drops()))
    assert [q.extra["id"] for c in contexts for q in c.questions] == ["dev.0:1", "dev.1:1"]
    # The same question in two splits is two questions.
    assert len({q.qid for c in contexts for q in c.questions}) == 2


def test_squad_layout(tmp_path: Path) -> None:
    path = tmp_path / "re.json"
    questions = [
        {"id": "a", "question": "Where?", "answers": [{"text": "Leeds", "answer_start": 38}]},
        {"id": "b", "question": "Who?", "answers": [], "is_impossible": True},
    ]
    path.write_text(
        json.dumps({"data": [{"paragraphs": [{"context": SENTENCE, "qas": questions}]}]}, indent=1)
    )
    drops = Drops()
    [context] = convert_source("relationextraction", path, drops)
    assert [question.extra["id"] for question in context.questions] == ["a"]
    assert drops.counts == {"unanswerable question": 1}


def test_too_few_columns(tmp_path: Path) -> None:
    path = tmp_path / "dev.0"
    path.write_text(ROWS[0] + "\nrelation\tWhat is XXX?\tAda\n")
    with pytest.raises(InputError, match=r"line 2: has 3 tab-separated columns"):
        list(convert_source("relationextraction", path, Drops()))


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no files"):
        list(convert_source("relationextraction", tmp_path, Drops()))
