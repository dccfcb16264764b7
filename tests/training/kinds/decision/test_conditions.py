"""Which conditions are stated, fitted to candidates by hand."""

from __future__ import annotations

import pytest

pytest.importorskip("scipy")

from caveat.answerers.documents.open_conditions import OpenCondition, chosen
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.core.logic import Atom
from caveat.core.records import Question
from caveat.sources.plain_text import parse_plain_text
from caveat.training.kinds.decision.conditions import (
    LabelledConditions,
    fitted_conditions,
    measured_conditions,
    unread_conditions,
)
from caveat.training.kinds.decision.labels import is_clause, shares_words


def labelled(number: int, marks: float = 1.0) -> LabelledConditions:
    """An answer with a clause that the reader marks where it is a condition, and a rule that never is one."""
    cue = number % 2
    found = (
        OpenCondition(Atom("you are 18"), {"marked": 1.0, "marked: condition": marks * (0.1 + 0.8 * cue)}),
        OpenCondition(Atom("it rains"), {"rule": 1.0, "rule: condition": 0.1 * marks}),
    )
    return LabelledConditions(found, (bool(cue), False), bool(cue), f"source {number}")


def test_what_the_reader_marks_is_stated() -> None:
    samples = [labelled(number) for number in range(80)]
    weights = fitted_conditions(samples, 0.1)
    for each in samples:
        stated = chosen(each.found, weights)
        assert [one in stated for one in each.found] == list(each.right)
    assert measured_conditions(samples, 0.1, 5) == {
        "right answers": 80,
        "need a condition": 40,
        "stated where needed": 100.0,
        "among the candidates": 100.0,
        "with a condition": 40,
        "stated where none is needed": 0.0,
        "with false ones alone": 0.0,
    }


def test_weights_are_drawn_to_those_of_pages_that_were_not_read() -> None:
    unread = [labelled(number) for number in range(80)]
    prior = fitted_conditions(unread, 0.1)
    assert fitted_conditions([], 0.1, prior) == prior
    few = fitted_conditions([labelled(0), labelled(1)], 10.0, prior)
    assert few["marked: condition"] == pytest.approx(prior["marked: condition"], abs=0.2)
    assert measured_conditions([labelled(0), labelled(1)], 10.0, 5, unread)["stated where needed"] == 100.0


def test_places_and_clauses_of_a_page_that_is_not_read() -> None:
    page = Page.of(parse_plain_text("Tickets are dear. You get 5 euros back until 13 June. Ask us."))
    item = {
        "kind": "span",
        "answers": ["5 euros"],
        "evidence": ["You get 5 euros back until 13 June."],
        "conditions": ["until 13 June"],
        "repository": "town",
    }
    found = unread_conditions(Question("How much?"), page, item, WordsJudge())
    assert found is not None
    assert found.needed
    assert any(found.right)
    assert unread_conditions(Question("How much?"), page, item | {"evidence": ["gone"]}, WordsJudge()) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("until 13 June", "back until 13 June", True),
        ("until 13 June", "You get all of your money back until 13 June if you ask", False),
    ],
)
def test_a_sentence_is_not_the_clause_in_it(one: str, other: str, same: bool) -> None:
    assert is_clause(one, other) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("within 72 hours", "if you cancel within 72 hours of booking", True),
        ("you are a member", "you rent a garden", False),
        ("经学校核准", "得经学校核准", True),
        ("", "you rent", False),
    ],
)
def test_clauses_that_say_the_same(one: str, other: str, same: bool) -> None:
    assert shares_words(one, other) is same
