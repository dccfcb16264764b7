from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError


def asked(question: str, right: str | None, *choices: str, **more: Any) -> dict[str, Any]:
    value: dict[str, Any] = {
        "beingAsked": {"processedText": question, "rawText": f"1. {question}"},
        "answerChoices": {
            letter: {"processedText": choice, "rawText": f"{letter}. {choice}"}
            for letter, choice in zip("abcd", choices, strict=False)
        },
        "questionType": "Multiple Choice",
        **more,
    }
    if right is not None:
        value["correctAnswer"] = {"processedText": right, "rawText": f"Answer: {right}"}
    return value


LESSON: dict[str, Any] = {
    "globalID": "L_1",
    "lessonName": "tides",
    "adjunctTopics": {"Introduction": {"content": {"text": "The sea was calm."}}},
    "topics": {
        "T_1": {"topicName": "what tides are", "content": {"text": "Tides rise\nand fall.", "figures": []}},
        "T_2": {"topicName": "causes", "content": {"text": "The moon pulls the water.", "figures": []}},
        "T_3": {"topicName": "a picture only", "content": {"text": "", "figures": [{}]}},
    },
    "questions": {
        "nonDiagramQuestions": {
            "NDQ_1": asked("What pulls the water?", "b", "the sun", "the moon", "the wind"),
            "NDQ_2": asked("Tides rise.", "a", "true", "false", questionType="True or False"),
            "NDQ_3": asked("Tides fall.", "a", "true", "false"),
            "NDQ_4": asked("Which of the following rises?", "c", "moon", "sun", "tides"),
            "NDQ_5": asked("What moves?", "d", "tides", "water", "moon", "all of the above"),
            "NDQ_6": asked("What was calm?", "a", "The sea", "The moon"),
            "NDQ_7": asked("What rises?", None, "tides", "moon"),
            "NDQ_8": asked("What falls?", "Tides", "Tides", "moon"),
        },
        "diagramQuestions": {"DQ_1": {"imagePath": "x.png"}, "DQ_2": {}},
    },
}


def test_lesson(tmp_path: Path) -> None:
    path = tmp_path / "tqa.json"
    path.write_text(json.dumps([LESSON], indent=1))
    drops = Drops()
    [context] = convert_source("textbookqa", path, drops)
    assert context.context == (
        "[DOC] [TLE] what tides are [PAR] Tides rise and fall. "
        "[DOC] [TLE] causes [PAR] The moon pulls the water."
    )
    assert context.extra["id"] == "L_1"
    assert [(q.extra["id"], q.answers) for q in context.questions] == [
        ("NDQ_1", ("the moon",)),
        ("NDQ_8", ("Tides",)),
    ]
    [moon], [tides] = (question.detected for question in context.questions)
    # Where the text has the answer's article, the article is part of the place.
    assert [context.context[place.start : place.end] for place in moon.places] == ["The moon"]
    assert [context.context[place.start : place.end] for place in tides.places] == ["tides", "Tides"]
    assert drops.counts == {
        "question on a diagram": 2,
        "yes/no or true/false question": 2,
        "question depends on its options": 2,
        "no right answer given": 1,
        "no answer within the first 800 tokens": 1,
    }
    assert drops.examples["no answer within the first 800 tokens"] == ["NDQ_6"]


def test_lesson_without_topics(tmp_path: Path) -> None:
    path = tmp_path / "tqa.json"
    path.write_text(json.dumps([{"globalID": "L_1", "questions": {}}]))
    with pytest.raises(InputError, match="missing required field `topics`"):
        list(convert_source("textbookqa", path, Drops()))
