from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.metric import score_answer_sets as score
from caveat.benchmarks.nlpcc.metric import score_question


def test_the_rank_of_the_first_right_answer() -> None:
    figures = score_question(("北京",), ("上海", "北京"))
    assert figures == {
        "mrr": 0.5,
        "accuracy": 1.0,
        "accuracy@1": 0.0,
        "accuracy@2": 1.0,
        "accuracy@3": 1.0,
        "average_f1": pytest.approx(2 / 3),  # P = 1/2, R = 1.
    }


def test_several_golds() -> None:
    # One of two answers is right, one of three golds is found: F1 = 2·(1/2)(1/3)/(5/6) = 0.4.
    figures = score_question(("李白", "杜甫", "王维"), ("杜甫", "苏轼"))
    assert figures["average_f1"] == pytest.approx(0.4)
    assert figures["mrr"] == 1.0


def test_accuracy_looks_beyond_the_third_answer() -> None:
    figures = score_question(("d",), ("a", "b", "c", "d"))
    assert (figures["accuracy"], figures["accuracy@3"], figures["mrr"]) == (1.0, 0.0, 0.25)


def test_answers_are_compared_whole_after_trimming() -> None:
    assert score_question(("杨可桢",), (" 杨可桢\u3000",))["average_f1"] == 1.0
    assert score_question(("杨可桢，程光蕴",), ("杨可桢",))["accuracy"] == 0.0
    assert score_question(("Paris",), ("paris",))["accuracy"] == 0.0


def test_a_repeated_answer_counts_once() -> None:
    assert score_question(("b",), ("a", "a", "b")) == score_question(("b",), ("a", "b"))
    assert score_question(("a", "a"), ("a",))["average_f1"] == 1.0


def test_an_empty_answer_is_none() -> None:
    assert score_question(("a",), ("", " ", "a"))["mrr"] == 1.0
    assert set(score_question(("a",), ("",)).values()) == {0.0}
    assert set(score_question((), ("a",)).values()) == {0.0}


def test_unanswered_and_missing_questions_score_zero() -> None:
    gold = {"1": ("a",), "2": ("b",), "3": ("c",), "4": ("d",)}
    scored = score(gold, {"1": ("a",), "2": (), "4": ("x",), "9": ("y",)})
    assert scored.scores["accuracy"] == scored.scores["average_f1"] == scored.scores["mrr"] == 25.0
    assert scored.scores["questions"] == 4
    assert scored.scores["missing"] == 1
    assert (scored.missing, scored.unknown) == (("3",), ("9",))
    assert [detail["accuracy@1"] for detail in scored.details] == [100.0, 0.0, 0.0, 0.0]


def test_no_questions() -> None:
    assert score({}, {}).scores["average_f1"] is None


answers = st.lists(st.sampled_from("abcdef"), max_size=5)


@given(st.dictionaries(st.sampled_from("pqrs"), st.tuples(answers, answers), min_size=1))
def test_bounds_and_order_of_figures(questions: dict[str, tuple[list[str], list[str]]]) -> None:
    gold = {qid: golds for qid, (golds, _) in questions.items()}
    scores = score(gold, {qid: predicted for qid, (_, predicted) in questions.items()}).scores
    assert 0 <= scores["accuracy@1"] <= scores["accuracy@2"] <= scores["accuracy@3"] <= scores["accuracy"]
    assert scores["accuracy@1"] <= scores["mrr"] + 1e-9
    assert max(scores["mrr"], scores["average_f1"]) <= scores["accuracy"] + 1e-9 <= 100 + 1e-6


@given(st.lists(answers.filter(bool), min_size=1))
def test_perfect_predictions(golds: list[list[str]]) -> None:
    gold = {str(n): answers for n, answers in enumerate(golds)}
    scores = score(gold, gold).scores
    assert scores["mrr"] == scores["accuracy@1"] == scores["average_f1"] == pytest.approx(100)
