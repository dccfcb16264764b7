"""Statements and their labels, from dialogues and from answered questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalQuestion
from caveat.benchmarks.sharc.data_set import FollowUp, SharcUtterance
from caveat.training.kinds.judge.data import (
    Statement,
    conditionalqa_statements,
    read_statements,
    sharc_statements,
)


def utterance(scenario: str, **more: object) -> SharcUtterance:
    return SharcUtterance("u", "t", "url", "You can moor here if …", "Can I moor here?", scenario, **more)  # type: ignore[arg-type]


def test_what_a_scenario_answers_is_settled_and_what_is_asked_all_the_same_is_open() -> None:
    paid, flag = "Have you paid?", "Do you fly a flag?"
    said = "I paid on Monday, and I fly none."
    found = sharc_statements(
        [
            utterance(said, history=(FollowUp(flag, "No"),), evidence=(FollowUp(paid, "yes"),), answer="No"),
            utterance(said, evidence=(FollowUp(flag, "No"), FollowUp(paid, "Yes")), answer="No"),
            utterance("I like it here.", answer=paid),
            utterance("", history=(FollowUp(paid, "Yes"),), answer=flag),
        ]
    )
    assert [(one.scenario, one.statement, one.label) for one in found] == [
        (said, paid, "entailed"),
        (said, flag, "contradicted"),
        ("I like it here.", paid, "open"),
    ]
    assert {one.premise for one in found} == {f"Can I moor here? {said}", "Can I moor here? I like it here."}
    assert {one.source for one in found} == {"You can moor here if …"}


def asked(answers: list[tuple[str, tuple[str, ...]]], *evidences: str, url: str = "u") -> ConditionalQuestion:
    return ConditionalQuestion(
        url,
        url,
        "I keep bees.",
        "Can I get it?",
        answers=tuple(ConditionalAnswer(text, conditions) for text, conditions in answers),
        evidences=evidences,
    )


def conditions(question: ConditionalQuestion) -> dict[str, str]:
    found = conditionalqa_statements([question], 1)
    return {one.statement: one.label for one in found if one.purpose == "condition"}


ALL = "<p>You can get the grant if all of the following apply:</p>"
ANY = "<p>You can get the grant if one of the following applies:</p>"
OVER, RENT = "<li>you’re over 18</li>", "<li>you rent your home</li>"
HAD = "<p>You cannot get the grant if you have had one before.</p>"


def test_of_a_rule_that_leads_to_yes_everything_holds_that_is_not_a_condition() -> None:
    assert conditions(asked([("yes", (RENT,))], ALL, OVER, RENT)) == {
        "Are you over 18?": "entailed",
        "Do you rent your home?": "open",
    }
    # A denial holds for "no", and fails for "yes".
    assert conditions(asked([("yes", ())], HAD)) == {"Have you had one before?": "contradicted"}
    assert conditions(asked([("no", ())], HAD)) == {"Have you had one before?": "entailed"}


def test_alternatives_say_something_only_where_there_is_one() -> None:
    assert conditions(asked([("yes", ())], ANY, OVER, RENT)) == {}
    assert conditions(asked([("yes", ())], ANY, RENT)) == {"Do you rent your home?": "entailed"}
    # For "no" none of them may hold.
    assert conditions(asked([("no", ())], ANY, OVER, RENT)) == {
        "Are you over 18?": "contradicted",
        "Do you rent your home?": "contradicted",
    }
    assert conditions(asked([("no", ())], ALL, OVER, RENT)) == {}


def test_answers_that_say_nothing_of_a_rule() -> None:
    assert conditions(asked([("yes", ()), ("no", ())], HAD)) == {}
    assert conditions(asked([], ALL, OVER)) == {}
    # A denial, or a demand, beside an extracted answer may be of another matter; a case is its case.
    assert conditions(asked([("£300", ())], HAD)) == {}
    assert conditions(asked([("£300", ())], "<p>You get £300 if you keep bees.</p>")) == {
        "Do you keep bees?": "entailed"
    }
    # A condition in which no rule is read stands for itself.
    row = "<p>Bees and wasps in towns</p>"
    assert conditions(asked([("yes", (row,))], row)) == {"Bees and wasps in towns": "open"}


def test_yes_and_no_with_evidences_and_with_those_of_others() -> None:
    own, near, far = "<p>Beekeepers get it.</p>", "<p>Ask for a form.</p>", "<p>Boats pay a fee.</p>"
    first, second = asked([("yes", ())], own), asked([("£5", ())], near)
    other = asked([("no", ())], far, url="elsewhere")
    for seed in range(6):
        found = conditionalqa_statements([first, second, other], seed)
        texts = {(one.statement, one.label) for one in found if one.purpose == "answer" and one.source == "u"}
        assert ("Beekeepers get it.", "entailed") in texts
        assert ("Ask for a form.", "open") in texts
        assert {"Beekeepers get it. Ask for a form.", "Ask for a form. Beekeepers get it."} & {
            text for text, label in texts if label == "entailed"
        }
        assert texts <= {
            ("Beekeepers get it.", "entailed"),
            ("Beekeepers get it. Ask for a form.", "entailed"),
            ("Ask for a form. Beekeepers get it.", "entailed"),
            ("Ask for a form.", "open"),
            ("Boats pay a fee.", "open"),
        }
        assert [one.label for one in found if one.statement == "Boats pay a fee." and one.source != "u"] == [
            "contradicted"
        ]
        assert all(one.premise == "answer: Can I get it? I keep bees." for one in found)


def test_all_statements_of_a_page_are_in_one_fold() -> None:
    found = conditionalqa_statements([asked([("no", ())], HAD), asked([("yes", ())], ALL, OVER)], 1)
    assert len({one.fold(5) for one in found}) == 1
    folds = Counter(Statement("", "", "open", "condition", str(n)).fold(5) for n in range(200))
    assert set(folds) == set(range(5))


@pytest.mark.shared
def test_the_published_files_give_statements_of_every_kind(shared: Path) -> None:
    folder = shared / "data" / "conditionalqa"
    found = read_statements("sharc", folder / "sharc_dev.json.gz", 1)
    assert Counter(one.label for one in found) == {"open": 654, "contradicted": 413, "entailed": 340}
    found = read_statements("conditionalqa", folder / "dev_part.json", 1)
    assert len(Counter((one.purpose, one.label) for one in found)) == 6
