from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document
from caveat.sources.documents import read_document

WritePdf = Callable[..., bytes]


@pytest.fixture(autouse=True)
def _pdfium() -> None:
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")


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
    with pytest.raises(InputError, match=r"has no text in it, only pictures"):
        read_document(path)
    path.write_bytes(b"<html>not found</html>")
    with pytest.raises(InputError, match=r"is not a PDF"):
        read_document(path)
    path.write_bytes(b"%PDF-1.4\nnothing more")
    with pytest.raises(InputError, match=r"a\.pdf: cannot be read as PDF"):
        read_document(path)


def test_without_pypdfium2(tmp_path: Path, write_pdf: WritePdf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(write_pdf(["Hello"]))
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(CaveatError, match=r'needs pypdfium2: pip install "caveat\[pdf\]"'):
        read_document(path)
