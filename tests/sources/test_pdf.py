from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document
from caveat.sources.pdf import blocks_of_pages
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
    with pytest.raises(InputError, match=r"is scanned: it has no text in it, only pictures"):
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


def test_chinese_lines_are_joined_without_blanks() -> None:
    page = (
        "申请条件\r\n"
        "申请人应当在每年三月一日以前向所在地的主管部门提\r\n"
        "出书面申请，逾期不予受理。\r\n"
        "一、年满十八周岁"
    )
    assert [(block.tag, block.text) for block in blocks_of_pages([page])] == [
        ("p", "申请条件"),
        ("p", "申请人应当在每年三月一日以前向所在地的主管部门提出书面申请，逾期不予受理。"),
        ("li", "年满十八周岁"),
    ]


def test_soft_hyphens_and_control_characters_go() -> None:
    assert [block.text for block in blocks_of_pages(["a bene\u00ad\r\nfit\x07"])] == ["a benefit"]


def test_a_broken_word_keeps_its_hyphen_unless_it_stands_whole_elsewhere() -> None:
    pages = ["a tax\ufffefree bene\ufffefit, 20\ufffe30 A\ufffe", "Benefit"]
    assert [block.text for block in blocks_of_pages(pages)] == ["a tax-free benefit, 20-30 A-", "Benefit"]


@given(st.lists(st.text(alphabet=st.sampled_from("ab \r\n\ufffe\x02中-•1.:") | st.characters())))
def test_any_text(pages: list[str]) -> None:
    for block in blocks_of_pages(pages):
        assert block.text == block.text.strip() != ""
        assert block.tag in ("p", "li")
        assert "\n" not in block.text
