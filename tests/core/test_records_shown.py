"""Answers and replies as an interpreter and a notebook show them."""

from __future__ import annotations

from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Question, Reply

YES = Answer("yes", "yes", 0.8, Place("a.html", 3, 9), (Condition("you rent"),))


def test_short() -> None:
    assert repr(YES) == "<Answer 'yes', 0.80, a.html:3-9, 1 condition>"
    reply = Reply(Question("Can I?"), (YES, Answer("no", "no", 0.1)), 0.05)
    assert repr(reply) == "<Reply to 'Can I?': 'yes', 0.80, 2 answers>"
    assert repr(Reply(Question("Who?"), (), 0.97)) == "<Reply to 'Who?': not answered, 0.97>"
    assert len(repr(Answer("word " * 100, "span", 0.5))) < 90


def test_a_notebook_shows_no_markup_of_a_source() -> None:
    shown = Reply(Question("<b>?"), (Answer("<script>", "span", 0.5, Place("<i>")),))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;</b> (likely, 50%)" in shown
    assert "☐ you rent" in Reply(Question("Can I?"), (YES,))._repr_html_()
