from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.multispan.metric import longest_run, longest_run_official, score, score_official
from caveat.core.errors import CaveatError

Answers = dict[str, list[str]]


def figures(precision: float, recall: float) -> dict[str, object]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {
        "precision": pytest.approx(precision),
        "recall": pytest.approx(recall),
        "f1": pytest.approx(f1),
    }


def both(gold: Answers, predicted: Answers) -> dict[str, object]:
    """The scores, where sound and official ones must be the same."""
    scored = score(gold, predicted)
    assert scored == score_official(gold, predicted)
    return scored.scores


def test_exact_match_is_micro_averaged() -> None:
    gold = {"a": ["salt", "pepper"], "b": ["the Nile"]}
    scores = both(gold, {"a": ["salt"], "b": ["Nile!", "Amazon", "Rhine"]})
    # Two right of four predicted and of three gold answers.
    assert scores["exact"] == figures(50.0, 200 / 3)
    assert (scores["total"], scores["missing"]) == (2, 0)


def test_partial_match_takes_the_longest_common_run() -> None:
    # "wine" is found whole, 4 of 4; "white wine" and "red wine" share "wine" with its blank: 5 of 10 and 8.
    scores = both({"q": ["red wine"]}, {"q": ["wine", "white wine"]})
    assert scores["exact"] == figures(0.0, 0.0)
    assert scores["partial"] == figures(100 * (4 / 4 + 5 / 10) / 2, 100 * 5 / 8)


def test_each_answer_takes_its_own_best_partner() -> None:
    # Both golds are found in the one prediction, which is matched by the longer of them.
    scores = both({"q": ["salt", "sugar"]}, {"q": ["salt and sugar"]})
    assert scores["partial"] == figures(100 * 5 / 14, 100.0)


def test_duplicates_count_once_after_normalisation() -> None:
    scores = both({"q": ["Nile", "the Nile"]}, {"q": ["nile", "Nile.", "A Nile"]})
    assert scores["exact"] == scores["partial"] == figures(100.0, 100.0)


def test_no_answer_counts_as_one_answer() -> None:
    scores = both({"a": [], "b": ["x"]}, {"a": [], "b": ["x"]})
    assert scores["exact"] == scores["partial"] == figures(100.0, 100.0)
    scores = both({"a": [], "b": ["x"]}, {"a": ["y", "z"], "b": []})
    assert scores["exact"] == scores["partial"] == figures(0.0, 0.0)
    scores = both({"a": [], "b": ["x"]}, {"a": ["y", "z"], "b": ["x"]})
    assert scores["exact"] == scores["partial"] == figures(100 / 3, 50.0)


def test_an_empty_text_is_no_answer_for_the_partial_match_alone() -> None:
    scores = both({"q": []}, {"q": ["The"]})
    assert scores["exact"] == figures(0.0, 0.0)
    assert scores["partial"] == figures(100.0, 100.0)


def test_a_gold_that_normalises_to_nothing_is_right_for_the_exact_match_alone() -> None:
    scores = both({"q": ["the"]}, {"q": ["a"]})
    assert scores["exact"] == figures(100.0, 100.0)
    assert scores["partial"] == figures(0.0, 0.0)


def test_an_empty_text_among_others_counts_as_a_wrong_answer() -> None:
    scores = both({"q": ["salt"]}, {"q": ["salt", "."]})
    assert scores["exact"] == scores["partial"] == figures(50.0, 100.0)


def test_a_missing_prediction_is_one_wrong_answer() -> None:
    gold = {"a": ["salt"], "b": ["x", "y"], "c": []}
    scored = score(gold, {"a": ["salt"], "z": ["?"]})
    # One predicted answer for each question; b has two golds, and "no answer" is c's one.
    assert scored.scores["exact"] == scored.scores["partial"] == figures(100 / 3, 25.0)
    assert scored.scores["missing"] == 2
    assert (scored.missing, scored.unknown) == (("b", "c"), ("z",))
    assert [detail["exact"]["f1"] for detail in scored.details] == [100.0, 0.0, 0.0]


def test_the_published_scorer_wants_the_same_ids() -> None:
    with pytest.raises(CaveatError, match=r"'b' has no prediction \(1 missing, 0 unknown\)"):
        score_official({"a": ["x"], "b": ["y"]}, {"a": ["x"]})
    with pytest.raises(CaveatError, match=r"'z' is predicted but is not in the gold file"):
        score_official({"a": ["x"]}, {"a": ["x"], "z": ["y"]})


def test_a_long_prediction_hides_frequent_characters_from_the_published_search() -> None:
    gold, predicted = "b" * 50, "a" * 150 + "b" * 50
    assert longest_run(gold, predicted) == 50
    assert longest_run_official(gold, predicted) == 0
    # One character shorter and the search is whole again.
    assert longest_run_official(gold, predicted[1:]) == 50
    # Where both begin alike the run is found all the same.
    assert longest_run_official(predicted, predicted) == 200


def test_sound_and_official_differ_on_long_predictions_alone() -> None:
    gold, predicted = {"q": ["b" * 50]}, {"q": ["c" * 150 + "b" * 50]}
    assert score(gold, predicted).scores["partial"] == figures(25.0, 100.0)
    assert score_official(gold, predicted).scores["partial"] == figures(0.0, 0.0)


@given(st.text("ab c", max_size=12), st.text("ab c", max_size=12))
def test_the_longest_run_against_all_substrings(one: str, other: str) -> None:
    substrings = (one[start:end] for start in range(len(one) + 1) for end in range(start, len(one) + 1))
    longest = max(len(text) for text in substrings if text in other)
    assert longest_run(one, other) == longest_run_official(one, other) == longest


words = st.lists(st.sampled_from(["salt", "the salt", "salt lake", "a", "", "lake", "Nile"]), max_size=4)


@given(st.dictionaries(st.sampled_from("pqrs"), st.tuples(words, words), min_size=1))
def test_bounds_and_order(questions: dict[str, tuple[list[str], list[str]]]) -> None:
    gold = {qid: golds for qid, (golds, _) in questions.items()}
    predicted = {qid: predictions for qid, (_, predictions) in questions.items()}
    scores = score(gold, predicted).scores
    backwards = score(gold, {qid: answers[::-1] for qid, answers in predicted.items()}).scores
    for kind in ("exact", "partial"):
        assert all(0 <= value <= 100 + 1e-9 for value in scores[kind].values())
        assert backwards[kind] == pytest.approx(scores[kind])


@given(
    st.dictionaries(st.sampled_from("pqrs"), st.lists(st.sampled_from(["salt", "lake", "Nile"])), min_size=1)
)
def test_perfect_predictions(gold: Answers) -> None:
    scores = both(gold, gold)
    assert scores["exact"] == scores["partial"] == figures(100.0, 100.0)
