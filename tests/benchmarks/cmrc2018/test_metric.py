from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.bench import metrics
from caveat.benchmarks.cmrc2018 import task as cmrc
from caveat.benchmarks.cmrc2018.task import longest_run, score_answer, score_answer_official
from caveat.language.words import cmrc_segments, treebank_words


@pytest.mark.parametrize(
    ("prediction", "golds", "exact", "f1"),
    [
        ("《红楼梦》", ["红楼梦"], 1, 1),
        # The longest run is 北京 (2 of 4 predicted, 2 of 3 gold): P 1/2, R 2/3.
        ("在北京市", ["北京城"], 0, 4 / 7),
        # Two pieces match, 上海 and 大学; only one counts: P 2/5, R 2/4.
        ("上海的大学", ["上海大学"], 0, 4 / 9),
        # The hyphens go before the run is cut, so the date is one segment.
        ("2018-05-03", ["20180503"], 1, 1),
        ("2018年", ["2018"], 0, 2 / 3),
        # 等等 is 2 of 4 segments: an ellipsis is never removed, and …… is cut as one word.
        ("等等……", ["等等"], 0, 0.8),
        ("狗", ["猫", "狗"], 1, 1),
    ],
)
def test_answers(prediction: str, golds: list[str], exact: float, f1: float) -> None:
    assert score_answer_official(prediction, golds) == (exact, pytest.approx(f1))
    assert score_answer(prediction, golds) == (exact, pytest.approx(f1))


def test_answers_of_punctuation_alone() -> None:
    assert score_answer_official("", ["。"]) == (1.0, 0.0)  # the published quirk
    assert score_answer("", ["。"]) == (1.0, 1.0)


def test_missing_and_average() -> None:
    scored = cmrc.score({"a": ["北京"], "b": ["上海"]}, {"a": "北京市"})
    assert scored.scores == {
        "exact_match": 0.0,
        "f1": pytest.approx(40.0),  # P 2/3, R 1
        "total": 2,
        "missing": 1,
        "average": pytest.approx(20.0),
    }
    assert cmrc.score_official({"a": ["北京"], "b": ["上海"]}, {"a": "北京市"}).scores == scored.scores


PIECES = st.text(alphabet="甲乙丙 ab\U00100000", max_size=12)


@given(PIECES, PIECES)
def test_the_longest_run_is_that_of_the_full_table(first: str, second: str) -> None:
    assert longest_run(first, second) == metrics.longest_run(cmrc_segments(first), cmrc_segments(second))


TEXT = st.text(alphabet="甲乙丙丁，。、 ab12.'-…", max_size=14)


@given(st.dictionaries(st.sampled_from("pqr"), st.lists(TEXT, min_size=1, max_size=3), min_size=1), TEXT)
def test_equals_the_plain_algorithm(gold: dict[str, list[str]], prediction: str) -> None:
    predicted = {"p": prediction, "q": prediction[::-1]}
    scores = cmrc.score_official(gold, predicted).scores
    assert (scores["exact_match"], scores["f1"]) == pytest.approx(
        metrics.plain_cmrc(gold, predicted, treebank_words)
    )
    assert 0 <= scores["f1"] <= 100


def test_a_prediction_of_very_many_words() -> None:
    words = [f"w{number}" for number in range(70_000)]
    exact, f1 = score_answer(" ".join(words), ["w7 w8"])
    assert exact == 0
    assert f1 == pytest.approx(2 * (2 / 70_000) / (1 + 2 / 70_000))
