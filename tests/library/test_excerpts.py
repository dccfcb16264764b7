"""Parts of long documents, and the way back to the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.library.passages import excerpt
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

PAGE = parse_markdown(
    "# Park\n\nA park.\n\n## Opening\n\nNine to five.\n\n"
    "## Fines\n\nYou pay if:\n\n1. you litter\n2. you shout\n\n# Zoo\n\nA zoo."
)


def test_a_short_document_stays_whole() -> None:
    found = excerpt(PAGE, [(0, 5)], 1000)
    assert found.document is PAGE
    assert found.original(3, 8) == (3, 8)


def test_the_section_with_its_headings() -> None:
    at = PAGE.text.index("you litter")
    found = excerpt(PAGE, [(at, at + 10)], 60)
    assert found.document.text == "Park\n\nFines\nYou pay if:\n1. you litter\n2. you shout"
    assert [element.text for element in found.document.elements] == [
        *("Park", "Fines", "You pay if:", "you litter", "you shout")
    ]


def test_two_sections_in_the_order_of_the_document() -> None:
    zoo, open_ = PAGE.text.index("A zoo"), PAGE.text.index("Nine")
    found = excerpt(PAGE, [(zoo, zoo + 6), (open_, open_ + 13)], 40)
    assert found.document.text == "Park\n\nOpening\nNine to five.\n\nZoo\nA zoo."


def test_a_section_that_is_too_long_gives_what_is_near() -> None:
    text = "\n\n".join(f"Paragraph {number} says little." for number in range(100))
    at = text.index("Paragraph 50")
    found = excerpt(parse_plain_text(text), [(at, at + 5)], 200).document
    assert "Paragraph 50 " in found.text
    assert len(found.text) < 400


def test_a_span_over_a_gap_ends_before_it() -> None:
    zoo, open_ = PAGE.text.index("A zoo"), PAGE.text.index("Nine")
    found = excerpt(PAGE, [(zoo, zoo + 6), (open_, open_ + 13)], 40)
    start = found.document.text.index("five")
    low, high = found.original(start, len(found.document.text))
    assert PAGE.text[low:high] == "five."


BLOCKS = st.sampled_from(
    ["# Head", "## Sub", "Text one.", "- item\n- other", "1. first", "春天来了。", "    code"]
)


@given(st.lists(BLOCKS, min_size=1, max_size=15), st.data())
def test_every_element_of_an_excerpt_stands_in_the_whole(blocks: list[str], data: st.DataObject) -> None:
    page = parse_markdown("\n\n".join(blocks))
    spans = [
        (element.start, element.end)
        for element in data.draw(st.lists(st.sampled_from(page.elements or [None]), max_size=3))
        if element is not None
    ]
    found = excerpt(page, spans, data.draw(st.integers(1, 60)))
    for element in found.document.elements:
        start, end = found.original(element.start, element.end)
        assert page.text[start:end] == element.text
