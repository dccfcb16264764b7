from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document
from caveat.sources.pdf_blocks import Entry, Found, blocks_of_pages
from caveat.sources.pdf_text import BROKEN, PageText, Run
from caveat.sources.read import read_file

WritePdf = Callable[..., bytes]


@pytest.fixture(autouse=True)
def _pdfium() -> None:
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")


def read_document(path: Path) -> Document:
    document, tables, *_ = read_file(path)
    assert document is not None
    assert not tables
    return document


def shown(document: Document) -> list[tuple[str, str]]:
    return [(element.tag, element.text) for element in document.elements]


def test_lines_become_paragraphs(tmp_path: Path, write_pdf: WritePdf) -> None:
    path = tmp_path / "payment.pdf"
    path.write_bytes(
        write_pdf(
            [
                "Funeral payment",
                "You could get help with the costs of a funeral (up to £700) if you or your",
                "partner receive certain benefits. The payment is made once, to the person who",
                "arranged it.",
                "You must be all of:",
                "• the partner or a close relative of the person who died, who was living with",
                "them at the time",
                "• in the UK",
            ],
            ["A second page."],
            title="Payments",
        )
    )
    document = read_document(path)
    assert document.title == "Payments"
    assert shown(document) == [
        ("p", "Funeral payment"),
        (
            "p",
            "You could get help with the costs of a funeral (up to £700) if you or your partner receive certain "
            "benefits. The payment is made once, to the person who arranged it.",
        ),
        ("p", "You must be all of:"),
        (
            "li",
            "the partner or a close relative of the person who died, who was living with them at the time",
        ),
        ("li", "in the UK"),
        ("p", "A second page."),
    ]
    assert document.text.split("\n") == [text for _, text in shown(document)]


def test_broken_words(tmp_path: Path, write_pdf: WritePdf) -> None:
    path = tmp_path / "words.pdf"
    path.write_bytes(
        write_pdf(
            [
                "You could get help with the costs of a funeral if you receive certain bene-",
                "fits. Most of these benefits are paid every month, and this one is a well-",
                "known one.",
            ]
        )
    )
    assert read_document(path).text == (
        "You could get help with the costs of a funeral if you receive certain benefits. "
        "Most of these benefits are paid every month, and this one is a well-known one."
    )


def test_the_content_tells(tmp_path: Path, write_pdf: WritePdf) -> None:
    path = tmp_path / "download"
    path.write_bytes(b"\n" + write_pdf(["Hello"]))
    assert read_document(path).text == "Hello"


def test_a_password(tmp_path: Path, write_pdf: WritePdf) -> None:
    path = tmp_path / "secret.pdf"
    path.write_bytes(write_pdf(["Hello"], password=True))
    with pytest.raises(InputError, match=r"secret\.pdf: needs a password: save it without one"):
        read_document(path)


def test_no_text_no_pdf_and_damage(tmp_path: Path, write_pdf: WritePdf) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(write_pdf([]))
    with pytest.raises(InputError, match=r"has no text in it"):
        read_document(path)
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(InputError, match=r"is not what its name says: PDF files begin otherwise"):
        read_document(path)
    path.write_bytes(b"%PDF-1.4\nnothing more")
    with pytest.raises(InputError, match=r"a\.pdf: cannot be read as PDF"):
        read_document(path)


def test_without_pypdfium2(tmp_path: Path, write_pdf: WritePdf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(write_pdf(["Hello"]))
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(CaveatError, match="needs pypdfium2: pip install pypdfium2"):
        read_document(path)


Placed = tuple[str, float, float]


def page(*runs: Placed | tuple[str, float, float, float] | tuple[str, float, float, float, bool]) -> PageText:
    """A page of texts at their places, 5 points a letter (10 for Chinese ones), in a font of 10 points or more."""
    placed: list[Run] = []
    for text, left, foot, *style in runs:
        size = float(style[0]) if style else 10.0
        wide = sum(2 if ord(letter) > 0x2E80 else 1 for letter in text) * size / 2
        bold = bool(style[1]) if len(style) > 1 else False
        placed.append(Run(text, left, foot - size, left + wide, foot, size, bold))
    return PageText(600.0, 800.0, placed, [])


def blocks(found: Found) -> list[tuple[str, str]]:
    return [(block.tag, block.text) for block in found.blocks]


def test_chinese_lines_are_joined_without_blanks() -> None:
    found = blocks_of_pages(
        [
            page(
                ("申请条件", 50, 100),
                ("申请人应当在每年三月一日以前向所在地的主管部门提", 50, 114),
                ("出书面申请，逾期不予受理。", 50, 128),
                ("一、年满十八周岁", 50, 142),
            )
        ]
    )
    assert blocks(found) == [
        ("p", "申请条件"),
        ("p", "申请人应当在每年三月一日以前向所在地的主管部门提出书面申请，逾期不予受理。"),
        ("li", "年满十八周岁"),
    ]


def test_a_broken_word_keeps_its_hyphen_unless_it_stands_whole_elsewhere() -> None:
    text = f"a tax{BROKEN}free bene{BROKEN}fit, 20{BROKEN}30"
    found = blocks_of_pages([page((text, 50, 100)), page(("Benefit", 50, 100))])
    assert blocks(found)[0] == ("p", "a tax-free benefit, 20-30")


def test_columns_are_read_one_after_the_other() -> None:
    left = [f"left line {number} goes on and on" for number in "abcdef"]
    right = [f"right line {number} goes on and on" for number in "abcdef"]
    runs = [("A title that goes over both of the columns of this page, all the way", 50.0, 80.0)]
    for index, texts in enumerate(zip(left, right, strict=True)):
        runs += [(texts[0], 50.0, 100.0 + 12 * index), (texts[1], 320.0, 100.0 + 12 * index)]
    text = " ".join(text for _, text in blocks(blocks_of_pages([page(*runs)])))
    assert text.endswith(" ".join((*left, *right)))


def test_running_titles_and_page_numbers_are_left_out() -> None:
    pages = [
        page(
            ("The handbook", 50, 30),
            (f"Text of page {word} stands here, and it ends.", 50, 300),
            (str(number), 300, 780),
        )
        for number, word in enumerate(("one", "two", "three"), 7)
    ]
    assert blocks(blocks_of_pages(pages)) == [
        ("p", f"Text of page {word} stands here, and it ends.") for word in ("one", "two", "three")
    ]


def test_what_is_larger_or_bold_is_a_heading_and_the_outline_gives_its_level() -> None:
    text = "This is a paragraph of the text that has enough letters to be the usual one."
    pages = [
        page(
            ("Step 3: Submitting expenses", 50, 100, 16),
            (text, 50, 130),
            ("Receipts", 50, 160, 10, True),
            (text, 50, 180),
        )
    ]
    assert blocks(blocks_of_pages(pages)) == [
        ("h1", "Step 3: Submitting expenses"),
        ("p", text),
        ("h2", "Receipts"),
        ("p", text),
    ]
    outline = [Entry("Step 3: Submitting expenses", 1, 1), Entry("Receipts", 2, 1)]
    assert [tag for tag, _ in blocks(blocks_of_pages(pages, outline))] == ["h2", "p", "h3", "p"]


def test_a_paragraph_goes_on_over_a_page() -> None:
    first = "A paragraph that begins on the first page and is not at its end where the page is, but"
    pages = [page((first, 50, 700)), page(("goes on here.", 50, 100))]
    (block,) = blocks_of_pages(pages).blocks
    assert block.text == f"{first} goes on here."
    assert block.turns == ((len(first) + 1, 2),)


def test_cells_below_each_other_are_a_table() -> None:
    rows = [("Age", "Fee"), ("under 18", "free"), ("18 to 24", "£5"), ("over 24", "£8")]
    runs = [
        (cell, 50.0 + 150 * column, 100.0 + 14 * index)
        for index, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    found = blocks_of_pages([page(("Fees for all", 50, 60, 16), *runs)])
    assert blocks(found)[1:] == [("tr", " | ".join(row)) for row in rows]
    assert found.tables[0].rows == [list(row) for row in rows]
    assert found.tables[0].caption == "Fees for all"


def test_a_table_of_contents_is_left_out() -> None:
    text = "This is a paragraph."
    assert blocks(blocks_of_pages([page(("Fees . . . . . . . . 12", 50, 100), (text, 50, 300))])) == [
        ("p", text)
    ]


_RUNS = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab中-•1.:" + BROKEN) | st.characters(), min_size=1).filter(str.strip),
        st.floats(0, 500),
        st.floats(10, 790),
        st.sampled_from([8.0, 10.0, 14.0]),
        st.booleans(),
    ),
    max_size=12,
)


@given(st.lists(_RUNS, max_size=3))
def test_any_page(pages: list[list[tuple[str, float, float, float, bool]]]) -> None:
    made = [page(*((" ".join(text.split()), *rest) for text, *rest in runs)) for runs in pages]  # type: ignore[arg-type]
    for block in blocks_of_pages(made).blocks:
        assert block.text == block.text.strip() != ""
        assert block.tag in ("p", "li", "tr", "h1", "h2", "h3", "h4")
