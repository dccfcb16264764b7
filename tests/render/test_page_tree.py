"""How the page says which of an answer's conditions must hold."""

from __future__ import annotations

from caveat.core.answers import AllOf, Answer, AnyOf, Condition
from caveat.core.records import Document, Question, Reply
from caveat.render.answer_tree import answer_tree
from caveat.render.page import logic_in_labels, reply_page
from caveat.render.words import words_of

RENTS, HAD, MOVED = (
    Condition("you rent"),
    Condition("you’ve had one", wanted=False),
    Condition("you’ve moved"),
)


def reply(answer: Answer) -> Reply:
    return Reply(Question("Can I?"), (answer, Answer("no", "no", 0.3, otherwise=True)), 0.1)


def test_the_logic_is_said_in_labels() -> None:
    yes = Answer("yes", "yes", 0.6, conditions=(RENTS, HAD, MOVED), requires=AllOf((0, AnyOf((1, 2)))))
    first, second = answer_tree(reply(yes), {}).branches
    assert logic_in_labels(first, words_of("en")) == "A and (not B or C)"
    assert [(node.text, node.otherwise) for node in second.answers] == [("no", True)]
    page = reply_page(reply(yes), {"a.txt": Document("text")})
    assert "A and (not B or C)" in page
    assert "no, otherwise" in page


def test_all_of_them_needs_no_logic() -> None:
    yes = Answer("yes", "yes", 0.6, conditions=(RENTS, MOVED))
    assert answer_tree(reply(yes), {}).branches[0].requires is None
    assert "A and B" not in reply_page(reply(yes), {"a.txt": Document("text")})
