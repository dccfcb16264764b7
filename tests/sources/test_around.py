from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.core.records import Document
from caveat.sources.around import sentence_around
from caveat.sources.plain_text import parse_plain_text


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
