"""Elements in their place: headings over them, the sentence that introduces their list, rows of tables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from caveat.answerers.documents.conditions.context import in_context
from caveat.answerers.documents.conditions.rules import Rulebook
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, page_document
from caveat.core.records import Document
from caveat.sources.html import parse_html
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

PAGE = """<!doctype html><html><head><title>Boat permit</title></head><body>
<header>The Council</header><nav><ul><li>Home</li><li>Boats</li></ul></nav>
<main><h1>Boat permit</h1><p>Most boats need a permit. You do not need one if your boat is:</p>
<ul><li>a canoe</li><li>a rowing boat that is either:<ul><li>hired</li><li>older than you</li></ul></li>
<li>on land</li></ul>
<h2>Fees</h2><h3>Long boats</h3><p>They cost more.</p><h2>Help</h2>
<table><tr><th>Length</th><th>Fee</th></tr><tr><td rowspan="2">short</td><td>£5</td></tr>
<tr><td>£6 on Sundays</td></tr></table></main><footer><p>Contact the Council</p></footer></body></html>"""


def test_a_saved_page_has_headings_introductions_and_rows() -> None:
    document = parse_html(PAGE)
    places = in_context(document)
    assert [place.element.text for place in places] == [
        "Boat permit",
        "Most boats need a permit. You do not need one if your boat is:",
        "a canoe",
        "a rowing boat that is either:",
        "hired",
        "older than you",
        "on land",
        "Fees",
        "Long boats",
        "They cost more.",
        "Help",
        "Length | Fee",
        "short | £5",
        "short | £6 on Sundays",
    ]
    assert [place.headings for place in places] == [(), *[(0,)] * 7, (0, 7), (0, 7, 8), (0,), *[(0, 10)] * 3]
    assert [place.introduction for place in places[2:7]] == [1, 1, 3, 3, 1]
    assert [place.depth for place in places[1:7]] == [0, 1, 1, 2, 2, 1]
    assert places[2].introduced_by == "You do not need one if your boat is:"
    assert places[1].items == (2, 3, 6)
    assert places[3].items == (4, 5)
    # The first row stands over the others; a merged cell stands in each of its rows.
    assert [place.introduction for place in places[11:]] == [None, 11, 11]


def test_markdown_and_plain_text_show_nesting_by_indentation() -> None:
    lines = "You must:\n\n- be 18\n- hold either:\n  - a ticket\n  - a pass\n- pay\n\nThank you.\n"
    for parse in (parse_markdown, parse_plain_text):
        places = in_context(parse(lines))
        assert [place.introduction for place in places] == [None, 0, 0, 2, 2, 0, None], parse.__name__


def test_a_heading_or_a_paragraph_ends_a_list() -> None:
    places = in_context(parse_markdown("Either:\n\n- one\n\nOr both:\n\n- two\n\n## Fees\n\n- three\n"))
    assert [place.introduction for place in places] == [None, 0, None, 2, None, None]


def test_the_pages_of_the_benchmark_keep_their_numbers() -> None:
    page = ConditionalDocument(
        "Fishing",
        "https://fish.example",
        (
            "<h1>Rods</h1>",
            "<p>You can fish if you have  a B&B room:</p>",
            "<li>2 > 1</li>",
            "<li></li>",
            "plain",
        ),
    )
    document = page_document(page)
    assert [(element.tag, element.text) for element in document.elements] == [
        ("h1", "Rods"),
        ("p", "You can fish if you have a B&B room:"),
        ("li", "2 > 1"),
        ("li", ""),
        ("p", "plain"),
    ]
    assert (document.title, document.url) == ("Fishing", "https://fish.example")
    assert in_context(document)[2].introduction == 1


def test_where_nesting_is_not_shown_a_colon_shows_it() -> None:
    contents = (
        "<p>You must be:</p>",
        "<li>18</li>",
        "<li>one of:</li>",
        "<li>a nurse</li>",
        "<li>a cook</li>",
    )
    places = in_context(page_document(ConditionalDocument("", "", contents)))
    assert [place.introduction for place in places] == [None, 0, 0, 2, 2]


def nested(depth: int) -> Document:
    return parse_html("<main>" + "<ul><li>if you go on:" * depth + "</li></ul>" * depth + "</main>")


def long_sentence(words: int) -> Document:
    return parse_plain_text("you can go if you are well and " * (words // 8))


def listed(items: int) -> Document:
    lines = ["You can go if any of these apply:", "", *(f"- you own boat {n} for fun" for n in range(items))]
    return parse_markdown("\n".join(lines))


@pytest.mark.parametrize(("make", "small"), [(nested, 150), (long_sentence, 1600), (listed, 150)])
def test_time_grows_with_the_document(
    make: Callable[[int], Document], small: int, growth: Callable[..., float]
) -> None:
    def read(document: Document) -> None:
        book = Rulebook(document)
        book.governing(len(document.elements) - 1)
        assert len(book.places) == len(document.elements)

    # Ten times the document; quadratic would be a hundred times the time.
    assert growth(read, make(small), make(10 * small)) < 30


def test_an_empty_text_has_no_places() -> None:
    assert in_context(parse_plain_text("")) == ()
