from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.newsqa import NEWSQA, read
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

#       0    5        14 17 20
STORY = "PORT (NEWS) -- 19 boats sank on Friday.\n\n\n\nNobody said why. The harbour is closed."
COMBINED = {
    "version": "1",
    "data": [
        {
            "storyId": "./s1.story",
            "text": STORY,
            "type": "train",
            "questions": [
                # As in the original, a range may take the blank after the word along.
                {"q": "How many boats sank?", "isAnswerAbsent": 0.0, "consensus": {"s": 15, "e": 18}},
                {"q": "why?", "isQuestionBad": 0.0, "consensus": {"noAnswer": True}},
                {"q": "boats the", "isQuestionBad": 1.0, "consensus": {"badQuestion": True}},
                {"q": "When? ", "consensus": {"s": 32, "e": 39}},
                {"q": "Who?", "answers": []},
            ],
        }
    ],
}
COLUMNS = [
    "story_id",
    "question",
    "answer_char_ranges",
    "is_answer_absent",
    "is_question_bad",
    "validated_answers",
    "story_text",
]
ROWS = [
    # Validation decides where there was one, even against the first annotators.
    ["./s1.story", "How many boats sank?", "15:18|None|None", "0.0", "0.0", '{"none": 1, "15:18": 2}', STORY],
    ["./s1.story", "why?", "None|None|32:38", "0.67", "0.0", "", STORY],
    ["./s1.story", "boats the", "None|None", "0.0", "1.0", "", STORY],
    ["./s1.story", "When?", "32:38|15:17|32:38,15:17|32:38", "0.0", "0.0", "", STORY],
    ["./s1.story", "Who?", "44:50|61:72", "0.0", "0.0", '{"44:50": 1, "61:72": 1}', STORY],
    ["./s1.story", "What?", "44:50|61:72", "0.0", "0.0", '{"44:50": 2, "61:72": 2}', STORY],
    ["./s1.story", "Which?", "44:50|44:50", "0.0", "0.0", "{}", STORY],
    ["./s2.story", "Open?", "0:3|0:3", "0.0", "0.0", "", 'No, "shut".'],
]


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_combined_json(tmp_path: Path, convert: Callable[..., Any]) -> None:
    (tmp_path / "combined.json").write_text(json.dumps(COMBINED))
    (context,), drops = convert(NEWSQA, tmp_path / "combined.json")
    assert context.context == STORY
    assert context.extra["id"] == "./s1.story"
    first, second = context.questions
    assert (first.extra["id"], first.question, first.answers) == (
        "./s1.story_0",
        "How many boats sank?",
        ("19",),
    )
    assert (second.extra["id"], second.question, second.answers) == ("./s1.story_3", "When?", ("Friday.",))
    # Tokens: PORT ( NEWS ) -- 19 boats sank on Friday . …; the answer's full stop is part of its place.
    (place,) = first.detected[0].places
    assert (place.start, place.end, place.first, place.last) == (15, 17, 5, 6)
    (place,) = second.detected[0].places
    assert (place.start, place.end, place.first, place.last) == (32, 39, 9, 11)
    assert drops.examples == {
        "answer absent or disputed": ["./s1.story_1", "./s1.story_4"],
        "bad question": ["./s1.story_2"],
    }


def test_combined_csv_gives_what_the_json_gives(tmp_path: Path, convert: Callable[..., Any]) -> None:
    (first, second), drops = convert(NEWSQA, write_csv(tmp_path / "combined.csv", [COLUMNS, *ROWS]))
    assert first.context == STORY
    assert [(question.extra["id"], question.answers) for question in first.questions] == [
        ("./s1.story_0", ("19",)),
        ("./s1.story_3", ("Friday",)),
    ]
    assert second.context == 'No, "shut".'
    assert [question.answers for question in second.questions] == [("No,",)]
    assert drops.counts == {"answer absent or disputed": 4, "bad question": 1}
    assert drops.examples["bad question"] == ["./s1.story_2"]


def test_tokenised_csv(tmp_path: Path, convert: Callable[..., Any]) -> None:
    header = ["story_id", "story_text", "question", "answer_token_ranges"]
    story = "PORT -LRB- NEWS -RRB- -- `` 19 boats '' sank on Friday ."
    rows = [
        header,
        ["./s1.story", story, "How many -LRB- boats -RRB- sank ?", "6:8,11:12"],
        ["./s1.story", story, "Who says ?", "1:4"],
        ["./s2.story", "Shut .", "Open ?", "0:1"],
        ["./s1.story", story, "When ?", "11:12"],
    ]
    contexts, drops = convert(NEWSQA, write_csv(tmp_path / "train.csv", rows))
    assert [context.extra["id"] for context in contexts] == ["./s1.story", "./s2.story", "./s1.story"]
    assert contexts[0].context == 'PORT ( NEWS ) -- " 19 boats " sank on Friday .'
    asked = [question for context in contexts for question in context.questions]
    assert [(question.extra["id"], question.question, question.answers) for question in asked] == [
        ("./s1.story_0", "How many ( boats ) sank ?", ("19 boats", "Friday")),
        ("./s1.story_1", "Who says ?", ("( NEWS )",)),
        ("./s2.story_0", "Open ?", ("Shut",)),
        ("./s1.story_2", "When ?", ("Friday",)),
    ]
    (place,) = asked[0].detected[0].places
    assert (place.start, place.end, place.first, place.last) == (19, 27, 6, 8)
    assert not drops.counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n \n", "the file is empty, expected JSON or CSV"),
        ('{"data": [{"storyId": "s1", "text": "a"', "broken JSON"),
        ('{"stories": []}', "an object with `data`"),
        ('{"data": [{"storyId": "s1", "text": "a"}]}', "missing required field `questions`"),
        (
            '{"data": [{"storyId": "s1", "text": "a", '
            '"questions": [{"q": "", "consensus": {"s": 5, "e": 7}}]}]}',
            "id s1_0: the answer 5:7 is not within the story",
        ),
        ("story_id,question,answer_char_ranges\ns1,?,0:1\n", "has no column story_text"),
        (
            "story_id,story_text,question,answer_token_ranges\ns1,a b,?,1:3\n",
            "line 2, id s1_0: the answer 1:3",
        ),
        (
            "story_id,story_text,question,answer_token_ranges\ns1,a b,?,one\n",
            "line 2, id s1_0: expected ranges",
        ),
        (
            "story_id,story_text,question,answer_token_ranges\n\ns1,a b,?\n",
            "line 3: expected 4 cells, found 3",
        ),
        (
            "story_id,story_text,question,answer_char_ranges,validated_answers\ns1,a,?,0:1,{0:1}\n",
            "line 2, id s1_0: broken JSON",
        ),
    ],
)
def test_bad_input(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError) as caught:
        list(read(tmp_path / "file", Drops()))
    assert message in str(caught.value)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "total", "least"),
    [
        ("hf_dummy/newsqa__combined-json__1.0.0/dummy_data/combined-newsqa-data-v1.json", 27, 21),
        ("hf_dummy/newsqa__combined-csv__1.0.0/dummy_data/combined-newsqa-data-v1.csv", 1, 1),
        ("hf_dummy/newsqa__split__1.0.0/dummy_data/split_data/train.csv", 5, 5),
        ("hf_dummy/newsqa__split__1.0.0/dummy_data/split_data/dev.csv.gz", 6, 6),
        ("hf_dummy/newsqa__split__1.0.0/dummy_data/split_data/test.csv", 3, 3),
        ("multiqa/newsqa_sample_hist.jsonl.gz", 90, 80),
    ],
)
def test_real_samples(
    shared: Path, convert_real: Callable[..., Any], name: str, total: int, least: int
) -> None:
    contexts, drops = convert_real(NEWSQA, shared / "data/native/samples" / name)
    found = sum(len(context.questions) for context in contexts)
    assert found + drops.counts.total() == total
    assert found >= least
