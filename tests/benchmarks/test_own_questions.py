"""Answers to questions of one's own, judged and counted by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from caveat.answerers.sheets import AnswerRow, format_of, read_questions, row_of, write_answers
from caveat.benchmarks.own_questions import Expected, measure_answers, says
from caveat.core.answers import Answer, Condition, Place
from caveat.core.errors import InputError
from caveat.core.records import Question, Reply


def expected(*items: str) -> Expected:
    return Expected("1", "?", tuple(tuple(item.split("|")) for item in items), len(items) > 1)


@pytest.mark.parametrize(
    ("answer", "items", "right"),
    [
        ("4 euros", ("4 euros",), True),
        ("costs 4 euros", ("4 euros",), True),
        ("4 euros", ("four dollars|4 Euros",), True),
        ("it costs 4 euros for all who travel on a Monday in winter", ("4 euros",), False),
        ("5 euros", ("4 euros",), False),
        ("north gate", ("old north gate",), True),
        ("north", ("the old north gate of the town",), False),
        ("", ("4 euros",), False),
        ("", (), True),
        ("4 euros", (), False),
        ("yes", ("yes",), True),
        ("Yes, on a lead", ("yes",), True),
        ("no", ("yes",), False),
        ("yes", ("是",), True),
        ("soap; ticket", ("ticket", "soap"), True),
        ("soap", ("ticket", "soap"), False),
        ("每月五十元", ("五十元",), True),
    ],
)
def test_whether_an_answer_says_it(answer: str, items: tuple[str, ...], right: bool) -> None:
    assert says(answer, expected(*items)) is right


def write(path: Path, *rows: tuple[str, ...]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_figures_and_claims(tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.csv",
        ("id", "question", "expected"),
        ("a", "How much?", "4 euros"),
        ("b", "When?", "at noon | 12:00"),
        ("c", "Who is the king?", ""),
        ("d", "Where?", "in the harbour"),
    )
    answers = write(
        tmp_path / "answers.csv",
        ("id", "question", "answer", "probability"),
        ("a", "How much?", "4 euros", "0.9"),
        ("b", "When?", "at midnight", "0.6"),
        ("c", "Who is the king?", "", "0.7"),
    )
    measured = measure_answers(gold, answers)
    assert (measured.questions, measured.missing, measured.right) == (4, 1, 50.0)
    assert measured.confidently_wrong == 25.0
    assert measured.not_answered_though_expected == 25.0
    assert [(each.claimed, each.questions, each.right) for each in measured.by_claim] == [
        ("0–10 %", 1, 0.0),
        ("60–70 %", 1, 0.0),
        ("70–80 %", 1, 100.0),
        ("90–100 %", 1, 100.0),
    ]
    # 0 claimed and wrong, 0.6 claimed and wrong, 0.3 and 0.1 too little claimed.
    assert measured.calibration_error == pytest.approx((0.0 + 0.6 + 0.3 + 0.1) / 4)
    assert [each.right for each in measured.details] == [True, False, True, False]


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    wrong = write(tmp_path / "wrong.csv", ("question", "answer"), ("How?", "so"))
    with pytest.raises(InputError, match=r"has no column 'expected'; its columns are question, answer"):
        measure_answers(wrong, wrong)
    bad = write(tmp_path / "bad.csv", ("question", "answer", "probability"), ("How?", "so", "high"))
    gold = write(tmp_path / "gold.csv", ("question", "expected"), ("How?", "so"))
    with pytest.raises(InputError, match="line 2: has no probability: 'high'"):
        measure_answers(gold, bad)
    with pytest.raises(InputError, match="has no ending that is a format of answers"):
        format_of("answers.doc")


def test_questions_of_a_file(tmp_path: Path) -> None:
    lines = tmp_path / "q.txt"
    lines.write_text("How much?\n\n When? \n", encoding="utf-8")
    assert [each.question for each in read_questions(lines)] == ["How much?", "When?"]
    table = write(tmp_path / "q.csv", ("id", "question", "scenario"), ("7", "Can I?", "I am 20."))
    (one,) = read_questions(table)
    assert (one.id, one.question, one.scenario) == ("7", "Can I?", "I am 20.")
    rows = tmp_path / "q.jsonl"
    rows.write_text('{"question": "Who?"}\n', encoding="utf-8")
    assert read_questions(rows)[0].question == "Who?"


def test_a_row_of_a_reply() -> None:
    place = Place("guide.pdf", 4, 9, ("Fares", "Children"), 3, "It is 4 euros.")
    answer = Answer("4 euros", "span", 0.9, place, (Condition("you are under 12"),))
    row = row_of(Reply(Question("How much?"), (answer,)), "1")
    assert (row.answer, row.certainty, row.conditions) == ("4 euros", "sure", ("you are under 12",))
    assert row.citation == "guide.pdf, p. 3, Fares › Children"
    together = (Answer("soap", "span", 0.9), Answer("ticket", "span", 0.8))
    assert row_of(Reply(Question("What?"), together, together=True)).answer == "soap; ticket"
    none = row_of(Reply(Question("Who?"), (), 0.97))
    assert (none.answer, none.probability, none.citation) == ("", 0.97, "")


def test_nothing_of_an_answer_is_markdown(tmp_path: Path) -> None:
    row = AnswerRow("1", "Is *it*?", "<b>yes</b>", 0.5, "likely", ("you [x]",), "a_b.md", (), None, "a | b")
    with (tmp_path / "out.md").open("w", encoding="utf-8") as file:
        write_answers([row], "md", file)
    assert (tmp_path / "out.md").read_text("utf-8") == (
        "## Is \\*it\\*?\n\n**\\<b\\>yes\\</b\\>** (likely, 50%)\n\n- [ ] you \\[x\\]\n\n"
        "> a \\| b\n\n— a\\_b.md\n\n"
    )
