"""What may have to hold for an answer, and what of it is stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from caveat.answerers.documents.open_conditions import OpenCondition, open_conditions, ruled, stated
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.core.logic import HOLDS, All, Expression, Not, atoms_of
from caveat.core.records import Document, Question
from caveat.models.joint import TextReading
from caveat.sources.markdown import parse_markdown

MakeReading = Callable[..., TextReading]
TICKETS = parse_markdown(
    "# Tickets\n\nWe open at nine.\n\nYou get your money back until 13 June, unless the show was moved. "
    "Ask at the desk.\n\nThe hall seats 90.\n\nChildren sit in front.\n"
)
REFUND = "You get your money back until 13 June, unless the show was moved."


def may_hold(
    make_reading: MakeReading, document: Document, sentence: str, said: Expression = HOLDS, **marked: float
) -> list[OpenCondition]:
    conditions = {words.replace("_", " "): probability for words, probability in marked.items()}
    reading = make_reading(document, kinds={"yes": 0.9}, conditions=conditions)
    start = document.text.index(sentence)
    place = start, start + len(sentence)
    found = open_conditions(Page.of(document), reading, Question("Can I?"), "yes", place, said)
    return [each for each in found if "clause" not in each.features]


def clauses(page: str, sentence: str, answer: str = "", kind: str = "yes", question: str = "") -> list[str]:
    """The clauses that may be conditions of an answer, or of what a sentence says."""
    document = parse_markdown(page)
    start = document.text.index(sentence)
    begin = document.text.index(answer, start) if answer else start
    place = begin, begin + len(answer or sentence)
    found = open_conditions(Page.of(document), TextReading(), Question(question), kind, place, HOLDS)
    return [atom.text for each in found for atom in atoms_of(each.expression)]


def test_clauses_that_the_reader_marks(make_reading: MakeReading) -> None:
    until, unless = may_hold(
        make_reading, TICKETS, REFUND, until_13_June=0.9, **{"unless the show was moved": 0.6}
    )
    assert [atom.text for atom in atoms_of(until.expression)] == ["until 13 June"]
    assert until.features["marked: condition"] == pytest.approx(0.9)
    assert until.features["marked: answer yes"] == 1.0
    # An exception must not be so.
    assert isinstance(unless.expression, Not)
    assert [atom.question for atom in atoms_of(unless.expression)] == ["Was the show moved?"]


def test_a_mark_far_from_the_answer_is_none_of_its_conditions(make_reading: MakeReading) -> None:
    assert may_hold(make_reading, TICKETS, REFUND, in_front=0.9) == []
    assert may_hold(make_reading, TICKETS, REFUND, seats_90=0.9) != []


def test_words_are_whole_and_single_letters_nothing(make_reading: MakeReading) -> None:
    page = Document("Firmware 1.3.0 runs it (a).")
    found = may_hold(make_reading, page, page.text, **{"3": 0.9})
    assert [atom.text for each in found for atom in atoms_of(each.expression)] == ["1.3.0"]
    found = may_hold(make_reading, page, page.text, **{"1.3.0": 0.9})
    assert [atom.text for each in found for atom in atoms_of(each.expression)] == ["1.3.0"]


def test_what_rules_say_comes_with_what_the_reader_thinks_of_it(make_reading: MakeReading) -> None:
    page = parse_markdown("# Pool\n\nYou can swim if you are a member.\n")
    sentence = "You can swim if you are a member."
    start = page.text.index(sentence)
    place = (start, start + len(sentence))
    said = ruled(Page.of(page), Question("Can I swim?"), "yes", place, WordsJudge())
    assert [atom.question for atom in atoms_of(said)] == ["Are you a member?"]
    (found,) = may_hold(make_reading, page, sentence, said, you_are_a_member=0.7)
    assert found.expression == said
    assert found.features["rule: condition"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({"marked": -1.0, "marked: condition": 2.0}, ["until 13 June"]),
        ({"marked": -1.0, "marked: condition": 4.0}, ["until 13 June", "unless the show was moved"]),
        ({"marked": -9.0}, []),
        ({}, []),
    ],
)
def test_what_is_stated_is_fitted(
    make_reading: MakeReading, weights: Mapping[str, float], expected: list[str]
) -> None:
    found = may_hold(make_reading, TICKETS, REFUND, until_13_June=0.9, **{"unless the show was moved": 0.3})
    assert [atom.text for atom in atoms_of(stated(found, weights))] == expected


def test_without_weights_it_is_what_rules_say(make_reading: MakeReading) -> None:
    page = parse_markdown("# Pool\n\nYou can swim if you are a member.\n")
    sentence = "You can swim if you are a member."
    start = page.text.index(sentence)
    said = ruled(Page.of(page), Question("Can I swim?"), "yes", (start, start + len(sentence)), WordsJudge())
    assert stated(may_hold(make_reading, page, sentence, said), {}) == said
    assert stated([], {}) == All()


@pytest.mark.parametrize(
    ("page", "sentence", "answer", "expected"),
    [
        ("You get a refund until 13 June.\n", "You get a refund until 13 June.", "", "until 13 June"),
        (
            "Dogs may come in, except in August.\n",
            "Dogs may come in, except in August.",
            "",
            "except in August",
        ),
        (
            "Vans are lent for groups of three.\n",
            "Vans are lent for groups of three.",
            "",
            "for groups of three",
        ),
        ("We pay up to $40. Receipts must be shown.\n", "We pay up to $40.", "$40", "Receipts must be shown"),
        ("- Card: 3 days\n- Cash: at once\n", "Card: 3 days", "3 days", "Card"),
        ("门票在开演前可以退。\n", "门票在开演前可以退。", "", "在开演前"),
        ("经馆长同意，可以拍照。\n", "经馆长同意，可以拍照。", "", "经馆长同意"),
        ("馆内不得喂鱼，节日除外。\n", "馆内不得喂鱼，节日除外。", "", "节日除外"),
        ("押金在归还后10日内退还。\n", "押金在归还后10日内退还。", "10日内", "押金在归还后"),
    ],
)
def test_clauses_that_limit_an_answer(page: str, sentence: str, answer: str, expected: str) -> None:
    assert expected in clauses(page, sentence, answer)


def test_the_answer_and_its_sentence_are_no_conditions() -> None:
    sentence = "You must be a member to swim."
    assert sentence.rstrip(".") not in clauses(f"{sentence}\n", sentence)
    assert not any(
        "until" in each for each in clauses("Open until 13 June.\n", "Open until", "until 13 June")
    )


def test_no_other_row_and_no_half_number() -> None:
    table = "| Version | Works |\n|---|---|\n| 1.3.0 | only with a key |\n| 1.2.0 | no, unless patched |\n"
    found = clauses(table, "1.3.0 | only with a key")
    assert "only with a key" in found
    assert not any("patched" in each for each in found)
    assert all("1.3.0" in each or "0" not in each for each in found)


def test_what_the_question_says_is_told_from_what_is_open() -> None:
    sentence = "You can stay if you bring a dog."
    document = parse_markdown(f"{sentence}\n")
    asked = Question("I bring a dog. Can I stay?")
    found = open_conditions(Page.of(document), TextReading(), asked, "yes", (0, len(sentence)), HOLDS)
    (condition,) = [each for each in found if "clause: begins if" in each.features]
    assert condition.features["clause: asked"] == 1.0
