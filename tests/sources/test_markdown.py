from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.grid import ReadTable
from caveat.sources.markdown import parse_markdown, read_markdown
from caveat.sources.outline import headings_at, introduction_of

Read = Callable[..., ReadTable]


_BLOCKS = (
    "# a;## b ##;- c;  * d;1. e;2) f;> g;> > - h;~~~;``` x;---;===;x | y;-|-;| a | b |;|;<!--;-->;<b>;[r]: s"
)


def shown(text: str) -> list[tuple[str, str]]:
    return [(element.tag, element.text) for element in parse_markdown(text).elements]


def test_headings() -> None:
    text = "# Fees #\n\nIntro\nof two lines\n=====\n## C#\n###### Deep ##\nUnder\n---\n#no heading\n"
    assert shown(text) == [
        ("h1", "Fees"),
        ("h1", "Intro of two lines"),
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
    assert document.text == (
        "You must:\nbe over 18\nor a student\nlive in:\n  1. England\n  2) Wales\n    since May\nhave paid"
    )
    assert [(element.tag, element.text) for element in document.elements] == [
        ("p", "You must:"),
        ("li", "be over 18\nor a student"),
        ("li", "live in:"),
        ("li", "England"),
        ("li", "Wales"),
        ("p", "since May"),
        ("li", "have paid"),
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
        ("tr", "x | y"),
        ("tr", "1 | 2"),
        ("p", "end"),
    ]


def test_quotes_code_comments_rules_and_references() -> None:
    text = (
        "> quoted\n> twice\n\nplain\n***\n```sh\n# no heading\nrun\n```\n<!-- not\n\nseen -->\n"
        "<div align=center>\n\n[a]: https://example.org\nlast\n~~~\nopen end"
    )
    assert shown(text) == [
        ("p", "quoted\ntwice"),
        ("p", "plain"),
        ("p", "# no heading\nrun"),
        ("p", "last"),
        ("p", "open end"),
    ]


def test_a_cell_keeps_its_sign(read: Read) -> None:
    text = "> | Dose | Age |\n> |---|---|\n> | > 5 mg | < 3 |\n\n- | x | y |\n  |---|---|\n  | > 6 | 7 |\n"
    assert shown(text) == [("tr", "Dose | Age"), ("tr", "> 5 mg | < 3"), ("tr", "x | y"), ("tr", "> 6 | 7")]
    assert read("a.md", "| Dose | Age |\n|---|---|\n| > 5 mg | < 3 |\n").table.rows == (("> 5 mg", "< 3"),)
    assert read("a.md", "Dose | Age\n--- | ---\n**< 5** mg | 3<br>or 4\n").table.rows == (
        ("< 5 mg", "3 or 4"),
    )


def test_a_table_ends_at_a_line_without_bars(read: Read) -> None:
    text = "a | b\n-|-\n1 | 2 | 3\nNote: one\nfor all."
    assert shown(text)[-1] == ("p", "Note: one\nfor all.")
    assert read("a.md", text).table.rows == (("1", "2", "3"),)


def test_front_matter_is_no_content() -> None:
    assert shown("---\ntitle: x\nlayout: page\n---\n\nText.\n\n---\n\nMore.") == [
        ("p", "Text."),
        ("p", "More."),
    ]
    assert parse_markdown("+++\ntitle = 'Fees'\n+++\nText.").title == "Fees"
    assert shown("+++\ntitle = 'Fees'\n+++\nText.") == [("p", "Text.")]


def test_of_html_only_the_text_is_read() -> None:
    text = (
        '<p align="center">See <a href="https://example.org/a">this page</a> for <b>more</b>.</p>\n\n'
        "<!-- a\n\ncomment -->\n\n"
        "<h2>Fees</h2>\n<ul><li>One</li><li class='x'><b>Two</b></li></ul>\n<script>\nlet a = '<p>b';\n</script>\n\n"
        "<details>\n<summary>More</summary>\n\n- Three\n\n</details>\n\n"
        '<div\n  class="box"\n  role="region">\n</div>\n'
    )
    assert shown(text) == [
        ("p", "See this page for more."),
        ("h2", "Fees"),
        ("li", "One"),
        ("li", "Two"),
        ("h3", "More"),
        ("li", "Three"),
    ]


def test_templates_around_a_text_are_not_read() -> None:
    text = (
        '{% include "menu.html"\n  steps: 3 %}\n\n{% alert %}\n  It costs £5.\n{% endalert %}\n\n'
        "{% if open %}It is open.{% endif %}\n\n{: .note}\nBring {{ page.card }} with you.\n{: #bring}\n\n"
        "- One\n  {{ icon }}\n\n::: tip\nWait.\n:::\n\n<!-- x --> Go.\n"
    )
    assert shown(text) == [
        ("p", "It costs £5."),
        ("p", "It is open."),
        ("p", "Bring with you."),
        ("li", "One"),
        ("p", "Wait."),
        ("p", "Go."),
    ]


def test_code_stays_as_it_is() -> None:
    assert shown("```html\n<div>\n  {{ x }}\n</div>\n```\n") == [("p", "<div>\n  {{ x }}\n</div>")]


def test_addresses_of_links_are_not_read_and_footnotes_are() -> None:
    text = "[Fees][a].[^1]\n\n[a]:\n  https://example.org\n  'A title'\n\n[^1]: From May on.\n"
    assert shown(text) == [("p", "Fees."), ("p", "From May on.")]


@given(st.lists(st.sampled_from([*_BLOCKS.split(";"), "", ""])), st.integers(1, 3))
def test_a_text_may_be_parsed_a_few_lines_at_a_time(lines: list[str], stretch: int) -> None:
    text = "\n".join(lines)
    whole = shown(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caveat.sources.markdown._STRETCH", stretch)
        assert shown(text) == whole


def test_line_ends_of_windows() -> None:
    document = parse_markdown("# 费用\r\n\r\n- 五元\r\n- 免费\r\n")
    assert [(e.tag, e.text, e.start) for e in document.elements] == [
        ("h1", "费用", 0),
        ("li", "五元", 3),
        ("li", "免费", 6),
    ]
    assert headings_at(document, 7) == ("费用",)


_LINES = st.text(max_size=8) | st.sampled_from(_BLOCKS.split(";"))


@given(
    st.lists(_LINES).flatmap(
        lambda lines: st.sampled_from(("\n", "\r\n", "\n\n")).map(lambda end: end.join(lines))
    )
)
def test_elements_are_slices_in_order(text: str) -> None:
    document = parse_markdown(text)
    at = 0
    for element in document.elements:
        assert at <= element.start < element.end <= len(document.text)
        assert element.text == document.text[element.start : element.end] == element.text.strip()
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
        "".join("  " * depth + "- a\n" for depth in range(300)),
        "> - " * 20_000 + "a",
        "*" * 200_000,
        "`" * 200_000,
        " " * 200_000 + "x",
        "a | b\n-|-\n" + "[" * 100_000 + "|" + "*" * 100_000,
        "|" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|\n" * 5_000,
        "[a]:\n" * 10_000,
        "<div>\n" + "<a b=\"'" * 20_000,
        "<div>\n" + "<!-- a" * 20_000,
        "{%" * 100_000,
        "{{" * 100_000 + "}}",
        "a\n" + "{{ b }}\n" * 20_000,
    ):
        read_markdown(text)


def test_numbered_items_that_markdown_does_not_know() -> None:
    text = "第二条 有下列情形之一的，不予办证：\n\n（一）未满六岁的；\n\n（二）有欠款的。\n\n"
    text += "办法：\n①申请\n②领证\n第三条 其他。\n"
    found = [(each.tag, each.text) for each in parse_markdown(text).elements]
    assert found == [
        ("p", "第二条 有下列情形之一的，不予办证："),
        ("li", "未满六岁的；"),
        ("li", "有欠款的。"),
        ("p", "办法："),
        ("li", "申请"),
        ("li", "领证"),
        ("p", "第三条 其他。"),
    ]


def test_what_stands_in_parentheses_is_no_item() -> None:
    assert [each.tag for each in parse_markdown("（见下文）甲\n\n(see below) text\n").elements] == ["p", "p"]


@pytest.mark.parametrize("bar", ["| ", ""])
def test_cells_that_begin_as_quotations_and_lists_do(bar: str) -> None:
    text = f"{bar}dose | drug\n{bar}---|---\n{bar}> 5 mg | alpha\n{bar}- 3 °C | > beta\n\n> Quoted | text.\n"
    document, (table,), _ = read_markdown(text)
    assert table.rows == [["dose", "drug"], ["> 5 mg", "alpha"], ["- 3 °C", "> beta"]]
    assert [(element.tag, element.text) for element in document.elements] == [
        ("tr", "dose | drug"),
        ("tr", "> 5 mg | alpha"),
        ("tr", "- 3 °C | > beta"),
        ("p", "Quoted | text."),
    ]
