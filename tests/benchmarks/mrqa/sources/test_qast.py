from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

LECTURE: dict[str, Any] = {
    "id": "lecture-1",
    "title": "On bridges",
    "sections": [
        "so um today we look at\nbridges",
        "granite " * 801,
        "the first one was made of oak and the second of granite",
    ],
    "questions": [
        {"id": 1, "question": "What was the first bridge made of?", "answers": ["oak", "oak wood"]},
        {"id": "2", "question": "What do we look at?", "answers": ["the bridges"]},
        {"id": "3", "question": "What was the second made of?", "answers": ["granite"]},
        {"id": "4", "question": "Who built it?", "answers": ["a miller"]},
    ],
}


@pytest.mark.parametrize("text", [json.dumps([LECTURE], indent=1), json.dumps(LECTURE) + "\n"])
def test_sections(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qast.json"
    path.write_text(text)
    drops = Drops()
    first, third = convert_source("qast", path, drops)
    assert (first.context, first.extra["id"]) == ("so um today we look at bridges", "lecture-1:0")
    assert [question.extra["id"] for question in first.questions] == ["2"]
    assert [question.extra["id"] for question in third.questions] == ["1", "3"]
    # "granite" is all of the second section too, but that is longer than a context may be.
    assert third.extra["id"] == "lecture-1:2"
    [oak] = third.questions[0].detected
    assert [(place.start, place.end) for place in oak.places] == [(26, 29)]
    assert drops.counts == {"no answer in a section of at most 800 tokens": 1}
    assert drops.examples == {"no answer in a section of at most 800 tokens": ["4"]}


def test_a_section_of_800_tokens_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "qast.json"
    path.write_text(json.dumps([{**LECTURE, "sections": ["word " * 799 + "oak"]}]))
    [context] = convert_source("qast", path, Drops())
    assert len(context.tokens) == 800


def test_lecture_without_sections(tmp_path: Path) -> None:
    path = tmp_path / "qast.json"
    path.write_text(json.dumps([{"id": "lecture-1", "questions": []}]))
    with pytest.raises(InputError, match=r"id lecture-1: .*`sections`"):
        list(convert_source("qast", path, Drops()))
