from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.conditionalqa.metric import (
    GROUPS,
    Answers,
    floors,
    score,
    score_official,
    score_question,
)
from caveat.core.errors import CaveatError, InputError

YES: Answers = [("yes", [])]


def all_four(value: float) -> tuple[float, float, float, float]:
    return (value, value, value, value)


def test_a_perfect_answer() -> None:
    gold = [("up to £1,000", ["<p>if you go to court</p>"]), ("£100", [])]
    assert score_question(gold, gold) == all_four(1.0)


def test_order_does_not_matter() -> None:
    gold = [("a passport", ["<li>over 16</li>"]), ("a birth certificate", [])]
    assert score_question(gold, gold[::-1]) == all_four(1.0)


def test_no_answer_is_right_only_as_an_empty_list() -> None:
    assert score_question([], []) == all_four(1.0)
    assert score_question([], [("", [])]) == all_four(0.0)
    assert score_question([], YES) == all_four(0.0)


def test_an_unmatched_gold_costs_its_share_and_no_more() -> None:
    assert score_question([("yes", []), ("no", [])], YES) == all_four(0.5)


def test_never_answering_an_answerable_question_scores_zero() -> None:
    assert score_question(YES, []) == all_four(0.0)


def test_padding_matches_a_gold_that_normalises_to_nothing() -> None:
    assert score_question([("yes", []), ("the", [])], YES) == all_four(1.0)
    assert score_question([("The.", [])], [("", [])]) == all_four(1.0)


@pytest.mark.parametrize(
    ("golds", "predictions", "penalty"), [(1, 2, math.exp(-1)), (2, 3, math.exp(-0.5)), (1, 4, math.exp(-3))]
)
def test_surplus_answers_are_penalised(golds: int, predictions: int, penalty: float) -> None:
    texts = ["monday", "tuesday", "friday", "sunday"]
    gold: Answers = [(text, []) for text in texts[:golds]]
    predicted: Answers = [(text, []) for text in texts[:predictions]]
    assert score_question(gold, predicted) == pytest.approx(all_four(penalty))


def test_a_repeated_answer_is_not_merged() -> None:
    assert score_question(YES, [*YES, *YES]) == pytest.approx(all_four(0.36787944117144233))


def test_token_f1() -> None:
    # Two of three predicted words are among the two of the gold: P = 2/3, R = 1.
    em, em_with, f1, f1_with = score_question([("the blue form", [])], [("blue paper form", [])])
    assert (em, em_with) == (0.0, 0.0)
    assert f1 == f1_with == pytest.approx(0.8)


def test_text_is_normalised_and_conditions_are_not() -> None:
    assert score_question([("The U.K.", ["<p>If</p>"])], [("uk", ["<p>If</p>"])]) == all_four(1.0)
    assert score_question([("uk", ["<p>If</p>"])], [("uk", ["If"])]) == (1.0, 0.0, 1.0, 0.0)
    assert score_question([("uk", ["<p>If</p>"])], [("uk", ["<p>if</p>"])]) == (1.0, 0.0, 1.0, 0.0)


def test_a_condition_on_an_unconditional_answer_costs_it_whole() -> None:
    assert score_question(YES, [("yes", ["<p>perhaps</p>"])]) == (1.0, 0.0, 1.0, 0.0)


def test_a_conditional_answer_without_its_condition_is_lost() -> None:
    assert score_question([("yes", ["<p>if</p>"])], YES) == (1.0, 0.0, 1.0, 0.0)


def test_conditions_are_sets() -> None:
    # {a} of {a, b}: P = 1, R = 1/2; saying it twice changes nothing.
    gold = [("yes", ["a", "b"])]
    assert score_question(gold, [("yes", ["a"])]) == pytest.approx((1.0, 2 / 3, 1.0, 2 / 3))
    assert score_question(gold, [("yes", ["a", "a"])]) == pytest.approx((1.0, 2 / 3, 1.0, 2 / 3))


def test_each_measure_takes_its_own_best_pairing() -> None:
    # Without conditions "blue form" goes to "blue form" and "form" to "form"; with conditions the other way
    # round is better, since only there the conditions fit: F1 2/3 each.
    gold = [("blue form", ["a"]), ("form", ["b"])]
    predicted = [("blue form", ["b"]), ("form", ["a"])]
    assert score_question(gold, predicted) == pytest.approx((1.0, 0.0, 1.0, 2 / 3))


def test_twelve_answers_are_no_trouble() -> None:
    gold = [(f"answer number {n}", [f"<p>{n}</p>"]) for n in range(12)]
    assert score_question(gold, gold[::-1]) == all_four(1.0)


texts = st.sampled_from(["yes", "no", "", "the", "blue form", "form", "red form", "blue", "Blue form."])
answers = st.lists(
    st.tuples(texts, st.lists(st.sampled_from(["<p>a</p>", "<p>b</p>", "c"]), max_size=3)), max_size=4
)


def by_permutations(gold: Answers, predicted: Answers) -> tuple[float, ...]:
    """The published search, pair by pair, on the scores of single answers."""
    if not gold:
        return score_question(gold, predicted)
    padded = [*predicted, *[("", [])] * (len(gold) - len(predicted))]
    best = [0.0] * 4
    for order in permutations(padded):
        # A question of one gold and one prediction is one pair, without a penalty.
        pairs = [score_question([g], [p]) for g, p in zip(gold, order, strict=False)]
        best = [max(best[m], sum(pair[m] for pair in pairs) / len(gold)) for m in range(4)]
    return tuple(value * math.exp(1 - len(padded) / len(gold)) for value in best)


@given(answers, answers)
def test_it_agrees_with_the_search_over_permutations(gold: Answers, predicted: Answers) -> None:
    assert score_question(gold, predicted) == pytest.approx(by_permutations(gold, predicted), abs=1e-12)


@given(answers, answers, st.randoms(use_true_random=False))
def test_shuffled_predictions_score_the_same(gold: Answers, predicted: Answers, generator: object) -> None:
    shuffled = list(predicted)
    generator.shuffle(shuffled)  # type: ignore[attr-defined]
    assert score_question(gold, shuffled) == pytest.approx(score_question(gold, predicted), abs=1e-12)


@given(answers, answers)
def test_scores_stay_within_bounds_and_conditions_never_help(gold: Answers, predicted: Answers) -> None:
    em, em_with, f1, f1_with = score_question(gold, predicted)
    assert 0 <= em_with <= em <= 1 + 1e-12
    assert 0 <= f1_with <= f1 <= 1 + 1e-12
    assert em <= f1 + 1e-12
    assert score_question(gold, gold) == pytest.approx(all_four(1.0))


GOLD: dict[str, Answers] = {
    "q1": [("yes", [])],
    "q2": [("no", ["<p>if</p>"])],
    "q3": [("blue form", [])],
    "q4": [],
    "q5": [("yes", []), ("red form", [])],
    "q6": [("Yes", ["<p>if</p>"])],
}


def test_groups() -> None:
    scored = score(GOLD, GOLD)
    assert {group: scored.scores[group]["questions"] for group in GROUPS} == {
        "total": 6,
        "yesno": 3,  # A mixed question is yesno.
        "extractive": 2,  # "Yes" is not "yes".
        "conditional": 2,
    }
    assert all(scored.scores[group]["f1_with_conditions"] == 100.0 for group in GROUPS)
    by_id = {detail["id"]: detail["groups"] for detail in scored.details}
    assert by_id["q2"] == ["total", "yesno", "conditional"]
    assert by_id["q4"] == ["total"]


def test_a_missing_prediction_is_wrong_and_reported() -> None:
    predicted = {qid: answers for qid, answers in GOLD.items() if qid not in ("q1", "q4")}
    scored = score(GOLD, predicted | {"q99": YES})
    assert scored.scores["total"]["em"] == pytest.approx(100 * 4 / 6)
    assert scored.scores["yesno"]["em"] == pytest.approx(100 * 2 / 3)
    assert scored.scores["missing"] == 2
    assert scored.missing == ("q1", "q4")
    assert scored.unknown == ("q99",)
    assert [detail["em"] for detail in scored.details] == [0.0, 100.0, 100.0, 0.0, 100.0, 100.0]


def test_the_published_scorer_drops_missing_predictions() -> None:
    predicted = {qid: answers for qid, answers in GOLD.items() if qid not in ("q1", "q4")}
    scored = score_official(GOLD, predicted | {"q99": YES})
    assert scored.scores["total"]["em"] == 100.0
    assert scored.scores["total"]["questions"] == 4
    assert scored.scores["missing"] == 2
    assert [detail["id"] for detail in scored.details] == ["q2", "q3", "q5", "q6"]


def test_an_empty_group_is_none_or_the_published_failure() -> None:
    gold: dict[str, Answers] = {"q1": YES}
    scores = score(gold, gold).scores
    assert scores["total"]["em"] == 100.0
    assert scores["extractive"] is None
    assert scores["conditional"] is None
    with pytest.raises(CaveatError, match="'extractive'"):
        score_official(gold, gold)
    with pytest.raises(CaveatError, match="'total'"):
        score_official(gold, {})


def test_both_agree_on_complete_predictions() -> None:
    predicted = dict.fromkeys(GOLD, YES)
    assert score(GOLD, predicted) == score_official(GOLD, predicted)


def test_floors() -> None:
    scores = {name: scored.scores for name, scored in floors(GOLD).items()}
    # "yes" is right for q1, q6, and half of q5; q4 wants no answer; q6 has a condition.
    assert scores["always_yes"]["total"]["em"] == pytest.approx(100 * 2.5 / 6)
    assert scores["always_yes"]["total"]["em_with_conditions"] == pytest.approx(100 * 1.5 / 6)
    assert scores["never_answer"]["total"]["f1"] == pytest.approx(100 / 6)
    assert scores["gold_without_conditions"]["total"]["em"] == 100.0
    assert scores["gold_without_conditions"]["total"]["em_with_conditions"] == pytest.approx(100 * 4 / 6)
    assert scores["gold_without_conditions"]["conditional"]["f1_with_conditions"] == 0.0


def test_more_answers_than_can_be_matched_are_refused() -> None:
    many: list[tuple[str, list[str]]] = [(f"answer {number}", []) for number in range(1000)]
    with pytest.raises(InputError, match=r"more than 200 answers, gold and predicted \(the limit `answers`"):
        score_question(many, many)
    assert score_question(many[:1], many)[0] < 1
