"""What is proposed as an answer, and with which features, where a reader's findings are given by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from caveat.answerers.documents.candidates import Proposal, Proposals, proposals
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.core.records import Document, Question
from caveat.models.joint import TextReading
from caveat.sources.markdown import parse_markdown

PAGE = parse_markdown(
    "# Bee permit\n\nYou can get a bee permit if you rent a garden.\n\n## Fees\n\nA permit costs £80. "
    "A permit costs £80 in towns too. You do not have to pay for a second hive.\n\n"
    "## What the permit covers\n\nThe permit covers:\n\n- hives\n- honey\n- a stall\n\nIt lasts for 3 years.\n"
)
SURE = {"span": 0.9}
MakeReading = Callable[..., TextReading]


def proposed(
    question: str, readings: Sequence[TextReading], *documents: Document, scenario: str = "", **asked: float
) -> Proposals:
    pages = [Page.of(document) for document in documents]
    return proposals(Question(question, scenario), pages, readings, asked, WordsJudge())


def of_kind(found: Proposals, *kinds: str) -> list[Proposal]:
    return [each for each in found.each if each.kind in kinds]


def texts(proposal: Proposal) -> list[str]:
    return [place.text for _, place in proposal.places]


def test_where_nothing_was_read_there_are_yes_no_and_none() -> None:
    for readings, documents in (([], ()), ([TextReading()], (PAGE,))):
        found = proposed("How much is a permit?", readings, *documents)
        assert [each.kind for each in found.each] == ["yes", "no", "none", "missed"]
        assert all(each.places == () for each in found.each)
        assert found.each[2].features["none: surest"] == 0.0
        assert found.each[2].features["none: best span"] == -1.0


def test_the_features_of_a_span(make_reading: MakeReading) -> None:
    reading = make_reading(
        PAGE,
        ["£80", "3 years"],
        kinds={"span": 0.8, "none": 0.1},
        answers={"£80": 0.75},
        evidence={"£80": 0.5},
    )
    best, other = of_kind(proposed("How much is a permit?", [reading], PAGE), "span")
    assert (texts(best)[0], texts(other)[0]) == ("£80", "3 years")
    assert best.features["span"] == 1.0
    assert best.features["span: score"] == pytest.approx(math.tanh(0.9))
    assert best.features["span: behind"] == 0.0
    assert other.features["span: behind"] == pytest.approx(math.tanh(2 / 5))
    assert best.features["span: here"] == best.features["span: surest"] == pytest.approx(math.log(0.8))
    assert best.features["span: answer"] == pytest.approx(0.75)
    assert best.features["span: evidence"] == pytest.approx(0.5)
    assert (best.features["span: fits"], other.features["span: fits"]) == (1.0, -1.0)
    assert best.features["span: length"] == pytest.approx(math.log(4))
    assert best.features["span: covered"] == 1.0
    assert best.features["span: wanted"] <= 0


def test_a_probability_of_nearly_0_counts_no_more_than_a_small_one(make_reading: MakeReading) -> None:
    reading = make_reading(PAGE, ["£80"], kinds={"span": 1.0, "list": 0.0})
    (span,) = of_kind(proposed("How much is a permit?", [reading], PAGE), "span")
    assert span.features["span: list here"] == -8.0


def test_one_answer_in_two_places_is_one_candidate(make_reading: MakeReading) -> None:
    other = Document("The permit costs £80.")
    readings = [make_reading(document, ["£80"], kinds=SURE) for document in (PAGE, other)]
    (span,) = of_kind(proposed("How much is a permit?", readings, PAGE, other), "span")
    assert [number for number, _ in span.places] == [0, 1]
    assert span.features["span: places"] == pytest.approx(math.log(2))


def test_an_amount_under_its_name_is_proposed(make_reading: MakeReading) -> None:
    soup = parse_markdown("# Pumpkin soup\n\nA soup for guests.\n\n- Pumpkin: 1.5 kg\n- Milk: 300 ml\n")
    reading = make_reading(soup, ["1.5 kg"], kinds=SURE)
    found = of_kind(proposed("How much milk is in the soup?", [reading], soup, much=0.1), "span")
    assert {texts(each)[0]: each.features.get("span: plain amount") for each in found} == {
        "300 ml": 1.0,
        "1.5 kg": None,
    }
    (other,) = of_kind(proposed("What is in the soup?", [reading], soup), "span")
    assert "span: plain amount" not in other.features


def test_the_askers_own_case(make_reading: MakeReading) -> None:
    fees = parse_markdown(
        "# Fees\n\nThe fee is:\n\n* 2 kg for less than 3 years\n* 5 kg for 3 years or more\n"
    )
    reading = make_reading(fees, ["2 kg", "5 kg"], kinds=SURE)
    told = proposed("How much honey is the fee?", [reading], fees, scenario="I have kept bees for 9 years.")
    spans = {texts(each)[0]: each.features for each in of_kind(told, "span")}
    assert spans["5 kg"]["span: own case"] == 1.0
    assert spans["2 kg"]["span: case of others"] == 1.0
    assert len(told.cases) == 1
    assert proposed("How much honey is the fee?", [reading], fees).cases == ()


def test_a_list_of_the_page(make_reading: MakeReading) -> None:
    reading = make_reading(
        PAGE,
        ["honey"],
        kinds={"list": 0.7},
        answers={"hives": 0.8, "honey": 0.6, "a stall": 0.4},
        evidence={"The permit covers:": 0.9},
    )
    (found,) = of_kind(proposed("What does the permit cover?", [reading], PAGE), "list")[:1]
    assert texts(found) == ["hives", "honey", "a stall"]
    assert [PAGE.elements[at].text for at in found.elements] == ["hives", "honey", "a stall"]
    assert found.introduction is not None
    assert PAGE.text[slice(*found.introduction)] == "The permit covers:"
    features = found.features
    assert features["list: here"] == pytest.approx(math.log(0.7))
    assert features["list: answer"] == pytest.approx((0.8 + 0.6 + 0.4) / 3)
    assert features["list: least answer"] == pytest.approx(0.4)
    assert features["list: introduction"] == pytest.approx(0.9)
    assert features["list: items"] == pytest.approx(math.log(3))
    assert (features["list: of the page"], features["list: colon"]) == (1.0, 1.0)
    assert features["list: under a heading"] == 0.0


def test_runs_of_tokens_that_the_reader_marks(make_reading: MakeReading) -> None:
    birds = Document("Herons, otters and newts live here. It rains.")
    reading = make_reading(birds, kinds={"list": 0.9}, answers={"Herons": 0.9, "otters": 0.8, "newts": 0.6})
    found = of_kind(proposed("What lives here?", [reading], birds), "list")[0]
    assert texts(found) == ["Herons", "otters", "newts"]
    assert found.features["list: marked"] == found.features["list: enumerated"] == 1.0
    assert found.features["list: of all marked"] == pytest.approx(1.0)
    assert found.elements == ()


def test_a_span_that_enumerates(make_reading: MakeReading) -> None:
    birds = Document("Herons, otters and newts live here. It rains.")
    reading = make_reading(birds, ["Herons, otters and newts"], kinds={"list": 0.9})
    (found,) = of_kind(proposed("What lives here?", [reading], birds), "list")
    assert texts(found) == ["Herons", "otters", "newts"]
    assert found.features["list: in a span"] == 1.0
    assert "list: marked" not in found.features


def test_of_many_lists_few_are_proposed(make_reading: MakeReading) -> None:
    many = parse_markdown("".join(f"## Part {n}\n\n- one {n}\n- two {n}\n\n" for n in range(15)))
    reading = make_reading(many, kinds={"list": 0.9}, answers={"one 7": 0.15})
    found = of_kind(proposed("What are the parts?", [reading], many), "list")
    # The first twelve, and beside them the first of each other way in which they were found.
    assert 12 <= len(found) < 15 + 3
    assert texts(found[0]) == ["one 7", "two 7"]
    single = parse_markdown("# Part\n\n- alone\n")
    reading = make_reading(single, kinds={"list": 0.9})
    assert of_kind(proposed("What are the parts?", [reading], single), "list") == []


def verdicts(found: Proposals) -> Mapping[str, Proposal]:
    return {each.kind: each for each in of_kind(found, "yes", "no")}


def test_yes_and_no_with_the_sentence_that_decides(make_reading: MakeReading) -> None:
    spares = "You do not have to pay for a second hive."
    reading = make_reading(PAGE, kinds={"no": 0.8, "yes": 0.1}, evidence={spares: 0.9, "It lasts": 0.4})
    found = verdicts(proposed("Do I have to pay for a second hive?", [reading], PAGE))
    assert texts(found["no"]) == [spares]
    features = found["no"].features
    assert features["no: surest"] == features["no: most"] == pytest.approx(math.log(0.8))
    assert features["no: lean"] == pytest.approx(math.log(8))
    assert found["yes"].features["yes: lean"] == pytest.approx(-math.log(8))
    assert features["no: evidence"] == pytest.approx(0.9)
    assert features["no: covered"] == 1.0


@pytest.mark.parametrize(
    ("scenario", "state"),
    [
        ("I rent a garden.", "holds"),
        ("I do not rent a garden.", "fails"),
        ("My dog is old.", "open"),
        ("", None),
    ],
)
def test_what_the_scenario_says_of_its_condition(
    make_reading: MakeReading, scenario: str, state: str | None
) -> None:
    rule = "You can get a bee permit if you rent a garden."
    reading = make_reading(PAGE, kinds={"yes": 0.8}, evidence={rule: 0.9})
    found = verdicts(proposed("Can I get a bee permit?", [reading], PAGE, scenario=scenario))
    states = [name for name in found["yes"].features if name.startswith("yes: condition")]
    assert states == ([] if state is None else [f"yes: condition {state}"])


def test_none_by_what_the_page_has_of_the_question(make_reading: MakeReading) -> None:
    def none(question: str, **asked: float) -> dict[str, Any]:
        reading = make_reading(PAGE, ["£80"], kinds={"none": 0.6})
        found = proposed(question, [reading], PAGE, **asked)
        (only,) = of_kind(found, "none")
        (missed,) = of_kind(found, "missed")
        assert missed.features["missed: best span"] == only.features["none: best span"]
        return only.features

    here, elsewhere = none("How much is a permit?"), none("How much is an otter?")
    assert here["none: surest"] == pytest.approx(math.log(0.6))
    assert here["none: best span"] == pytest.approx(math.tanh(0.9))
    assert here["none: page"] > elsewhere["none: page"]
    assert here["none: rarest word in page"] == 1.0
    assert "none: name absent" not in here
    assert none("How much is a permit of Bruno Quill?")["none: name absent"] == 1.0


def test_a_question_on_the_page_decides_nothing(make_reading: MakeReading) -> None:
    asks, says = "Can I bring a dog?", "Dogs stay outside."
    page = parse_markdown(f"# Visits\n\n**{asks}**\n\n{says}\n")
    reading = make_reading(page, kinds={"no": 0.9}, evidence={asks: 0.9, says: 0.6})
    found = verdicts(proposed(asks, [reading], page))
    assert texts(found["no"]) == [says]
    alone = parse_markdown(f"# Visits\n\n{asks}\n")
    reading = make_reading(alone, kinds={"no": 0.9}, evidence={asks: 0.9})
    assert texts(verdicts(proposed(asks, [reading], alone))["no"]) == [asks]
