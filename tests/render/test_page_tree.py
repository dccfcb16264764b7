"""How the page says which of an answer's conditions must hold."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from caveat.core.answers import AllOf, Answer, AnyOf, Condition
from caveat.core.records import Document, Question, Reply
from caveat.render.answer_tree import answer_tree
from caveat.render.page import reply_page

RENTS, HAD, MOVED = (
    Condition("you rent"),
    Condition("you’ve had one", wanted=False),
    Condition("you’ve moved"),
)


def reply(answer: Answer) -> Reply:
    return Reply(Question("Can I?"), (answer, Answer("no", "no", 0.3, otherwise=True)), 0.1)


def test_conditions_stand_in_their_groups() -> None:
    yes = Answer("yes", "yes", 0.6, conditions=(RENTS, HAD, MOVED), requires=AllOf((0, AnyOf((1, 2)))))
    page = reply_page(reply(yes), {"a.txt": Document("text")})
    (groups,) = LexborHTMLParser(page).css("li.branch > ul.groups")
    assert " ".join(groups.text().split()) == (
        "if all of A you rent any of B not: you’ve had one C you’ve moved"
    )
    assert "yes, if …" in page
    assert "no, otherwise" in page


def test_a_condition_that_is_named_twice_is_linked_once() -> None:
    either = AnyOf((AllOf((0, 1)), AllOf((0, 2))))
    page = reply_page(
        reply(Answer("yes", "yes", 0.6, conditions=(RENTS, HAD, MOVED), requires=either)),
        {"a.txt": Document("text")},
    )
    assert page.count("you rent") == 1


def test_all_of_them_needs_no_logic() -> None:
    yes = Answer("yes", "yes", 0.6, conditions=(RENTS, MOVED))
    assert answer_tree(reply(yes), {}).branches[0].requires is None
    assert "A and B" not in reply_page(reply(yes), {"a.txt": Document("text")})
