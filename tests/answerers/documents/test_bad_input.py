"""Input that nobody meant: scenarios that contradict themselves, endless lists, deep nesting, no question at all."""

from __future__ import annotations

import pytest

import caveat
from caveat.answerers.documents.conditions.entailment import contradicts_itself
from caveat.answerers.documents.conditions.rules import Rulebook
from caveat.answerers.documents.scenario import ScenarioJudge
from caveat.core.logic import atoms_of
from caveat.models.judge import Verdict
from caveat.sources.markdown import parse_markdown

POOL = parse_markdown(
    "# Swimming pool\n\nYou can swim for free if you are under 16.\n\nYou cannot swim if you have an open wound.\n"
)


class Sure:
    """A judge that takes everything to be so."""

    def judge(self, pairs: object) -> list[Verdict]:
        return [Verdict(0.9, 0.05, 0.05) for _ in pairs]  # type: ignore[attr-defined]


def test_a_scenario_that_contradicts_itself_settles_nothing() -> None:
    said = "I am 14. My letter says that I am 40 years old."
    assert contradicts_itself(said, "Are you under 16?")
    assert not contradicts_itself("I am 14 years old.", "Are you under 16?")
    (verdict,) = ScenarioJudge(Sure()).judge([("Are you under 16?", said)])
    assert verdict.open > 0.5
    reply = caveat.ask("Can I swim for free?", POOL, scenario=said)
    assert not reply.answers or reply.answers[0].conditions or reply.answers[0].text == "no"


def test_a_scenario_in_the_other_language_changes_nothing_or_what_it_says() -> None:
    plain = caveat.ask("Can I swim for free?", POOL)
    said = caveat.ask("Can I swim for free?", POOL, scenario="我今天很高兴。")
    assert said.answered == plain.answered
    assert [answer.text for answer in said.answers] == [answer.text for answer in plain.answers]


def test_a_list_of_two_thousand_items_is_no_condition_of_its_introduction() -> None:
    items = "\n".join(f"- item {number} at {number % 97 + 1} euros" for number in range(2000))
    page = parse_markdown(f"# Prices\n\nYou can buy the following if you are a member:\n\n{items}\n")
    book = Rulebook(page)
    governing = book.said_of(1)
    assert governing is not None
    assert [atom.text for atom in atoms_of(governing)] == ["you are a member"]
    reply = caveat.ask("Can I buy anything?", page)
    assert all(len(answer.conditions) <= 1 for answer in reply.answers)


def test_conditions_nested_five_deep() -> None:
    page = parse_markdown(
        "# Permit\n\nYou can get a permit if all of these apply:\n\n- you own a boat that is either:\n"
        "  - longer than 5 metres\n  - equipped with a motor that is:\n    - electric\n    - built before 1990, if:\n"
        "      - it was repaired and:\n        - the repair is certified\n"
    )
    reply = caveat.ask("Can I get a permit?", page)
    assert reply.answers
    governing = Rulebook(page).said_of(1)
    assert governing is not None
    assert all(atom.text.strip() for atom in atoms_of(governing))


@pytest.mark.parametrize(
    "said", ["hello", "?", "...", "Thank you very much!", "Good morning everyone", "谢谢你！", "您好", "🙂"]
)
def test_what_is_no_question_is_not_answered(said: str) -> None:
    assert not caveat.ask(said, POOL).answered
