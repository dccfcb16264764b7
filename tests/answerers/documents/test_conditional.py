"""Short pages of rules, and what is answered from them; the reader's spans are given by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from caveat.answerers.documents.cases import Decided
from caveat.answerers.documents.conditional import conditional_spans
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.reranking import reranked
from caveat.answerers.documents.scenario import Judging, ScenarioJudge, WordsJudge
from caveat.answerers.documents.silence import silence_features
from caveat.answerers.documents.verdict import Verdicts, depends, verdict
from caveat.core.records import AllOf, AnyOf, Document, Question, Reply
from caveat.models.decoding import Candidate
from caveat.models.embedded import find
from caveat.models.judge import Judge, Verdict
from caveat.models.probability import weigh
from caveat.models.reader import ReadResult
from caveat.sources.html import parse_html
from caveat.sources.markdown import parse_markdown

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
    asked = Question(question, scenario)
    found = ReadResult(
        tuple(
            Candidate(text, at := document.text.index(text), at + len(text), 9.0 - number)
            for number, text in enumerate(texts)
        )
    )
    page = Page.of(document)
    weighed = weigh([reranked(page, question, found).candidates], temperature=2.0, none_at=1.0)
    return conditional_spans(asked, [document], lambda _: page, Decided(weighed), 5, WordsJudge())


def yes_or_no(
    question: str,
    scenario: str = "",
    *,
    documents: Sequence[Document] = (PAGE,),
    judge: Judging | None = None,
) -> Reply:
    judges = Verdicts(english_judge(), judge or ScenarioJudge(english_judge()))
    return verdict(Question(question, scenario), list(map(Page.of, documents)), judges)


@cache
def english_judge() -> Judge:
    return Judge.load(find("judge-en"))


def test_yes_with_what_is_open() -> None:
    reply = yes_or_no("Can I get a bee permit?")
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


def test_what_the_scenario_settles_is_not_asked() -> None:
    reply = yes_or_no("Can I get a bee permit?", "I am 40 and I rent a garden.")
    assert [each.question for each in reply.open] == ["Have you lost one before?", "Have you appealed?"]


def test_what_the_scenario_contradicts_turns_the_answer() -> None:
    reply = yes_or_no("Can I get a bee permit?", "I am 12 and I rent a garden.")
    assert reply.answers[0].text == "no"
    assert reply.answers[0].conditions == ()


def test_no_where_the_page_spares() -> None:
    reply = yes_or_no("Do I have to pay a fee for a second hive?")
    assert reply.answers[0].text == "no"
    place = reply.answers[0].evidence[0]
    assert PAGE.text[place.start : place.end] == "You do not have to pay a fee for a second hive."


def test_a_page_that_answers_nothing() -> None:
    reply = yes_or_no("Will Saturn eclipse Jupiter?")
    assert reply.answers == ()
    assert reply.unanswerable == 1.0


HERONS = "Herons nest in tall trees. A heron eats frogs and small fish. Their nests are made of sticks."
HOSTEL = """# Hostel rules

## Rooms

You can bring a bicycle into your room. Guests must leave the kitchen clean.

## Laundry

The machines are free. You cannot use them after 10 pm.
"""


@pytest.mark.parametrize(
    "question",
    ["Is the queen of Denmark a heron?", "Do herons pay income tax?", "Was the bridge built by a heron?"],
)
def test_a_text_that_has_one_word_of_the_question_does_not_answer_it(question: str) -> None:
    reply = yes_or_no(question, documents=[Document(HERONS)])
    assert not reply.answered
    assert reply.unanswerable + sum(answer.score for answer in reply.answers) == pytest.approx(1.0)


def test_a_text_that_speaks_to_the_question_answers_it() -> None:
    for question in ("Does a heron eat frogs?", "Do herons nest in trees?"):
        assert yes_or_no(question, documents=[Document(HERONS)]).answered


def test_a_folder_that_does_not_speak_to_the_question() -> None:
    folder = [parse_markdown(HOSTEL), PAGE]
    assert not yes_or_no("Can I bring my parrot to the cinema?", documents=folder).answered
    reply = yes_or_no("Can I bring my bicycle into my room?", documents=folder)
    assert reply.answered
    assert reply.answers[0].text == "yes"


def test_what_is_missing_tells_more_the_rarer_it_is_asked() -> None:
    page = Page.of(Document(HERONS))
    asked = {"need": 0.1}
    common, rare = (
        silence_features(page, Question(f"Do {word} herons frogs?"), asked) for word in ("need", "otter")
    )
    assert common["page"] > rare["page"]
    assert (common["rarest word in page"], rare["rarest word in page"]) == (1.0, 0.0)


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


def test_items_where_a_list_was_asked_for() -> None:
    for question in ("What are the things that the permit covers?", "What does the permit cover?"):
        reply = spans(question, "honey")
        assert reply.together
        assert [answer.text for answer in reply.answers] == ["hives", "honey", "a stall"]
        assert [each.question for each in reply.answers[2].conditions] == ["Do you sell honey?"]
        assert all(
            answer.place is not None and PAGE.text[answer.place.start : answer.place.end] == answer.text
            for answer in reply.answers
        )


def test_a_list_is_found_by_what_introduces_it() -> None:
    page = parse_markdown(
        "# Hives\n\n1. Ask the office for a plan. The hive plan must show the following:\n"
        "   - Where the hive stands\n   - A hive plan must show the name of its keeper\n   - The nearest road\n"
        "2. Wait for two weeks.\n"
    )
    found = spans("What must the hive plan show?", "two weeks", document=page)
    assert found.together
    assert [answer.text for answer in found.answers][::2] == ["Where the hive stands", "The nearest road"]
    assert not spans("What is the plan of the hive office?", "two weeks", document=page).together


def test_paragraphs_alone_keep_the_readers_spans() -> None:
    text = Document("The bridge opened in 1890. If it rains, trains stop. It cost £3m.")
    reply = spans("When did the bridge open?", "1890", "£3m", document=text)
    assert [answer.text for answer in reply.answers] == ["1890", "£3m"]
    assert not any(answer.conditions for answer in reply.answers)


def test_a_quantity_is_given_with_its_limit_and_unit() -> None:
    page = parse_html("<h1>Permit</h1><p>A permit lasts for a maximum of 3 years. It can be renewed.</p>")
    reply = spans("How long does a permit last?", "3", document=page)
    assert reply.answers[0].text == "a maximum of 3 years"


def test_an_answer_ends_with_its_sentence() -> None:
    page = parse_html("<h1>Permit</h1><p>It is sent to you. You can frame it.</p>")
    reply = spans("Where is the permit sent?", "sent to you. You can frame it", document=page)
    assert reply.answers[0].text == "sent to you"


def test_a_judge_may_settle_more() -> None:
    class Knows:
        def judge(self, pairs: object) -> list[Verdict]:
            return [
                Verdict(0.9, 0.05, 0.05) if "garden" in statement else Verdict(0.1, 0.1, 0.8)
                for statement, _ in pairs  # type: ignore[attr-defined]
            ]

    reply = yes_or_no("Can I get a bee permit?", "We have roses and a lawn.", judge=Knows())
    assert "Do you rent a garden?" not in [each.question for each in reply.open]
    assert "Are you over 18?" in [each.question for each in reply.open]


def test_a_scenario_that_contradicts_itself_settles_nothing() -> None:
    reply = yes_or_no("Can I get a bee permit?", "I am 40 years old. I am 12 years old.")
    assert "Are you over 18?" in [each.question for each in reply.open]


def test_the_best_of_several_documents() -> None:
    other = parse_html("<h1>Dog licence</h1><p>You can get a licence for a dog.</p>")
    reply = yes_or_no("Can I get a bee permit?", documents=[other, PAGE])
    assert next(each.question for each in reply.open) in {"Are you over 18?", "Do you rent a garden?"}


@pytest.mark.parametrize(
    ("page", "answers", "asks"),
    [
        (Document("You can get a permit if you rent a garden."), ["yes", "no"], ["Do you rent a garden?"]),
        (Document("   \n "), [], []),
        (
            parse_html("<p>" + "You can get a permit if you rent a garden and a hive. " * 2000),
            ["yes", "no"],
            ["Do you rent a garden and a hive?"],
        ),
        (parse_html("<p>a permit " + "permit" * 20_000), ["yes", "no"], []),
        (parse_html("<ul><li>a permit:" * 300 + "<li>if you rent a garden"), ["yes", "no"], []),
        (
            parse_html(
                "<table><tr><th colspan=2>Permit<tr><td rowspan=2>garden<td>yes<tr><td>no<tr><td>a<td>b<td>c</table>"
            ),
            ["yes", "no"],
            [],
        ),
    ],
    ids=["no headings", "blank", "100 kB", "one word of 120 kB", "deeply nested lists", "merged cells"],
)
def test_odd_pages(page: Document, answers: list[str], asks: list[str]) -> None:
    reply = yes_or_no("Can I get a permit?", documents=[page])
    assert [answer.text for answer in reply.answers] == answers
    assert [condition.question for condition in reply.open] == asks
    assert (reply.unanswerable < 1.0) == bool(answers)
    assert reply.unanswerable + sum(answer.score for answer in reply.answers) == pytest.approx(1.0)
    assert reranked(Page.of(page), "How much is it?", ReadResult()) == ReadResult()


def test_whether_yes_or_no_depends() -> None:
    asked = "Can I get a bee permit?"
    page = Page.of(PAGE)
    assert 0 < depends(Question(asked), [page], Verdicts(english_judge(), WordsJudge())) < 1
