from __future__ import annotations

import pytest

from caveat.core.answers import Answer, Condition, Place
from caveat.core.errors import InputError
from caveat.core.records import (
    Document,
    Element,
    KnowledgeBase,
    Question,
    Reply,
    Source,
    Table,
    from_json,
    to_json,
)

DOCUMENT = Document(
    "Fees\nIt costs £5.", "Fees", elements=(Element("h1", "Fees", 0, 4), Element("p", "It costs £5.", 5, 17))
)
ANSWER = Answer(
    "£5",
    "span",
    0.75,
    Place("fees.html", 14, 16, ("Fees",)),
    (Condition("if you are over 18", Place("fees.html", 20, 38)),),
    (Place("fees.html", 5, 17),),
    (Answer("£5", "entity", 0.5),),
)
REPLY = Reply(Question("How much?", "I am 20."), (ANSWER,), 0.25)


def test_json_there_and_back() -> None:
    assert from_json(to_json(REPLY), Reply) == REPLY
    assert from_json(to_json(DOCUMENT), Document) == DOCUMENT


def test_a_source_says_which_it_is() -> None:
    for source in (DOCUMENT, Table(("a", "b"), (("1", "2"),)), KnowledgeBase("facts.kb", 3)):
        assert from_json(to_json(source), Source) == source  # type: ignore[arg-type]


def test_json_leaves_out_what_is_not_there() -> None:
    assert to_json(Answer("yes", "yes", 1.0)) == '{"text":"yes","kind":"yes","score":1.0}'


def test_records_are_frozen() -> None:
    with pytest.raises(AttributeError):
        REPLY.answers = ()  # type: ignore[misc]


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="not the document's text"):
        Document("abc", elements=(Element("p", "b", 0, 1),))
    with pytest.raises(ValueError, match="probability"):
        Answer("x", "span", 1.5)
    with pytest.raises(ValueError, match="most probable first"):
        Reply(Question("?"), (Answer("a", "span", 0.1), Answer("b", "span", 0.2)))
    with pytest.raises(InputError, match=r"not a Answer: .*kind"):
        from_json('{"text": "x", "kind": "guess", "score": 1}', Answer)


def test_the_language_of_a_question() -> None:
    assert Question("谁?").spoken == "zh"
    assert Question("谁?", language="en").spoken == "en"


def test_answered() -> None:
    question = Question("how much")
    half = Answer("7", "span", 0.5)
    assert not Reply(question).answered
    assert Reply(question, (half,), 0.5).answered
    assert not Reply(question, (Answer("7", "span", 0.3),), 0.4).answered
    # Answers that hold together do not share one probability.
    assert Reply(question, (Answer("7", "span", 0.3),), 0.4, together=True).answered
    assert not Reply(question, (half,), 0.6, together=True).answered
