"""Which spans can be answers."""

from __future__ import annotations

from caveat.answerers.documents.spans import possible_answers
from caveat.core.records import Document
from caveat.models.decoding import Candidate
from caveat.models.reader import ReadResult
from caveat.sources.markdown import parse_markdown

PAGE = parse_markdown("## Fares\n\nA ticket costs 4 euros.\n\n- Children: free\n- Dogs: 1 euro\n")


def kept(document: Document, *spans: str) -> list[str]:
    candidates = []
    for span in spans:
        start = document.text.index(span)
        candidates.append(Candidate(span, start, start + len(span), 1.0))
    return [
        candidate.text for candidate in possible_answers(ReadResult(tuple(candidates)), document).candidates
    ]


def test_a_span_across_two_elements_is_no_answer() -> None:
    assert kept(PAGE, "Fares\n\nA ticket", "4 euros", "free\n- Dogs", "## Fares", "Fares") == [
        "4 euros",
        "Fares",
    ]


def test_a_whole_element_and_its_beginning_and_end_are() -> None:
    spans = ["A ticket costs 4 euros.", "A ticket", "euros.", "Children: free"]
    assert kept(PAGE, *spans) == spans


def test_marks_alone_are_no_answer() -> None:
    assert kept(PAGE, "##", "-", "1 euro") == ["1 euro"]
    assert kept(Document("…… 二 ……"), "……", "二") == ["二"]


def test_a_text_without_elements_has_no_edges() -> None:
    assert kept(Document("one\n\ntwo"), "one\n\ntwo") == ["one\n\ntwo"]
