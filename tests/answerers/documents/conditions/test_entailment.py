"""What a scenario says of a condition, by numbers and by words."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.conditions.entailment import Judgement, judge, settle_by_scenario
from caveat.core.logic import All, Atom, Not
from caveat.language.intervals import intervals_in


@pytest.mark.parametrize(
    ("question", "scenario", "judgement"),
    [
        ("Are you over 60?", "I am 64 and I like tea.", "entailed"),
        ("Were you born before 31 March 2020?", "I was born on 29 March 2020.", "entailed"),
        ("Were you born before 31 March 2020?", "I was born on 31 March 2020.", "contradicted"),
        ("Have you rowed for at least twenty years?", "I have rowed for twenty five years.", "entailed"),
        ("Are you over 60?", "I’m 60.", "contradicted"),
        ("Are you aged 60 or over?", "I'm 60, and retired.", "entailed"),
        ("Are you under 18?", "I am a 56 year old man.", "contradicted"),
        ("Are you over 60?", "My son is 12 years old.", "open"),
        ("Is your son under 16?", "My son is 12 years old.", "entailed"),
        ("Do you earn at least £113 a week?", "I make about £10,000 a year.", "entailed"),
        ("Do you earn at least £113 a week?", "I make 90 pounds a week.", "contradicted"),
        ("Do you earn at least £113 a week?", "I was paid £90 once.", "open"),
        ("Is the file less than 10MB?", "The file has 300 kb.", "entailed"),
        ("Were you born before 6 April 1951?", "I was born in 1949.", "entailed"),
        ("Were you born before 6 April 1951?", "I was born in 1951.", "open"),
        ("Have you rowed for at least 26 weeks?", "I have rowed for over a year.", "entailed"),
        ("Have you rowed for at least 26 weeks?", "I came here 3 weeks ago.", "open"),
        ("Do you own a boat?", "I own a boat.", "open"),
        ("Do you own a blue boat?", "I bought a blue boat.", "entailed"),
        ("Do you own a blue boat?", "I never had a blue boat.", "contradicted"),
        ("Do you own a blue boat?", "I don’t have a blue boat but I like boats.", "contradicted"),
        ("Do you own a blue boat?", "I like tea.", "open"),
        ("Do you own a blue boat?", "", "open"),
        ("Is your neighbour a married woman?", "My neighbour is a married man.", "contradicted"),
    ],
)
def test_judgements(question: str, scenario: str, judgement: Judgement) -> None:
    assert judge(scenario, question) == judgement
    assert judge(scenario, Atom("words", question)) == judgement


def test_a_scenario_that_contradicts_itself_settles_nothing() -> None:
    assert judge("I am 64. I am 30.", "Are you over 60?") == "open"


def test_what_the_scenario_says_is_settled() -> None:
    age, boat, tea = (Atom(q, q) for q in ("Are you over 60?", "Do you own a blue boat?", "Is it tea time?"))
    expression = All((age, Not(boat), tea))
    assert settle_by_scenario(expression, "I am 64 and have no blue boat.") == tea
    assert settle_by_scenario(expression, "") == expression


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"),
    [
        ("over 60", "age", 60.5, inf),
        ("aged 18 or over", "age", 18, inf),
        ("under the age of 16", "age", -inf, 15.5),
        ("up to £16,000", "money", -inf, 16000),
        ("£20 a week", "money", 1040, 1040),
        ("forty thousand pounds", "money", 40000, 40000),
        ("at least 2 weeks", "duration", 14, inf),
        ("more than 50 miles", "length", 80450.5, inf),
        ("60% or more", "percent", 60, inf),
    ],
)
def test_quantities_are_intervals(text: str, dimension: str, low: float, high: float) -> None:
    (found,) = intervals_in(text)
    assert (found.dimension, found.low, found.high) == (dimension, low, high)


def test_numbers_of_nothing_known_are_none() -> None:
    assert intervals_in("I have 3 children, 2 of them at school") == []
    assert [found.dimension for found in intervals_in("at least 16 and under 19")] == ["age", "age"]


@given(st.text(max_size=100), st.text(max_size=100))
def test_anything_can_be_judged(scenario: str, question: str) -> None:
    assert judge(scenario, question) in ("entailed", "contradicted", "open")
    for found in intervals_in(scenario):
        assert found.low <= found.high
