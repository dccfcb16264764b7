"""Which spans can be answers, and spans that list several things."""

from __future__ import annotations

from itertools import pairwise
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.spans import items_of, possible_answers
from caveat.core.records import Document
from caveat.language.question import asks_for_several
from caveat.models.decoding import Candidate
from caveat.models.reader import ReadResult
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

PAGE = parse_markdown("## Fares\n\nA ticket costs 4 euros.\n\n- Children: free\n- Dogs: 1 euro\n")


def kept(document: Document, *spans: str) -> list[str]:
    candidates = []
    for span in spans:
        start = document.text.index(span)
        candidates.append(Candidate(span, start, start + len(span), 1.0))
    found = possible_answers(ReadResult(tuple(candidates)), document)
    return [candidate.text for candidate in found.candidates]


def test_a_span_across_two_elements_is_no_answer() -> None:
    assert kept(PAGE, "Fares\nA ticket", "4 euros", "free\nDogs", "Fares") == ["4 euros", "Fares"]


def test_a_whole_element_and_its_beginning_and_end_are() -> None:
    spans = ["A ticket costs 4 euros.", "A ticket", "euros.", "Children: free"]
    assert kept(PAGE, *spans) == spans


def test_marks_alone_are_no_answer() -> None:
    page = parse_plain_text("- Children: free\n\n- Dogs: 1 euro\n")
    assert kept(page, "-", "1 euro") == ["1 euro"]
    assert kept(Document("…… 二 ……"), "……", "二") == ["二"]


def test_a_text_without_elements_has_no_edges() -> None:
    assert kept(Document("one\n\ntwo"), "one\n\ntwo") == ["one\n\ntwo"]


def items(text: str, *, several: bool = False) -> list[str]:
    before = "It says: "
    whole = f"{before}{text}. And more, or less."
    return [whole[a:b] for a, b in items_of(whole, len(before), len(before) + len(text), several=several)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ashford, Breck and Colwell", ["Ashford", "Breck", "Colwell"]),
        ("Ashford, Breck, and Colwell", ["Ashford", "Breck", "Colwell"]),
        ("the A site; the P site; or the E site", ["the A site", "the P site", "the E site"]),
        ("pens, ink as well as paper", ["pens", "ink", "paper"]),
        ("1,000 tons, 2,500 tons and 12 tons", ["1,000 tons", "2,500 tons", "12 tons"]),
        # Two things may be one name, a place has its country.
        ("Trinidad and Tobago", []),
        ("Porcupine, Ontario", []),
        ("Porcupine, Ontario, Canada", []),
        ("a bridge", []),
        ("1,000", []),
        ("", []),
        # No names of things: clauses.
        ("Paris, where he lived, and London", []),
        ("he rose early in the morning to feed all of the cows, ate, and slept", []),
    ],
)
def test_an_enumeration_is_its_items(text: str, found: list[str]) -> None:
    assert items(text) == found


def test_where_several_things_were_asked_for_two_are_enough() -> None:
    assert items("Ethiopia and Liberia", several=True) == ["Ethiopia", "Liberia"]
    assert items("Ethiopia, Liberia", several=True) == ["Ethiopia", "Liberia"]
    assert items("Ethiopia", several=True) == []


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which districts does the council cover?", True),
        ("What two countries remained free?", True),
        ("who were the founders", True),
        ("What are the stages?", True),
        ("Which people signed it?", True),
        ("Which district has a school?", False),
        ("What is the bus called?", False),
        ("Who wrote it?", False),
        ("What class is it in?", False),
        ("What does the ferry do on Sundays?", False),
        ("Which large old towns have a mill?", True),
    ],
)
def test_what_asks_for_several_things(question: str, several: bool) -> None:
    assert asks_for_several(question) is several


@given(st.text("ab ,;and01&", max_size=40), st.booleans())
def test_items_are_parts_of_the_span_in_order(text: str, several: bool) -> None:
    found = items_of(text, 0, len(text), several=several)
    assert all(a < b and text[a:b].strip() for a, b in found)
    assert all(before[1] < after[0] for before, after in pairwise(found))
    assert len(found) != 1


def test_marks_and_what_is_not_shown_are_no_answer() -> None:
    page = parse_plain_text("Ask [the **harbour**](tel:4711) by **noon**.")
    spans = ["[the **harbour**](tel:4711)", "4711", "**noon**", "noon**."]
    assert kept(page, *spans) == ["the **harbour**", "noon", "noon**."]


def test_a_run_of_blanks_is_passed_once() -> None:
    def work(blanks: int) -> float:
        text = f"one{' ' * blanks}two"
        begin = thread_time()
        for _ in range(3):
            items_of(text, 0, len(text), several=True)
        return thread_time() - begin

    work(1000)
    # Eight times as long takes eight times as much, not sixty-four.
    assert min(work(80_000) for _ in range(3)) < 30 * max(min(work(10_000) for _ in range(3)), 1e-4)
