"""Large texts are searched before they are read: which words are found where, and which sections are chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.sections import Sections, best_sections
from caveat.core.records import Document
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

FILLING = "The harbour opens at six and closes at ten. " * 30


def counts(text: str, words: str) -> list[list[int]]:
    return Sections(parse_plain_text(text)).counts(words).tolist()


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("Cities grow. A city grows. The city's walls, felicity.", "city", 3),
        ("He was using it, she used it, we use it; the bus.", "use", 3),
        ("It costs 1,250 crowns or 12,500, not 1250.5 or 1250.", "1250", 2),
        ("The café and the cafe are one.", "Café", 2),
        ("The Café and the cafes are one.", "cafe", 2),
        ("员工享有年休假，年休假为五天。", "年假", 2),
        ("年假为五天。年休假。", "年假", 1),
        ("The İzmir office opens. An office.", "office", 2),
        ("Nothing of it.", "the of is", 0),
    ],
)
def test_the_words_of_a_question_are_counted_by_their_stems(text: str, words: str, count: int) -> None:
    assert sum(map(sum, counts(text, words))) == count


def test_a_heading_counts_for_all_that_it_stands_over() -> None:
    text = f"# Ferries\n\n{FILLING}\n\n## Prices\n\n{FILLING}\n\n{FILLING}\n\n# Trains\n\n{FILLING}\n"
    sections = Sections(parse_markdown(text))
    assert [sections.elements[first].text[:10] for first in sections.firsts] == [
        "Ferries",
        "Prices",
        FILLING[:10],
        "Trains",
    ]
    assert sections.counts("ferry").tolist() == [[1, 1, 1, 0]]
    assert sections.counts("prices").tolist() == [[0, 1, 1, 0]]
    assert [sections.elements[at].text for at in sections.headings_over(3)] == ["Ferries", "Prices"]


def test_the_sections_with_most_of_a_question_are_chosen_with_those_beside_them() -> None:
    paragraphs = [FILLING] * 60
    paragraphs[20] += "The pilot earns nine crowns."
    paragraphs[50] += "The pilot sleeps."
    sections = Sections(Document("\n\n".join(paragraphs)))
    assert len(sections) == 60
    assert best_sections([sections], "What does a pilot earn?", "", 3_900) == [[19, 20, 21]]
    assert best_sections([sections], "What does a pilot earn?", "", 5_000) == [[19, 20, 21, 49, 50, 51]]
    assert best_sections([sections], "Wem?", "", 3_900) == [[0, 1, 2]]
    other = Sections(Document(FILLING))
    assert best_sections([other, sections], "Does a pilot earn?", "", 3_900) == [[], [19, 20, 21]]


def test_a_long_element_is_cut_between_sentences_and_nothing_is_lost() -> None:
    text = FILLING * 20
    pieces = Sections(parse_plain_text(text)).elements
    assert "".join(piece.text for piece in pieces) == text.strip()
    assert all(piece.text.rstrip().endswith(".") and len(piece.text) <= 4_000 for piece in pieces)


@given(st.text(alphabet="a b.\n-#费", max_size=300).map(lambda text: text * 40))
def test_every_element_is_in_one_section(text: str) -> None:
    sections = Sections(Document(text))
    assert [at for section in range(len(sections)) for at in sections.elements_of(section)] == [
        *range(len(sections.elements))
    ]
