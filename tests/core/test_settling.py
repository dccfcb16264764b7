"""Settling a reply by the record alone, after a journey through JSON."""

from __future__ import annotations

import pytest

from caveat.core.answers import AllOf, Answer, AnyOf, Condition, Requirement
from caveat.core.errors import InputError
from caveat.core.records import Question, Reply, from_json, to_json

RENTS = Condition("you rent your home", question="Do you rent your home?")
HAD = Condition("you’ve had one before", question="Have you had one before?", wanted=False)
MOVED = Condition("you’ve moved since", question="Have you moved since?")


def reply(
    requires: Requirement | None = None, conditions: tuple[Condition, ...] = (RENTS, HAD, MOVED)
) -> Reply:
    yes = Answer("yes", "yes", 0.6, conditions=conditions, requires=requires)
    no = Answer("no", "no", 0.3, otherwise=True)
    return from_json(to_json(Reply(Question("Can I get it?"), (yes, no), 0.1)), Reply)


UNLESS = AllOf((0, AnyOf((1, 2))))


def texts(reply: Reply) -> list[str]:
    return [answer.text for answer in reply.answers]


def test_the_most_decisive_question_comes_first() -> None:
    # A no to the first settles all three, a yes one; either answer to another leaves the first and one more at most.
    assert [condition.question for condition in reply(UNLESS).open] == [
        "Do you rent your home?",
        "Have you had one before?",
        "Have you moved since?",
    ]


def test_an_answer_that_cannot_hold_gives_way_to_the_other() -> None:
    left = reply(UNLESS).settle(RENTS, False)
    assert texts(left) == ["no"]
    assert left.answers[0].otherwise is False
    assert left.answers[0].score == pytest.approx(0.75)
    assert left.unanswerable == pytest.approx(0.25)


def test_what_is_met_is_dropped() -> None:
    left = reply(UNLESS).settle(RENTS, True)
    assert left.answers[0].conditions == (HAD, MOVED)
    assert left.answers[0].requires == AnyOf((0, 1))
    assert texts(left) == ["yes", "no"]


def test_wanted_no_is_met_by_a_no() -> None:
    left = reply(UNLESS).settle(RENTS, True).settle(HAD, False)
    assert texts(left) == ["yes"]
    assert left.answers[0].conditions == ()
    assert left.open == ()


def test_the_exception_to_the_exception() -> None:
    left = reply(UNLESS).settle(RENTS, True).settle("have you had one before?", True)
    assert left.answers[0].conditions == (MOVED,)
    assert left.answers[0].requires is None
    assert texts(left.settle(MOVED, True)) == ["yes"]
    assert texts(left.settle(MOVED, False)) == ["no"]


def test_without_requires_all_conditions_must_hold() -> None:
    left = reply(None, (RENTS, MOVED))
    assert texts(left.settle(MOVED, False)) == ["no"]
    assert left.settle(MOVED, True).answers[0].conditions == (RENTS,)


def test_settling_is_pure() -> None:
    before = reply(UNLESS)
    copy = to_json(before)
    before.settle(RENTS, False)
    assert to_json(before) == copy


def test_what_nobody_asks_cannot_be_settled() -> None:
    with pytest.raises(InputError, match="Do you smoke"):
        reply(UNLESS).settle("Do you smoke?", True)


def test_nothing_is_left() -> None:
    only = Reply(Question("How much?"), (Answer("£5", "span", 0.9, conditions=(RENTS,)),), 0.1)
    left = only.settle(RENTS, False)
    assert left.answers == ()
    assert left.unanswerable == 1.0
    assert not left.answered


def test_answers_that_hold_together_keep_their_scores() -> None:
    town, village = (
        Condition(f"you live in a {where}", question=f"Do you live in a {where}?")
        for where in ("town", "village")
    )
    both = Reply(
        Question("How much?"),
        (
            Answer("£80", "span", 0.9, conditions=(town,)),
            Answer("£120", "span", 0.8, conditions=(village,)),
            Answer("a rake", "span", 0.7),
        ),
        0.1,
        together=True,
    )
    left = both.settle(town, False)
    assert [(answer.text, answer.score) for answer in left.answers] == [("£120", 0.8), ("a rake", 0.7)]
    assert [answer.text for answer in both.settle(town, True).answers] == ["£80", "£120", "a rake"]


def test_parts_are_settled_with_their_answer() -> None:
    mild = Condition("症状较轻", question="症状较轻吗？")
    severe = Condition("症状较重", question="症状较重吗？")
    answer = Answer(
        "药物治疗",
        "span",
        0.9,
        parts=(
            Answer("甲药", "span", 0.8, conditions=(mild,)),
            Answer("乙药", "span", 0.7, conditions=(severe,)),
        ),
    )
    asked = Reply(Question("怎么治疗？"), (answer,), together=True)
    left = asked.settle(mild, False)
    assert [part.text for part in left.answers[0].parts] == ["乙药"]
    assert left.settle("症状较重吗？", False).answers == ()


def test_requires_names_conditions_that_there_are() -> None:
    with pytest.raises(ValueError, match="does not have"):
        Answer("yes", "yes", 0.5, conditions=(RENTS,), requires=AllOf((0, 1)))


def test_what_was_answered_stays_answered() -> None:
    firm = Answer("no refund", "span", 0.45, conditions=(Condition("not ill", question="Are you well?"),))
    other = Answer("all of it", "span", 0.1)
    settled = Reply(Question("Is there a refund?"), (firm, other), 0.4).settle("Are you well?", False)
    assert [answer.text for answer in settled.answers] == ["all of it"]
    assert settled.answered
