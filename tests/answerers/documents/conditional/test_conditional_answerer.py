"""Short pages of rules, and what is answered from them; the reader's spans are given by hand."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.conditional.answerer import ConditionalAnswerer
from caveat.core.records import AllOf, AnyOf, Document, Question, Reply
from caveat.models.decoding import Candidate
from caveat.models.judge import Verdict
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


@pytest.fixture(scope="module")
def answerer() -> ConditionalAnswerer:
    return ConditionalAnswerer()


def spans(
    answerer: ConditionalAnswerer,
    question: str,
    *texts: str,
    scenario: str = "",
    page: Document = PAGE,
) -> Reply:
    """The reply where a reader has found these texts, each with less than the one before."""
    asked = Question(question, scenario)
    found = ReadResult(
        tuple(
            Candidate(text, at := page.text.index(text), at + len(text), 9.0 - number)
            for number, text in enumerate(texts)
        )
    )
    found = answerer.reweighed(asked, page, found)
    weighed = weigh([found.candidates], temperature=2.0, none_at=1.0)
    return answerer.spans(asked, [page], weighed, 5)


def yes_or_no(answerer: ConditionalAnswerer, question: str, scenario: str = "") -> Reply:
    return answerer.yes_or_no(Question(question, scenario), [PAGE])


def test_yes_with_what_is_open(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Can I get a bee permit?")
    yes, no = reply.answers
    assert (yes.text, yes.kind, no.text, no.otherwise) == ("yes", "yes", "no", True)
    assert [(each.question, each.wanted) for each in yes.conditions] == [
        ("Are you over 18?", True),
        ("Do you rent a garden?", True),
        ("Have you lost one before?", False),
        ("Have you appealed?", True),
    ]
    assert yes.requires == AllOf((0, 1, AnyOf((2, 3))))
    assert yes.evidence[0].headings == ("Bee permit", "Who can get a bee permit")
    for condition in yes.conditions:
        place = condition.place
        assert place is not None
        assert PAGE.text[place.start : place.end] == condition.text


def test_what_the_scenario_settles_is_not_asked(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Can I get a bee permit?", "I am 40 and I rent a garden.")
    assert [each.question for each in reply.open] == ["Have you lost one before?", "Have you appealed?"]


def test_what_the_scenario_contradicts_turns_the_answer(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Can I get a bee permit?", "I am 12 and I rent a garden.")
    assert reply.answers[0].text == "no"
    assert reply.answers[0].conditions == ()


def test_no_where_the_page_spares(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Do I have to pay a fee for a second hive?")
    assert reply.answers[0].text == "no"
    place = reply.answers[0].evidence[0]
    assert PAGE.text[place.start : place.end] == "You do not have to pay a fee for a second hive."


def test_a_page_that_answers_nothing(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Will Saturn eclipse Jupiter?")
    assert reply.answers == ()
    assert reply.unanswerable == 1.0


def test_cases_of_a_list_hold_side_by_side(answerer: ConditionalAnswerer) -> None:
    reply = spans(answerer, "How much is the fee for a bee permit?", "£80", "£20")
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
def test_the_askers_own_case(answerer: ConditionalAnswerer, question: str, scenario: str) -> None:
    reply = spans(answerer, question, "£80", "£20", scenario=scenario)
    assert [(answer.text, answer.conditions) for answer in reply.answers] == [("£20", ())]


def test_items_where_a_list_was_asked_for(answerer: ConditionalAnswerer) -> None:
    for question in ("What are the things that the permit covers?", "What does the permit cover?"):
        reply = spans(answerer, question, "honey")
        assert reply.together
        assert [answer.text for answer in reply.answers] == ["hives", "honey", "a stall"]
        assert [each.question for each in reply.answers[2].conditions] == ["Do you sell honey?"]
        assert all(
            answer.place is not None and PAGE.text[answer.place.start : answer.place.end] == answer.text
            for answer in reply.answers
        )


def test_paragraphs_alone_keep_the_readers_spans(answerer: ConditionalAnswerer) -> None:
    text = Document("The bridge opened in 1890. If it rains, trains stop. It cost £3m.")
    reply = spans(answerer, "When did the bridge open?", "1890", "£3m", page=text)
    assert [answer.text for answer in reply.answers] == ["1890", "£3m"]
    assert not any(answer.conditions for answer in reply.answers)


def test_a_quantity_is_given_with_its_limit_and_unit(answerer: ConditionalAnswerer) -> None:
    page = parse_html("<h1>Permit</h1><p>A permit lasts for a maximum of 3 years. It can be renewed.</p>")
    reply = spans(answerer, "How long does a permit last?", "3", page=page)
    assert reply.answers[0].text == "a maximum of 3 years"


def test_an_answer_ends_with_its_sentence(answerer: ConditionalAnswerer) -> None:
    page = parse_html("<h1>Permit</h1><p>It is sent to you. You can frame it.</p>")
    reply = spans(answerer, "Where is the permit sent?", "sent to you. You can frame it", page=page)
    assert reply.answers[0].text == "sent to you"


def test_a_judge_may_settle_more() -> None:
    class Knows:
        def judge(self, pairs: object) -> list[Verdict]:
            return [
                Verdict(0.9, 0.05, 0.05) if "garden" in statement else Verdict(0.1, 0.1, 0.8)
                for _, statement in pairs  # type: ignore[attr-defined]
            ]

    reply = ConditionalAnswerer(Knows()).yes_or_no(
        Question("Can I get a bee permit?", "We have roses and a lawn."), [PAGE]
    )
    assert "Do you rent a garden?" not in [each.question for each in reply.open]
    assert "Are you over 18?" in [each.question for each in reply.open]


def test_a_scenario_that_contradicts_itself_settles_nothing(answerer: ConditionalAnswerer) -> None:
    reply = yes_or_no(answerer, "Can I get a bee permit?", "I am 40 years old. I am 12 years old.")
    assert "Are you over 18?" in [each.question for each in reply.open]


def test_the_best_of_several_documents(answerer: ConditionalAnswerer) -> None:
    other = parse_html("<h1>Dog licence</h1><p>You can get a licence for a dog.</p>")
    reply = answerer.yes_or_no(Question("Can I get a bee permit?"), [other, PAGE])
    assert next(each.question for each in reply.open) in {"Are you over 18?", "Do you rent a garden?"}


def test_a_page_is_made_ready_once(answerer: ConditionalAnswerer) -> None:
    assert answerer.page(PAGE) is answerer.page(PAGE)


@pytest.mark.parametrize(
    ("page", "open_questions"),
    [
        (Document("You can get a permit if you rent a garden."), ["Do you rent a garden?"]),
        (Document("   \n "), None),
        (
            parse_html("<p>" + "You can get a permit if you rent a garden and a hive. " * 2000),
            ["Do you rent a garden and a hive?"],
        ),
        (parse_html("<p>a permit " + "permit" * 20_000), []),
        (parse_html("<ul><li>a permit:" * 300 + "<li>if you rent a garden"), []),
        (
            parse_html(
                "<table><tr><th colspan=2>Permit<tr><td rowspan=2>garden<td>yes<tr><td>no<tr><td>a<td>b<td>c</table>"
            ),
            [],
        ),
    ],
    ids=["no headings", "blank", "100 kB", "one word of 120 kB", "deeply nested lists", "merged cells"],
)
def test_odd_pages(answerer: ConditionalAnswerer, page: Document, open_questions: list[str] | None) -> None:
    reply = answerer.yes_or_no(Question("Can I get a permit?", ""), [page])
    if open_questions is None:
        assert (reply.answers, reply.unanswerable) == ((), 1.0)
        return
    assert [answer.kind for answer in reply.answers] == ["yes", "no"]
    assert [condition.question for condition in reply.open] == open_questions
    assert reply.answers[1].otherwise == bool(open_questions)
    for place in (*reply.answers[0].evidence, *(each.place for each in reply.answers[0].conditions)):
        assert place is not None
        assert place.end is not None
        assert 0 <= (place.start or 0) < place.end <= len(page.text)
        assert page.text[place.start : place.end].strip()


def test_spans_of_a_page_without_headings_stay_as_they_were(answerer: ConditionalAnswerer) -> None:
    page = Document("You can get a permit if you rent a garden. It is £5.")
    found = ReadResult((Candidate("£5", 49, 51, 3.0), Candidate("a garden", 33, 41, 1.0)))
    assert answerer.reweighed(Question("How much is a permit?"), page, found) == found
    assert answerer.reweighed(Question("How much is a permit?"), PAGE, ReadResult()) == ReadResult()
