"""Short pages of rules, and what is answered from them; the reader's spans are given by hand."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.conditional import spans_under_conditions
from caveat.answerers.documents.decision import Decided
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.answerers.documents.spans import possible_answers
from caveat.core.records import Document, Question, Reply
from caveat.models.decoding import Candidate
from caveat.models.probability import weigh
from caveat.models.reader import ReadResult
from caveat.sources.html import parse_html

PAGE = parse_html(
    """<h1>Bee permit</h1>
<h2>Who can get a bee permit</h2>
<p>You can get a bee permit if all of the following apply:</p>
<ul>
  <li>you’re over 18</li>
  <li>you rent a garden</li>
</ul>
<p>You cannot get a bee permit if you’ve lost one before, unless you’ve appealed.</p>
<h2>Fees</h2>
<p>The fee for a bee permit is:</p>
<ul>
  <li>£80 if you live in a town</li>
  <li>£20 if you live in a village</li>
</ul>
<p>You do not have to pay a fee for a second hive.</p>
<h2>What the permit covers</h2>
<p>The permit covers:</p>
<ul>
  <li>hives - up to 5 of them</li>
  <li>honey</li>
  <li>a stall, if you sell honey</li>
</ul>
"""
)


def spans(question: str, *texts: str, scenario: str = "", document: Document = PAGE) -> Reply:
    """The reply where a reader has found these texts, each with less than the one before."""
    found = ReadResult(
        tuple(
            Candidate(text, at := document.text.index(text), at + len(text), 9.0 - number)
            for number, text in enumerate(texts)
        )
    )
    page = Page.of(document)
    weighed = weigh([possible_answers(found, page.document).candidates], temperature=2.0, none_at=1.0)
    asked = Question(question, scenario)
    return spans_under_conditions(asked, [document], [page], Decided(weighed), 5, WordsJudge())


def test_cases_of_a_list_hold_side_by_side() -> None:
    reply = spans("How much is the fee for a bee permit?", "£80", "£20")
    assert reply.together
    assert [(answer.text, [each.question for each in answer.conditions]) for answer in reply.answers] == [
        ("£80", ["Do you live in a town?"]),
        ("£20", ["Do you live in a village?"]),
    ]


@pytest.mark.parametrize(
    ("question", "scenario"),
    [
        ("How much is the fee for a bee permit?", "I live in a village by the sea."),
        ("How much is the fee for a bee permit in a village, where I live?", ""),
    ],
)
def test_the_askers_own_case(question: str, scenario: str) -> None:
    reply = spans(question, "£80", "£20", scenario=scenario)
    assert [(answer.text, answer.conditions) for answer in reply.answers] == [("£20", ())]


def test_paragraphs_alone_keep_the_readers_spans() -> None:
    text = Document("The bridge opened in 1890. If it rains, trains stop. It cost £3m.")
    reply = spans("When did the bridge open?", "1890", "£3m", document=text)
    assert [answer.text for answer in reply.answers] == ["1890", "£3m"]
    assert not any(answer.conditions for answer in reply.answers)


def test_a_span_has_the_condition_of_its_sentence() -> None:
    reply = spans("What covers the permit?", "a stall", "honey")
    assert [(answer.text, [each.question for each in answer.conditions]) for answer in reply.answers] == [
        ("a stall", ["Do you sell honey?"]),
        ("honey", []),
    ]
    # What the asker says is not asked, and a span whose condition fails is none.
    told = spans("What covers the permit?", "a stall", scenario="I sell honey.")
    assert [answer.conditions for answer in told.answers] == [()]
    assert spans("What covers the permit?", "a stall", scenario="I do not sell honey.").answers == ()


def test_nothing_found_is_no_answer() -> None:
    reply = spans("How much is the fee for a bee permit?")
    assert (reply.answers, reply.unanswerable) == ((), 1.0)


@pytest.mark.parametrize(
    "page",
    [
        Document("You can get a permit if you rent a garden."),
        Document("   \n "),
        parse_html("<p>" + "You can get a permit if you rent a garden and a hive. " * 2000),
        parse_html("<p>a permit " + "permit" * 20_000),
        parse_html("<ul><li>a permit:" * 300 + "<li>if you rent a garden"),
        parse_html("<table><tr><th colspan=2>Permit<tr><td rowspan=2>garden<td>yes<tr><td>no<td>b</table>"),
    ],
    ids=["no headings", "blank", "100 kB", "one word of 120 kB", "deeply nested lists", "merged cells"],
)
def test_odd_pages(page: Document) -> None:
    found = [word for word in ("garden", "permit") if word in page.text]
    reply = spans("Can I get a permit?", *found, document=page)
    assert reply.unanswerable + sum(answer.score for answer in reply.answers) == pytest.approx(1.0)
    for answer in reply.answers:
        assert answer.place is not None
        assert page.text[answer.place.start : answer.place.end] == answer.text
