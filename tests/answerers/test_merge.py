"""Replies from several kinds of sources as one; figures worked out by hand."""

from __future__ import annotations

import pytest

from caveat.answerers.merge import merged
from caveat.core.answers import Answer, Cells, Condition, Place
from caveat.core.records import Question, Reply

QUESTION = Question("How long is the bridge?")


def span(text: str, score: float, source: str = "a.html") -> Answer:
    return Answer(text, "span", score, Place(source, 0, len(text)))


def cell(text: str, score: float, source: str = "a.csv", kind: str = "cell") -> Answer:
    cells = Cells(kind, (0,), (0,), ("Length",), ((text,),))  # type: ignore[arg-type]
    return Answer(text, "table", score, Place(source), cells=cells)


def reply(none: float, *answers: Answer, together: bool = False) -> Reply:
    return Reply(QUESTION, answers, none, together=together)


def test_one_kind_stays_as_it_is() -> None:
    only = reply(0.2, span("46 m", 0.5), span("46", 0.1))
    assert merged([only], 1) is only


def test_odds_against_none_stay() -> None:
    # 0.6 : 0.2 is 3, 0.3 : 0.6 is 0.5, and none is 1; 0.2 of the documents' answers and 0.1 of the tables' are
    # beyond those that were given: 1 and 1/6.
    found = merged([reply(0.2, span("46 m", 0.6)), reply(0.6, cell("12", 0.3))], 5)
    total = 1 + 3 + 1 + 0.5 + 0.1 / 0.6
    assert [answer.text for answer in found.answers] == ["46 m", "12"]
    assert [answer.score for answer in found.answers] == pytest.approx([3 / total, 0.5 / total])
    assert found.unanswerable == pytest.approx(1 / total)
    assert found.question == QUESTION


def test_what_one_kind_does_not_know_changes_nothing_for_the_other() -> None:
    found = merged([reply(1.0), reply(0.25, cell("46", 0.75))], 5)
    assert found.answers[0].score == pytest.approx(0.75)
    assert found.unanswerable == pytest.approx(0.25)
    assert merged([reply(1.0), reply(1.0)], 5) == reply(1.0)


def test_most_probable_first_and_no_more_than_asked_for() -> None:
    tables = reply(0.5, cell("a", 0.3), cell("b", 0.2))
    documents = reply(0.5, span("c", 0.25), span("d", 0.15))
    assert [answer.text for answer in merged([documents, tables], 3).answers] == ["a", "c", "b"]


def test_the_same_answer_from_two_files_is_one() -> None:
    found = merged([reply(0.5, span("46 M", 0.4, "b.txt")), reply(0.2, cell("46 m", 0.8))], 5)
    (answer,) = found.answers
    assert (answer.text, answer.kind) == ("46 m", "table")
    assert answer.evidence == (Place("b.txt", 0, 4),)
    # 4, none, and 0.1 : 0.5 of the documents' other answers.
    assert answer.score == pytest.approx(4 / 5.2)


def test_the_same_text_under_different_conditions_stays_twice() -> None:
    answers = [
        Answer("yes", "yes", score, conditions=(Condition(text),))
        for text, score in (("it rains", 0.4), ("it snows", 0.3))
    ]
    found = merged([reply(0.3, *answers), reply(0.5, cell("46", 0.2), cell("yes", 0.1))], 5)
    assert [answer.text for answer in found.answers] == ["yes", "yes", "46"]
    assert [answer.conditions for answer in found.answers[:2]] == [answer.conditions for answer in answers]


def test_a_page_read_twice_is_no_further_evidence() -> None:
    documents = reply(0.5, span("46 m", 0.5))
    for source in ("a.html", "a.html#2"):
        (answer,) = merged([documents, reply(0.2, cell("46 m", 0.8, source))], 5).answers
        assert answer.cells is not None
        assert answer.evidence == ()


def test_a_table_alone_gives_way_to_the_text_of_its_page() -> None:
    documents = reply(0.5, span("46 m", 0.5))
    for source, count in (("a.html", 1), ("a.html#1", 1), ("b.html", 2)):
        tables = reply(0.6, cell("Bridges", 0.4, source, "table"))
        assert len(merged([documents, tables], 5).answers) == count


@pytest.mark.parametrize("sure", [0.4, 0.9])
def test_a_table_alone_comes_after_what_says_something(sure: float) -> None:
    documents, table = reply(0.9, span("46 m", 0.1)), cell("Bridges", sure, "b.html", "table")
    found = merged([documents, reply(1 - sure, table)], 5)
    assert [answer.text for answer in found.answers] == ["46 m", "Bridges"]
    assert found.unanswerable == pytest.approx(1 / (1 + 0.1 / 0.9 * 1.95))
    found = merged([reply(1.0), reply(1 - sure, table)], 5)
    assert [answer.text for answer in found.answers] == ["Bridges"]


def test_a_table_alone_says_neither_yes_nor_no() -> None:
    said = (Answer("yes", "yes", 0.2), Answer("no", "no", 0.1))
    found = merged([reply(0.7, *said), reply(0.3, cell("Bridges", 0.6, kind="table"))], 5)
    assert [answer.text for answer in found.answers] == ["yes", "no"]
    assert not found.answered
    assert found.unanswerable == pytest.approx(0.7)
    # A cell may say it.
    found = merged([reply(0.7, *said), reply(0.5, cell("46 m", 0.3), cell("Bridges", 0.2, kind="table"))], 5)
    assert [answer.text for answer in found.answers] == ["46 m", "yes", "no"]


def test_answers_that_hold_together() -> None:
    held = Answer("stop", "span", 0.9, Place("a.html", 0, 4), (Condition("it rains"),))
    documents = reply(0.1, held, span("wait", 0.8), together=True)
    found = merged([documents, reply(0.9, cell("46", 0.1))], 1)
    assert found.together
    assert found.answers == documents.answers
    assert found.unanswerable < 0.1
    # A table that is surer is first, and they are alternatives.
    found = merged([documents, reply(0.01, cell("46", 0.99))], 5)
    assert not found.together
    assert [answer.text for answer in found.answers] == ["46", "stop", "wait"]
    assert sum(answer.score for answer in found.answers) + found.unanswerable <= 1
