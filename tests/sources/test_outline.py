from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.core.records import Document
from caveat.sources.outline import (
    Block,
    assemble,
    element_at,
    headings_at,
    introduction_of,
    lists_of,
    sentence_around,
)
from caveat.sources.plain_text import parse_plain_text

DOCUMENT = assemble(
    [
        Block("p", 0, "Before."),
        Block("h1", 0, "Payment"),
        Block("h3", 0, "Details"),
        Block("p", 0, "Text."),
        Block("h2", 0, "Who"),
        Block("p", 0, "You must be all of:"),
        Block("li", 0, "over 18"),
        Block("p", 1, "on the day"),
        Block("li", 0, "either:"),
        Block("li", 1, "working"),
        Block("p", 1, "or one of:"),
        Block("li", 1, "studying"),
        Block("li", 0, "in the UK"),
        Block("h2", 0, "Documents"),
        Block("li", 0, "passport"),
        Block("tr", 0, "a | b"),
        Block("li", 0, "visa"),
        Block("h1", 0, "Contact"),
    ]
)
INDEX = {element.text: index for index, element in enumerate(DOCUMENT.elements)}


def introduction(text: str) -> str | None:
    element = introduction_of(DOCUMENT, INDEX[text])
    return element.text if element else None


def headings(text: str) -> tuple[str, ...]:
    return headings_at(DOCUMENT, DOCUMENT.elements[INDEX[text]].start)


def test_assembled_text() -> None:
    assert DOCUMENT.text.startswith("Before.\nPayment\nDetails\n")
    assert "\nover 18\n  on the day\neither:\n  working\n" in DOCUMENT.text


def test_headings_at() -> None:
    assert headings("Before.") == ()
    assert headings("Text.") == ("Payment", "Details")
    assert headings("working") == ("Payment", "Who")
    assert headings("passport") == ("Payment", "Documents")
    # A heading does not stand over itself.
    assert headings("Details") == ("Payment",)
    assert headings("Documents") == ("Payment",)
    assert headings("Contact") == ()
    assert headings_at(DOCUMENT, len(DOCUMENT.text)) == ("Contact",)
    assert headings_at(assemble([]), 0) == ()


def test_introduction_of() -> None:
    assert introduction("over 18") == "You must be all of:"
    assert introduction("either:") == "You must be all of:"
    assert introduction("in the UK") == "You must be all of:"
    assert introduction("working") == "either:"
    assert introduction("studying") == "or one of:"
    # Neither a heading nor a row introduces; what is no item has no introduction.
    assert introduction("passport") is None
    assert introduction("visa") is None
    assert introduction("Text.") is None


def test_element_at() -> None:
    first = DOCUMENT.elements[0]
    assert element_at(DOCUMENT, 0) == element_at(DOCUMENT, first.end - 1) == 0
    assert element_at(DOCUMENT, first.end) is None
    assert element_at(DOCUMENT, first.end + 1) == 1
    assert element_at(DOCUMENT, len(DOCUMENT.text)) is None


def around(document: Document, span: str) -> str:
    start = document.text.index(span)
    first, last = sentence_around(document, start, start + len(span))
    return document.text[first:last]


def test_the_sentence_in_its_element() -> None:
    document = parse_plain_text("Dogs bark. A fine is £50. Pay it.\n\n费用为五元。免费的除外。")
    assert around(document, "£50") == "A fine is £50."
    assert around(document, "£50. Pay") == "A fine is £50. Pay it."
    assert around(document, "五元") == "费用为五元。"
    assert around(document, "Pay it.\n\n费用") == "Pay it.\n\n费用为五元。"


def test_a_broken_line_does_not_end_it() -> None:
    text = (
        "The council may fine the owner of a dog that fouls a path,\na park or a playground. Not elsewhere."
    )
    assert around(parse_plain_text(text), "park") == text.split(" Not")[0]


def test_a_document_without_elements() -> None:
    assert around(Document("one. Two.\nThree four. Five."), "four") == "Three four."


def test_a_text_without_sentences() -> None:
    text = "a " * 100_000
    first, last = sentence_around(Document(text), 100_000, 100_001)
    assert last - first < 2_000


@given(st.text(alphabet="ab. \n。“"), st.data())
def test_it_holds_the_span(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for document in (Document(text), parse_plain_text(text)):
        first, last = sentence_around(document, start, end)
        assert 0 <= first <= start <= end <= last <= len(text)


def test_what_introduces_numbered_items_that_are_not_indented() -> None:
    lines = (
        "下列读者免费：\n（一）儿童：\n1、六岁以下；\n2、持证的；\n（二）老人：\n1、退休的。\n（三）教师。\n"
    )
    document = parse_plain_text(lines)
    at = {element.text: index for index, element in enumerate(document.elements)}

    def over(item: str) -> str:
        found = introduction_of(document, at[item])
        return found.text if found else ""

    assert over("儿童：") == over("老人：") == over("教师。") == "下列读者免费："
    assert over("六岁以下；") == over("持证的；") == "儿童："
    assert over("退休的。") == "老人："


def test_items_that_all_have_the_number_one_are_one_list() -> None:
    document = parse_plain_text("Bring:\n1. a pen\n1. a map\n")
    assert introduction_of(document, 2) == document.elements[0]


def test_lists_with_what_introduces_them() -> None:
    texts = [each.text for each in DOCUMENT.elements]
    found = [
        (None if each.introduction is None else texts[each.introduction], [texts[at] for at in each.items])
        for each in lists_of(DOCUMENT)
    ]
    assert found == [
        ("You must be all of:", ["over 18", "either:", "in the UK"]),
        ("either:", ["working"]),
        ("or one of:", ["studying"]),
        ("Documents", ["passport"]),
        (None, ["visa"]),
    ]


@given(
    st.lists(
        st.sampled_from(["甲：", "（一）乙", "（二）丙", "1、丁", "2、戊", "- 己", "  - 庚", "① 辛", "  壬"]),
        max_size=12,
    )
)
def test_every_item_is_in_one_list(lines: list[str]) -> None:
    document = parse_plain_text("\n".join(lines))
    items = [at for each in lists_of(document) for at in each.items]
    assert sorted(items) == [at for at, each in enumerate(document.elements) if each.tag == "li"]
    assert all(each.introduction is None or each.introduction < each.items[0] for each in lists_of(document))
