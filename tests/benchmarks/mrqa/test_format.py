from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.mrqa.conversion import from_passages, to_passages
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import InputError
from caveat.language.occurrences import Occurrence

LINE = {
    "id": "",
    "context": "The Broncos beat the Panthers.",
    "context_tokens": [["The", 0], ["Broncos", 4], ["beat", 12], ["the", 17], ["Panthers", 21], [".", 29]],
    "qas": [
        {
            "qid": "0f",
            "id": "n1",
            "question": "Who won?",
            "question_tokens": [["Who", 0], ["won", 4], ["?", 7]],
            "answers": ["The Broncos", "two"],
            "detected_answers": [{"text": "The Broncos", "char_spans": [[4, 10]], "token_spans": [[1, 1]]}],
        }
    ],
}


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_inclusive_spans_become_half_open_at_the_border(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"header": {"dataset": "X", "split": "dev", "more": 1}}, LINE)
    header, contexts = mrqa.open_file(path)
    (context,) = contexts
    assert header == mrqa.MrqaHeader("X", "dev", {"more": 1})
    (detected,) = context.questions[0].detected
    assert detected.places == (Occurrence(4, 11, 1, 2),)
    assert context.context[4:11] == "Broncos"
    assert context.tokens[1:2] == (("Broncos", 4),)


def test_writes_what_it_reads(tmp_path: Path) -> None:
    header = {"header": {"dataset": "X", "split": "dev", "more": 1}}
    path = write(tmp_path / "a.jsonl", header, LINE)
    mrqa.write(tmp_path / "b.jsonl", *mrqa.open_file(path))
    assert [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()] == [header, LINE]


def test_a_file_without_header(tmp_path: Path) -> None:
    header, contexts = mrqa.open_file(write(tmp_path / "a.jsonl", LINE))
    assert header == mrqa.MrqaHeader()
    assert len([*contexts]) == 1
    assert mrqa.read_gold(tmp_path / "a.jsonl") == {"0f": ["The Broncos", "two"]}


def test_a_repeated_qid_counts_once_and_the_last_wins(tmp_path: Path) -> None:
    second = json.loads(json.dumps(LINE))
    second["qas"][0]["answers"] = ["Panthers"]
    assert mrqa.read_gold(write(tmp_path / "a.jsonl", LINE, second)) == {"0f": ["Panthers"]}


def test_passages_become_contexts(tmp_path: Path) -> None:
    question = PassageQuestion("q", "Who lost?", ((GoldSpan("the Panthers", 17),), (GoldSpan("nobody"),)))
    (context,) = from_passages([Passage("The Broncos beat the Panthers.", (question,))], "SQuAD")
    (built,) = context.questions
    assert built.answers == ("the Panthers", "nobody")
    assert built.detected == (mrqa.DetectedAnswer("the Panthers", (Occurrence(17, 29, 3, 5),)),)
    assert len(built.qid) == 32
    assert built.qid == mrqa.make_qid("SQuAD", "q")
    mrqa.write(tmp_path / "a.jsonl", mrqa.MrqaHeader("SQuAD"), [context])
    (back,) = to_passages(mrqa.read(tmp_path / "a.jsonl"))
    assert back.questions == (question,)


def test_a_file_of_others_takes_the_first_place_found(tmp_path: Path) -> None:
    (passage,) = to_passages(mrqa.read(write(tmp_path / "a.jsonl", LINE)))
    assert passage.questions[0].id == "n1"
    assert [answer[0].start for answer in passage.questions[0].answers] == [4, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"qas": []}, "line 2: object missing required field `context`"),
        (
            {"context": "x", "qas": [{"qid": "q7", "answers": []}]},
            "line 2, id q7: object missing required field",
        ),
        (
            {"context": "x", "qas": [{"qid": "q7", "question": "?", "answers": "x"}]},
            "line 2, id q7: expected `array`",
        ),
        (
            {
                "context": "x",
                "qas": [
                    {
                        "qid": "q7",
                        "question": "?",
                        "answers": ["x"],
                        "detected_answers": [
                            {"text": "x", "char_spans": [[0, 0]], "token_spans": [[0, 0], [1, 1]]}
                        ],
                    }
                ],
            },
            "line 2, id q7: expected as many token_spans as char_spans",
        ),
    ],
)
def test_bad_lines(tmp_path: Path, line: object, message: str) -> None:
    path = write(tmp_path / "bad.jsonl", LINE, line)
    with pytest.raises(InputError, match=f"bad.jsonl, {message}"):
        [*mrqa.read(path)]


def test_gold_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bad.jsonl, line 2: .*`qas`"):
        mrqa.read_gold(write(tmp_path / "bad.jsonl", LINE, {"header": {}}))
