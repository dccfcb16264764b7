"""From probabilities to replies, on a short page of rules; what was proposed is given by hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.documents.candidates import Kind, Proposal, Proposals
from caveat.answerers.documents.decision import Decided, DecisionWeights, decided
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.replies import reply, spans_under_conditions
from caveat.answerers.documents.scenario import Judging, WordsJudge
from caveat.answerers.documents.spans import possible_answers
from caveat.answerers.documents.structure.finder import Structured
from caveat.core.answers import AllOf, Answer, AnyOf
from caveat.core.records import Document, Question, Reply
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
<p>You do not have to pay a fee for a second hive. Nobody minds.</p>
<h2>On board</h2>
<p>You may not take on board:</p>
<ul>
  <li>dogs</li>
  <li>fireworks</li>
</ul>
<h2>What the permit covers</h2>
<p>The permit covers:</p>
<ul>
  <li>hives - up to 5 of them</li>
  <li>honey</li>
  <li>a stall, if you sell honey</li>
</ul>
"""
)
# A proposal is as probable as e to its score.
WEIGHTS = DecisionWeights({}, {"score": 1.0}, {})
RULE = "You can get a bee permit if all of the following apply:"


def proposal(kind: Kind, score: float, *texts: str, document: Document = PAGE) -> Proposal:
    places = []
    for text in texts:
        at = document.text.index(text)
        places.append((0, Candidate(text, at, at + len(text), 0.0)))
    return Proposal(kind, {"score": score}, tuple(places))


def replied(
    question: str,
    *each: Proposal,
    scenario: str = "",
    document: Document = PAGE,
    structured: Structured | None = None,
    judging: Judging | None = None,
    top: int = 5,
) -> Reply:
    page = Page.of(document)
    found = decided(Proposals((*each, proposal("none", 0.0))), WEIGHTS)
    asked: Asked[object] = Asked(Question(question, scenario), (), top=top)
    return reply(asked, [document], [page], found, structured, judging or WordsJudge())


def permit(scenario: str = "", judging: Judging | None = None) -> Reply:
    both = proposal("yes", 2.0, RULE), proposal("no", 1.0, RULE)
    return replied("Can I get a bee permit?", *both, scenario=scenario, judging=judging)


def asks(reply: Reply) -> list[str]:
    return [each.question for each in reply.open]


def test_yes_with_what_is_open() -> None:
    found = permit()
    yes, no = found.answers
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
    assert yes.score > no.score > found.unanswerable
    assert yes.score + no.score + found.unanswerable == pytest.approx(1.0)


def test_what_the_scenario_settles_is_not_asked() -> None:
    assert asks(permit("I am 40 and I rent a garden.")) == ["Have you lost one before?", "Have you appealed?"]


def test_a_scenario_that_contradicts_itself_settles_nothing() -> None:
    assert "Are you over 18?" in asks(permit("I am 40 years old. I am 12 years old."))


def test_a_judge_may_settle_more() -> None:
    class Knows:
        def judge(self, pairs: object) -> list[Verdict]:
            return [
                Verdict(0.9, 0.05, 0.05) if "garden" in statement else Verdict(0.1, 0.1, 0.8)
                for statement, _ in pairs  # type: ignore[attr-defined]
            ]

    found = permit("We have roses and a lawn.", Knows())
    assert "Do you rent a garden?" not in asks(found)
    assert "Are you over 18?" in asks(found)


def test_no_where_the_page_spares() -> None:
    spares = "You do not have to pay a fee for a second hive."
    found = replied("Do I have to pay a fee for a second hive?", proposal("no", 2.0, spares))
    assert (found.answers[0].text, found.answers[0].conditions) == ("no", ())
    (place,) = found.answers[0].evidence
    assert PAGE.text[place.start : place.end] == spares
    assert found.answers[1].score == 0.0


def test_an_item_is_shown_behind_its_introduction() -> None:
    found = replied("Can I take dogs on board?", proposal("no", 2.0, "dogs"))
    assert [PAGE.text[place.start : place.end] for place in found.answers[0].evidence] == [
        "You may not take on board:",
        "dogs",
    ]


def test_none_is_more_probable() -> None:
    found = replied("Can I get a bee permit?", proposal("yes", -1.0, RULE), proposal("no", -2.0, RULE))
    assert not found.answered
    assert found.unanswerable > 0.5


def covered(score: float, *others: Proposal) -> Proposals:
    elements = tuple(
        at for at, each in enumerate(PAGE.elements) if each.text.startswith(("hives", "honey", "a stall"))
    )
    found = proposal("list", score, "hives", "honey", "a stall")
    return Proposals((found._replace(elements=elements), *others))


@pytest.mark.parametrize(
    ("scenario", "texts"),
    [
        ("", ["hives", "honey", "a stall"]),
        ("I do not sell honey.", ["hives", "honey"]),
    ],
)
def test_the_items_of_a_list_hold_together(scenario: str, texts: list[str]) -> None:
    (items,) = covered(2.0).each
    found = replied("What does the permit cover?", items, proposal("span", 0.5, "honey"), scenario=scenario)
    assert found.together
    assert found.answered
    assert [answer.text for answer in found.answers] == texts
    for answer in found.answers:
        assert answer.place is not None
        assert PAGE.text[answer.place.start : answer.place.end] == answer.text
        shown = answer.evidence[0]
        assert PAGE.text[shown.start : shown.end] == "The permit covers:"
    if not scenario:
        assert [each.question for each in found.answers[2].conditions] == ["Do you sell honey?"]


def test_items_that_are_no_list_of_the_page() -> None:
    birds = Document("Herons, otters and newts live here. It rains.")
    found = replied(
        "What lives here?", proposal("list", 2.0, "Herons", "newts", document=birds), document=birds
    )
    assert found.together
    assert [answer.text for answer in found.answers] == ["Herons", "newts"]
    sentence = found.answers[0].evidence[0]
    assert birds.text[sentence.start : sentence.end] == "Herons, otters and newts live here."


def test_spans_most_probable_first() -> None:
    spans: Sequence[Proposal] = [proposal("span", 1.0, "dogs"), proposal("span", 3.0, "fireworks")]
    missed = proposal("missed", 0.0)
    found = replied("What is forbidden?", *spans, missed)
    assert [answer.text for answer in found.answers] == ["fireworks", "dogs"]
    assert not found.together
    assert found.answered
    # What is left is that there is an answer which was missed.
    left = 1 - found.unanswerable - sum(answer.score for answer in found.answers)
    assert left == pytest.approx(found.unanswerable)
    assert len(replied("What is forbidden?", *spans, top=1).answers) == 1


def test_structured_answers_are_the_reply_unless_it_is_yes_or_no() -> None:
    structured = Structured((Answer("hives", "span", 0.9),), 0.9)
    span = replied("What is covered?", proposal("span", 2.0, "honey"), structured=structured)
    assert (span.answers, span.together) == (structured.answers, True)
    assert span.unanswerable == pytest.approx(0.1)
    yes = replied("Can I?", proposal("yes", 2.0, RULE), structured=structured)
    assert yes.answers[0].kind == "yes"


def test_what_is_best_and_whether_it_is_several() -> None:
    items, *_ = covered(1.0).each
    spans = proposal("span", 0.9, "dogs"), proposal("span", 0.9, "fireworks")
    found = decided(Proposals((items, *spans, proposal("none", 0.0))), WEIGHTS)
    assert found.best is items
    # The two spans together are more probable than the list.
    assert not found.several
    assert found.probability("list") > found.probability("span")
    assert decided(Proposals((items, proposal("none", 2.0))), WEIGHTS).best is None
    # A plain reader proposes nothing, and a tagger may look for more.
    assert Decided(found.weighed).several
    assert Decided(found.weighed).best is None


CARD = parse_html(
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


def spans(question: str, *texts: str, scenario: str = "", document: Document = CARD) -> Reply:
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


@pytest.mark.parametrize(
    ("question", "scenario", "asked"),
    [
        ("Can I swim?", "", ["Are you 12 or older?"]),
        ("Can I swim?", "I am 30.", []),
        ("I am 30. Can I swim?", "", []),
        ("I am 9. Can I swim?", "", ["Are you 12 or older?"]),
    ],
)
def test_what_the_asker_has_told_is_not_asked_back(question: str, scenario: str, asked: list[str]) -> None:
    text = "You can swim if you are 12 or older."
    page = Document(text)
    yes = Proposal("yes", {"span: score": 2.0}, ((0, Candidate(text, 0, len(text), 0.0)),))
    no = Proposal("no", {"span: score": 0.0})
    weights = msgspec.structs.replace(WEIGHTS, conditions={"clause": -1.0, "clause: begins if": 2.0})
    found = decided(Proposals((yes, no, proposal("none", 0.0))), weights)
    answered = reply(
        Asked(Question(question, scenario), ()), [page], [Page.of(page)], found, None, WordsJudge()
    )
    assert [each.question for each in answered.open] == asked
