"""What a judge is asked about a scenario: each condition once, and no more text than there is room for."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from caveat.answerers.documents.conditions.entailment import excerpt
from caveat.answerers.documents.scenario import PremiseFirst, ScenarioJudge
from caveat.answerers.engine import load
from caveat.core.records import Document, Question
from caveat.models.joint import JointReader
from caveat.models.judge import Verdict

OPEN = Verdict(0.1, 0.1, 0.8)
SENTENCE = "I moved to the coast with two cats. "


class Counting:
    """A judge that leaves all open and keeps what it was given."""

    def __init__(self) -> None:
        self.read: list[tuple[str, str]] = []

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        given = list(pairs)
        self.read += given
        return [OPEN] * len(given)


def characters_read(conditions: int, scenario: str) -> int:
    model = Counting()
    ScenarioJudge(model).judge((f"Is your garden number {n} watered?", scenario) for n in range(conditions))
    assert len(model.read) == conditions
    return sum(len(text) for _, text in model.read)


def test_an_ordinary_scenario_is_read_whole_for_every_condition() -> None:
    scenario = SENTENCE * 40
    assert characters_read(20, scenario) == 20 * len(scenario)


def test_what_is_read_grows_with_the_sum_of_conditions_and_scenario() -> None:
    scenario = (SENTENCE * 600)[:20_000]
    assert characters_read(80, scenario) <= 60_000 + 80 * 600
    assert characters_read(800, scenario) <= 60_000 + 800 * 600


def test_the_same_pair_is_judged_once_for_a_question() -> None:
    model = Counting()
    judge = ScenarioJudge(model)
    pairs = [("Do you own a blue boat?", SENTENCE), ("Are you a member?", SENTENCE)]
    assert judge.judge([*pairs, pairs[0]]) == [OPEN] * 3
    assert judge.judge(pairs) == [OPEN] * 2
    assert model.read == pairs


def test_an_excerpt_has_the_sentences_that_share_most_with_the_question_in_their_order() -> None:
    scenario = f"{SENTENCE}My boat is blue. {SENTENCE * 100}I row the boat on Sundays. {SENTENCE * 100}"
    found = excerpt(scenario, "Is your blue boat on the river?", 60)
    assert found == "My boat is blue. I row the boat on Sundays."


def test_an_excerpt_of_one_endless_sentence_is_its_beginning() -> None:
    assert excerpt("cat " * 5_000, "Do you own a cat?", 8) == "cat cat "


def test_what_is_far_into_a_long_scenario_is_found_for_its_condition() -> None:
    model = Counting()
    scenario = f"{SENTENCE * 500}My boat leaks. {SENTENCE * 10}"
    conditions = [f"Is your garden number {n} watered?" for n in range(100)]
    ScenarioJudge(model).judge((each, scenario) for each in [*conditions, "Did your boat sink?"])
    assert "My boat leaks." in model.read[-1][1]


def test_a_judge_is_given_what_was_said_as_its_premise() -> None:
    model = Counting()
    ScenarioJudge(PremiseFirst(model)).judge([("Is your garden watered?", "I have a boat.")])
    assert model.read == [("I have a boat.", "Is your garden watered?")]


@pytest.mark.slow
def test_each_pair_is_judged_once_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[str, str]] = []
    read = JointReader.judge

    def counted(self: JointReader, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        given = list(pairs)
        judged.extend(given)
        return read(self, given)

    monkeypatch.setattr(JointReader, "judge", counted)
    page = "# Shed grant\n\nYou can get the grant if:\n\n- you keep bees\n- your shed is older than the law\n"
    load().ask(Question("Can I get the grant?", "The hives behind our house are mine."), Document(page))
    assert judged
    assert len(judged) == len(set(judged))
