from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.subjqa.format import read_passages
from caveat.core.errors import InputError

HEADER = ["domain", "q_review_id", "question", "review_id", "review", "human_ans_spans", "human_ans_indices",
          "answer_subj_level"]  # fmt: skip
REVIEW = 'The "pre-cooked" rice is soft,\nand cheap. ANSWERNOTFOUND'
TEXT = 'The "pre-cooked" rice is soft,\nand cheap.'


def save(path: Path, *rows: list[str]) -> Path:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    path.write_bytes(out.getvalue().encode())
    return path


def row(
    id: str, spans: str, indices: str, level: str = "1", review: tuple[str, str] = ("r1", REVIEW)
) -> list[str]:
    return ["grocery", id, f"Question {id}?", *review, spans, indices, level]


def test_rows_of_one_question_are_its_alternatives(tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.csv",
        HEADER,
        row("q1", 'The " pre - cooked " rice', "(0, 21)", "2"),
        row("q2", "ANSWERNOTFOUND", "(42, 56)"),
        row("q3", "fine", "(0, 4)", review=("r2", "fine ANSWERNOTFOUND")),
        row("q1", "ANSWERNOTFOUND", "(42, 56)"),
        row("q1", "soft", "(25, 29)", "4"),
    )
    counts = {"annotations": 3, "not_found": 1, "is_impossible": False}
    assert list(read_passages(path)) == [
        Passage(
            TEXT,
            (
                PassageQuestion(
                    "q1",
                    "Question q1?",
                    (
                        (
                            GoldSpan(
                                'The "pre-cooked" rice',
                                0,
                                {"answer_subj_level": "2", "human_ans_spans": 'The " pre - cooked " rice'},
                            ),
                        ),
                        (GoldSpan("soft", 25, {"answer_subj_level": "4", "human_ans_spans": "soft"}),),
                    ),
                    {"domain": "grocery", **counts},
                ),
                PassageQuestion(
                    "q2",
                    "Question q2?",
                    (),
                    {"domain": "grocery", "annotations": 1, "not_found": 1, "is_impossible": True},
                ),
            ),
            id="r1",
            article=0,
        ),
        Passage(
            "fine",
            (
                PassageQuestion(
                    "q3",
                    "Question q3?",
                    ((GoldSpan("fine", 0, {"answer_subj_level": "1", "human_ans_spans": "fine"}),),),
                    {"domain": "grocery", "annotations": 1, "not_found": 0, "is_impossible": False},
                ),
            ),
            id="r2",
            article=1,
        ),
    ]


def test_an_answer_that_runs_into_the_marker_is_cut(tmp_path: Path) -> None:
    path = save(tmp_path / "a.csv", HEADER, row("q1", "and cheap . ANSWERNOTFOUND", "(31, 56)"))
    (passage,) = read_passages(path)
    assert passage.questions[0].answers[0][0].text == "and cheap."


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["question"]], "line 1: there is no column q_review_id"),
        ([], "there is no column"),
        # A review of two lines: the second row ends on the file's fifth line.
        (
            [HEADER, row("q1", "soft", "(25, 29)"), row("q2", "soft", "25-29")],
            "line 5, id q2: .* got '25-29'",
        ),
        ([HEADER, ["grocery", "q1"]], "line 2: expected 8 columns"),
        ([HEADER, [*row("q1", "soft", "(25, 29)"), "more"]], "line 3: expected 8 columns"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, rows: list[list[str]], problem: str) -> None:
    path = save(tmp_path / "a.csv", *rows)
    with pytest.raises(InputError, match=problem):
        list(read_passages(path))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "questions", "answers"), [("grocery", 1_124, 951), ("tripadvisor", 1_165, 1_291)]
)
def test_the_real_files(shared: Path, name: str, questions: int, answers: int) -> None:
    found = list(read_passages(shared / "data" / "en_spans" / f"subjqa_subjqa_{name}_train.csv.gz"))
    asked = [question for passage in found for question in passage.questions]
    assert (len(asked), sum(len(question.answers) for question in asked)) == (questions, answers)
    for passage in found:
        assert "ANSWERNOTFOUND" not in passage.text
        for question in passage.questions:
            for (span,) in question.answers:
                assert span.start is not None
                assert passage.text[span.start : span.end] == span.text
