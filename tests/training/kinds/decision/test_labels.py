"""Which candidates are right, worked out by hand."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.candidates import Kind, Proposal
from caveat.models.decoding import Candidate
from caveat.training.kinds.decision.labels import is_right, says


@pytest.mark.parametrize(
    ("answer", "wanted", "right"),
    [
        ("30 days", "30 days", True),
        ("The Old Mill", "old mill", True),
        ("３０ days", "30 days", True),
        # A little more: 17 letters and figures for 6 of "30days" at most 18.
        ("within 30 days of it", "30 days", True),
        ("you have to tell us within 30 days of the end", "30 days", False),
        # A little less, with all numbers: 2 * 2 / (2 + 4) is 0.67, 2 * 1 / (1 + 4) is 0.4.
        ("30 days", "30 days each year", True),
        ("30", "30 days each year", False),
        ("days each year", "30 days each year", False),
        ("40 days", "30 days", False),
        ("每天1小时", "1小时", True),
        ("1小时", "2小时", False),
        ("", "30 days", False),
        ("…", "30 days", False),
    ],
)
def test_whether_an_answer_says_what_is_wanted(answer: str, wanted: str, right: bool) -> None:
    assert says(answer, wanted) is right


def proposal(kind: Kind, *texts: str) -> Proposal:
    return Proposal(kind, {}, tuple((0, Candidate(text, 0, len(text), 0.0)) for text in texts))


@pytest.mark.parametrize(
    ("kind", "texts", "wanted", "answers", "right"),
    [
        ("span", ["£80"], "span", ["£20", "£80"], True),
        ("span", ["£80"], "span", ["£20"], False),
        ("span", ["£80"], "list", ["£80"], False),
        ("yes", [], "yes", [], True),
        ("yes", [], "no", [], False),
        ("none", [], "none", [], True),
        ("missed", [], "span", ["£80"], False),
        ("list", ["hives", "honey"], "list", ["hives", "honey"], True),
        # Three of three, and two that are wrong: 2 * 0.6 / 1.6 is 0.75.
        ("list", ["hives", "honey", "wax", "dogs", "cats"], "list", ["hives", "honey", "wax"], True),
        # One of three, and one that is wrong: 2 * (1/2) * (1/3) / (5/6) is 0.4.
        ("list", ["hives", "dogs"], "list", ["hives", "honey", "wax"], False),
        ("list", ["dogs", "cats"], "list", ["hives", "honey"], False),
    ],
)
def test_whether_a_candidate_is_right(
    kind: Kind, texts: list[str], wanted: str, answers: list[str], right: bool
) -> None:
    assert is_right(proposal(kind, *texts), wanted, answers) is right
