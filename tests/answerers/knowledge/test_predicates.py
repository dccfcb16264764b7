from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from caveat.answerers.knowledge.words import Matcher, MatcherFile, pack, units_of, whole
from caveat.core.errors import InputError
from caveat.training.kinds.matching.matcher import MatcherSettings, fit_matcher

# Two dimensions: the first is price, the second author.
FILE = MatcherFile(
    2,
    pack(["钱", "写"], np.array([[4.0, 0.0], [0.0, 4.0]], dtype=np.float32)),
    pack(["价", whole("作者")], np.array([[2.0, 0.0], [0.0, 2.0]], dtype=np.float32)),
    {"定价": 3, "作者": 1},
)


def test_scores_are_log_likelihood_ratios() -> None:
    matcher = Matcher(FILE)
    question = matcher.question(units_of("□多少钱"))
    assert question == pytest.approx([4, 0], rel=0.01)
    # 定价 (3 of 4 questions) at 8, 作者 at 0; in the mean over both exp(score) is 1.
    none = math.log(0.75 * math.exp(8) + 0.25)
    assert matcher.scores(question, ["定价", "作者"]) == pytest.approx([8 - none, -none], abs=0.1)
    assert np.exp(matcher.scores(question, ["定价", "作者"])) @ [0.75, 0.25] == pytest.approx(1)


def test_a_predicate_that_was_never_asked_for_is_known_by_its_characters() -> None:
    matcher = Matcher(FILE)
    question = matcher.question(units_of("□多少钱"))
    price, unknown = matcher.scores(question, ["售价", "面积"])
    assert price > unknown
    assert (matcher.count("定价"), matcher.count("售价")) == (3, 0)


def test_an_unknown_question_tells_nothing() -> None:
    matcher = Matcher(FILE)
    assert matcher.scores(matcher.question([]), ["定价", "作者", "面积"]) == pytest.approx(
        [0, 0, 0], abs=1e-6
    )


def test_packed_vectors_are_near_what_was_packed() -> None:
    rows = np.random.default_rng(5).normal(size=(7, 3)).astype(np.float32)
    file = MatcherFile(3, pack(list("abcdefg"), rows), pack(["a"], rows[:1]), {"a": 1})
    again = Matcher(msgspec.json.decode(msgspec.json.encode(file), type=MatcherFile))
    for place, gram in enumerate("abcdefg"):
        assert again.question([gram]) == pytest.approx(
            rows[place], abs=0.01 * float(np.abs(rows[place]).max())
        )


def test_a_damaged_file_is_told() -> None:
    broken = msgspec.structs.replace(FILE, questions=msgspec.structs.replace(FILE.questions, grams=["钱"]))
    with pytest.raises(InputError, match="damaged"):
        Matcher(broken)


PAIRS = [
    (units_of(text), predicate)
    for text, predicate in [
        *[("□多少钱", "定价"), ("买□要多少钱", "定价"), ("□卖多少钱", "定价")] * 4,
        *[("□是谁写的", "作者"), ("谁写了□", "作者"), ("□谁写的呢", "作者")] * 4,
        *[("□有多高", "高度"), ("□高多少", "高度")] * 3,
    ]
]


def test_a_fit_learns_what_shares_no_character() -> None:
    settings = MatcherSettings(dimensions=8, epochs=30, batch=8, least=2)
    notes: list[str] = []
    matcher = Matcher(fit_matcher(PAIRS, settings, seed=3, note=notes.append))
    predicates = ["定价", "作者", "高度"]
    for text, predicate in (("□多少钱呢", "定价"), ("□是谁写", "作者"), ("□多高", "高度")):
        scores = matcher.scores(matcher.question(units_of(text)), predicates)
        assert predicates[int(np.argmax(scores))] == predicate
    assert len(notes) == 31
    assert "right 100.0%" in notes[-1]


def test_a_fit_with_the_same_seed_is_the_same() -> None:
    settings = MatcherSettings(dimensions=4, epochs=2, batch=8)
    assert fit_matcher(PAIRS, settings, seed=3) == fit_matcher(PAIRS, settings, seed=3)
