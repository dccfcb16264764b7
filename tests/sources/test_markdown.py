from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.markdown import parse_markdown
from caveat.sources.outline import headings_at, introduction_of


def shown(text: str) -> list[tuple[str, str]]:
    return [(element.tag, element.text) for element in parse_markdown(text).elements]


def test_headings() -> None:
    text = "# Fees #\n\nIntro\nof two lines\n=====\n## C#\n###### Deep ##\nUnder\n---\n#no heading\n"
    assert shown(text) == [
        ("h1", "Fees"),
        ("h1", "Intro\nof two lines"),
        ("h2", "C#"),
        ("h4", "Deep"),
        ("h2", "Under"),
        ("p", "#no heading"),
    ]


def test_the_title_is_the_first_heading_or_front_matter() -> None:
    assert parse_markdown("text\n\n# First\n\n# Second").title == "First"
    document = parse_markdown('---\ntitle: "Dog fouling"\ntags: [a]\n---\n# First\n')
    assert document.title == "Dog fouling"
    assert [element.text for element in document.elements] == ["First"]
    # No end: a rule, then text.
    assert shown("---\ntitle: x") == [("p", "title: x")]


def test_lists() -> None:
    text = (
        "You must:\n\n"
        "* be over 18\n  or a student\n"
        "* live in:\n"
        "    1. England\n"
        "    2) Wales\n\n"
        "       since May\n"
        "- [x] have **paid**\n"
    )
    document = parse_markdown(text)
    assert document.text == text
    assert [(element.tag, element.text) for element in document.elements] == [
        ("p", "You must:"),
        ("li", "be over 18\n  or a student"),
        ("li", "live in:"),
        ("li", "England"),
        ("li", "Wales"),
        ("p", "since May"),
        ("li", "have **paid**"),
    ]
    introductions = [introduction_of(document, index) for index in range(len(document.elements))]
    assert [element and element.text for element in introductions] == [
        None,
        "You must:",
        "You must:",
        "live in:",
        "live in:",
        None,
        "You must:",
    ]


def test_items_within_items_and_below_their_bullet() -> None:
    assert shown("- - a\n-\n  b\n+\n\nc") == [("li", "a"), ("li", "b"), ("p", "c")]


def test_a_year_at_the_beginning_of_a_line_is_no_item() -> None:
    assert shown("The year was\n1984. It rained.") == [("p", "The year was\n1984. It rained.")]


def test_tables() -> None:
    text = "Rates:\n| Age | Fee |\n|:---|---:|\n| 18 | £5 |\n\n| a | b |\n\nx|y\n-|-\n1|2\nend"
    assert shown(text) == [
        ("p", "Rates:"),
        ("tr", "Age | Fee"),
        ("tr", "18 | £5"),
        ("p", "| a | b |"),
        ("tr", "x|y"),
        ("tr", "1|2"),
        ("p", "end"),
    ]


def test_quotes_code_comments_rules_and_references() -> None:
    text = (
        "> quoted\n> twice\n\nplain\n***\n```sh\n# no heading\nrun\n```\n<!-- not\n\nseen -->\n"
        "<div align=center>\n[a]: https://example.org\nlast\n~~~\nopen end"
    )
    assert shown(text) == [
        ("p", "quoted\n> twice"),
        ("p", "plain"),
        ("p", "# no heading\nrun"),
        ("p", "last"),
        ("p", "open end"),
    ]


def test_line_ends_are_kept() -> None:
    document = parse_markdown("# 费用\r\n\r\n- 五元\r\n- 免费\r\n")
    assert [(e.tag, e.text, e.start) for e in document.elements] == [
        ("h1", "费用", 2),
        ("li", "五元", 10),
        ("li", "免费", 16),
    ]
    assert headings_at(document, 17) == ("费用",)


_BLOCKS = (
    "# a;## b ##;- c;  * d;1. e;2) f;> g;> > - h;~~~;``` x;---;===;x | y;-|-;| a | b |;|;<!--;-->;<b>;[r]: s"
)
_LINES = st.text(max_size=8) | st.sampled_from(_BLOCKS.split(";"))


@given(
    st.lists(_LINES).flatmap(
        lambda lines: st.sampled_from(("\n", "\r\n", "\n\n")).map(lambda end: end.join(lines))
    )
)
def test_elements_are_slices_in_order(text: str) -> None:
    document = parse_markdown(text)
    assert document.text == text
    at = 0
    for element in document.elements:
        assert at <= element.start < element.end <= len(text)
        assert element.text == text[element.start : element.end] == element.text.strip()
        at = element.end


def test_odd_input_takes_no_time() -> None:
    for text in (
        "# " + " " * 200_000 + "x",
        "-" * 200_000 + "x",
        "- " * 100_000,
        "> " * 100_000 + "a",
        "|" * 200_000 + "\n" + "|-" * 100_000,
        "<b" * 100_000,
        "<!--\n" * 20_000,
        "[" * 200_000,
        "```\n" * 50_001,
    ):
        parse_markdown(text)
