"""Questions beside pages that speak to them and pages that do not."""

from __future__ import annotations

import numpy as np
import pytest

from caveat.answerers.documents.silence import silence_features
from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument, ConditionalQuestion
from caveat.models.logit import embedded_weights
from caveat.training.kinds.judge.judgements import Pair
from caveat.training.kinds.judge.silence import (
    Spoken,
    asked_words,
    fit_answered,
    on_pages,
    on_texts,
    silence_figures,
)

FOODS = ("acorns", "barley", "crabs", "eggs", "figs", "grain", "hay", "insects", "leaves", "mussels")
BEASTS = (
    "badger",
    "camel",
    "dolphin",
    "ferret",
    "gorilla",
    "hamster",
    "iguana",
    "jackal",
    "koala",
    "lobster",
)
PAIRS = [
    Pair(f"May I keep a {beast}? I live in a flat.", f"Feed your {beast} {food} daily.", "entailed")
    for beast, food in zip(BEASTS, FOODS, strict=True)
]


def test_pages_are_made_of_texts() -> None:
    found = list(on_texts(PAIRS, 1))
    assert {each.kind for each in found} == {"own", "likest other", "any other"}
    for each in found:
        beast = each.question.text.removeprefix("May I keep a ").rstrip("?")
        assert beast in BEASTS
        assert (beast in each.page.document.text) == each.answered
        assert beast in each.source
    assert found[0].question == next(on_texts(PAIRS, 1)).question


def test_the_evidence_is_taken_out_of_a_page() -> None:
    pages = {
        "a": ConditionalDocument("", "a", ("<p>You can keep bees.</p>", "<p>You can keep hens.</p>")),
        "b": ConditionalDocument("", "b", ("<p>Ships leave at noon.</p>",)),
        "c": ConditionalDocument("", "c", ("<p>You can keep goats.</p>",)),
    }
    question = ConditionalQuestion(
        id="1",
        url="a",
        scenario="",
        question="Can I keep bees?",
        not_answerable=False,
        answers=(ConditionalAnswer("yes", ()),),
        evidences=("<p>You can keep bees.</p>",),
    )
    texts = {each.kind: each.page.document.text for each in on_pages([question], pages, 1)}
    assert "bees" in texts["own"]
    assert texts["own without its evidence"].strip() == "You can keep hens."
    assert texts["likest other"].strip() == "You can keep goats."
    assert "bees" not in texts["any other"]


def test_what_is_fitted_tells_them_apart() -> None:
    spoken: list[Spoken] = list(on_texts(PAIRS, 1))
    asked = asked_words([[pair.judged for pair in PAIRS], ["Will they keep it?", "Is it so?"]])
    assert asked["keep"] == 0.5
    assert "camel" not in asked
    features = [silence_features(each.page, each.question, asked) for each in spoken]
    logit, held_out = fit_answered(spoken, features, silent=1.0, l2=0.1, folds=3)
    assert logit.weights["best element"] > 0
    figures = silence_figures(spoken, held_out, silent=1.0)
    assert figures["answered or not"]["accuracy"] == 100
    assert figures["answered or not"]["auc"] == 100
    assert figures["held to be silent"] == {"own": 0, "likest other": 100, "any other": 100}


def test_figures_by_hand() -> None:
    spoken = list(on_texts(PAIRS[:3], 1))[:3]
    found = silence_figures(spoken, np.array([0.8, 0.4, 0.6]), silent=1.0)
    # One of the two pages that do not speak to it, which count half, is held to.
    assert found["answered or not"]["accuracy"] == 75
    loss = -(np.log(0.8) + 0.5 * np.log(0.6) + 0.5 * np.log(0.4)) / 2
    assert found["answered or not"]["log loss"] == pytest.approx(loss, abs=1e-4)
    assert found["answered or not"]["calibration error"] == pytest.approx((0.2 + 0.5 * 0.4 + 0.5 * 0.6) / 2)
    assert found["held to be silent"] == {"own": 0, "likest other": 100, "any other": 0}


def test_texts_that_may_answer_too_are_left_out() -> None:
    found = list(on_texts(PAIRS, 1, others_silent=False))
    assert {each.kind for each in found} == {"own"}
    assert {each.yes for each in found} == {1.0}
    assert {each.yes for each in on_texts(PAIRS, 1, labelled=False)} == {None}


def test_the_weights_of_the_package() -> None:
    weights = embedded_weights()
    assert 0 < weights.asked["need"] < 1
