"""Errors of ConditionalQA predictions, and thresholds for conditions, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.conditionalqa.errors import (
    ERRORS,
    ScoredPrediction,
    analyse_predictions,
    error_of,
    read_scored,
)
from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalQuestion
from caveat.benchmarks.conditionalqa.task import count
from caveat.core.errors import InputError
from caveat.core.json_files import write_json

C, D = "<li>under 12</li>", "<li>with a pass</li>"


def answers(*pairs: tuple[str, tuple[str, ...]]) -> tuple[ConditionalAnswer, ...]:
    return tuple(ConditionalAnswer(text, conditions) for text, conditions in pairs)


@pytest.mark.parametrize(
    ("gold", "predicted", "error"),
    [
        ((), (), "right"),
        ((), answers(("yes", ())), "answered"),
        (answers(("yes", ())), (), "not_answered"),
        (answers(("yes", (C,))), answers(("yes", (C,))), "right"),
        (answers(("yes", ())), answers(("40 pounds", ())), "answer_type"),
        (answers(("40 pounds", ())), answers(("no", ())), "answer_type"),
        (answers(("yes", ())), answers(("no", ())), "reversed"),
        (answers(("40 pounds", ())), answers(("the library", ())), "wrong_span"),
        (answers(("40 pounds", ())), answers(("50 pounds", ())), "partial_span"),
        (answers(("40 pounds", ()), ("nothing", ())), answers(("nothing", ())), "answers_missing"),
        (answers(("nothing", ())), answers(("Nothing", ()), ("40 pounds", ())), "answers_surplus"),
        (answers(("yes", (C,))), answers(("yes", ())), "conditions_missing"),
        (answers(("yes", ())), answers(("yes", (C,))), "conditions_surplus"),
        (answers(("yes", (C,))), answers(("yes", (C, D))), "conditions_other"),
    ],
)
def test_the_error_of_a_question(
    gold: tuple[ConditionalAnswer, ...], predicted: tuple[ConditionalAnswer, ...], error: str
) -> None:
    assert error_of(gold, predicted) == error
    assert error in ERRORS


def question(id: str, url: str, *pairs: tuple[str, tuple[str, ...]]) -> ConditionalQuestion:
    return ConditionalQuestion(id, url, "I am nine.", "What?", not pairs, answers(*pairs))


def test_errors_are_counted_by_the_kind_of_question() -> None:
    questions = [
        question("1", "a", ("yes", (C,))),
        question("2", "a", ("nothing", ())),
        question("3", "b"),
        question("4", "b", ("no", ())),
    ]
    predicted = {
        "1": ScoredPrediction("1", answers(("yes", ()))),
        "2": ScoredPrediction("2", answers(("nothing", ()))),
        "3": ScoredPrediction("3", answers(("no", ()))),
    }
    found = analyse_predictions(questions, predicted)
    assert (found.questions, found.missing) == (4, 1)
    told = {
        group: {error for error, number in counts.items() if number} for group, counts in found.errors.items()
    }
    assert told == {
        "all": {"conditions_missing", "right", "answered", "not_answered"},
        "yes/no": {"conditions_missing", "not_answered"},
        "extractive": {"right"},
        "conditional": {"conditions_missing"},
    }
    assert found.shares["yes/no"]["not_answered"] == 50.0
    assert found.curve == ()
    assert any("condition_scores" in remark for remark in found.shown().remarks)


def test_thresholds_are_fitted_on_other_pages() -> None:
    # "a" and "c" fall into one half by their checksum, "b" and "d" into the other: each half has a page of both kinds.
    questions = [
        question(f"{url}{number}", url, ("yes", (C,) if number else ()))
        for url in ("a", "b", "c", "d")
        for number in (0, 1)
    ]
    # The right condition has 0.8, that which an unconditional answer does not need 0.3.
    predicted = {
        one.id: ScoredPrediction(
            one.id, answers(("yes", (C,))), ((0.8 if one.answers[0].conditions else 0.3,),)
        )
        for one in questions
    }
    found = analyse_predictions(questions, predicted)
    curve = {
        one.threshold: (one.f1_with_conditions, one.conditional_f1_with_conditions) for one in found.curve
    }
    # Half of the answers have a condition too many; from 0.35 on none has; above 0.8 half lack theirs.
    assert curve[0.0] == (50.0, 100.0)
    assert curve[0.5] == (100.0, 100.0)
    assert curve[1.0] == (50.0, 0.0)
    assert found.best_conditional["conditions as predicted"] == {
        "total em with conditions": 50.0,
        "total f1 with conditions": 50.0,
        "conditional em with conditions": 100.0,
        "conditional f1 with conditions": 100.0,
    }
    # The first threshold of those that are best for conditional questions: all conditions are kept.
    assert found.best_conditional["best for conditional questions"]["conditional f1 with conditions"] == 100.0
    tables = found.shown().tables
    assert [table.name for table in tables] == [
        "Questions by their error", "By threshold for conditions", "Thresholds fitted on other pages",
    ]  # fmt: skip


def test_scores_belong_to_conditions(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    write_json(path, [{"id": "1", "answers": [["yes", [C]]], "condition_scores": [[0.5]]}])
    assert read_scored(path)["1"].condition_scores == ((0.5,),)
    write_json(path, [{"id": "1", "answers": [["yes", [C]]], "condition_scores": [[]]}])
    with pytest.raises(InputError, match="one score a condition"):
        read_scored(path)


def test_the_breakdown_of_the_appendix(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    made = [
        {"id": "1", "url": "u", "scenario": "s", "question": "q", "answers": [["yes", [C]]]},
        {"id": "2", "url": "u", "scenario": "s", "question": "q", "answers": [["a", []], ["b", [C]]]},
        {"id": "3", "url": "u", "scenario": "s", "question": "q", "answers": [["a", []]]},
        {"id": "4", "url": "u", "scenario": "s", "question": "q", "not_answerable": True},
    ]
    write_json(path, made)
    (table,) = [one for one in count(path).tables if one.name.startswith("Answerable questions")]
    assert table.rows == (
        ("yes/no, deterministic", 0, 0),
        ("yes/no, conditional", 1, 0),
        ("extractive, deterministic", 1, 0),
        ("extractive, conditional", 0, 1),
    )
