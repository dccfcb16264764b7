"""Scanned pages and pictures: how recognised lines are laid out, and what is said of them."""

from __future__ import annotations

import re
from importlib.util import find_spec
from io import BytesIO
from math import cos, radians, sin
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.core.limits import limits
from caveat.core.records import Remark
from caveat.sources.gather import gather
from caveat.sources.pdf_blocks import blocks_of_pages
from caveat.sources.read import parse_file
from caveat.sources.scans import Recognised, laid_out, uncertain

has_ocr = pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra `ocr`")
# The smallest PNG: one white dot.
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


def line(text: str, left: float, top: float, height: float = 20, turn: float = 0) -> Recognised:
    """A line of 12 dots a letter, turned around the upper left corner of its page."""
    right, bottom = left + 12 * len(text), top + height
    sine, cosine = sin(radians(turn)), cos(radians(turn))
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    return Recognised(text, tuple((x * cosine - y * sine, x * sine + y * cosine) for x, y in corners), 0.99)


PAGE = (
    ("Rules of the club", 100, 50, 34),
    ("Members may borrow a boat for three hours, and the", 100, 120, 20),
    ("deposit is paid back when the boat is clean again.", 100, 148, 22),
)


@pytest.mark.parametrize("turn", [0, 1.5, -2])
def test_lines_become_headings_and_paragraphs(turn: float) -> None:
    found = [line(*each, turn=turn) for each in PAGE]  # type: ignore[arg-type]
    blocks, _ = blocks_of_pages([laid_out(found, 400, 600, 0.5)])
    assert [(block.tag, block.text) for block in blocks] == [
        ("h1", "Rules of the club"),
        (
            "p",
            "Members may borrow a boat for three hours, and the deposit is paid back when the boat is clean again.",
        ),
    ]


def test_how_sure_it_is() -> None:
    sure = line("It costs 5.", 0, 0)
    assert uncertain([]) == ""
    assert uncertain([(1, sure)]) == "recognised 1 line in pictures, confidence 99%"
    doubtful = sure._replace(text="lt c0sts", confidence=0.61)
    assert uncertain([(1, sure), (3, doubtful)]) == (
        "recognised 2 lines in pictures, confidence 80%; 1 uncertain, check them: p. 3 “lt c0sts”"
    )


def scanned(*texts: str) -> bytes:
    """A PDF whose pages are pictures over all of the page, with so much text below."""
    data = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    kids = " ".join(f"{5 + 2 * at} 0 R" for at in range(len(texts)))
    data += f"2 0 obj<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>endobj\n".encode()
    data += b"3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
    data += b"4 0 obj<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
    data += b"stream\n\xff\nendstream endobj\n"
    for at, text in enumerate(texts):
        shown = f"q 595 0 0 842 0 0 cm /I Do Q BT /F 11 Tf 50 800 Td ({text}) Tj ET".encode()
        data += (
            f"{5 + 2 * at} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {6 + 2 * at} 0 R"
            f"/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>>>endobj\n"
            f"{6 + 2 * at} 0 obj<</Length {len(shown)}>>stream\n"
        ).encode()
        data += shown + b"\nendstream endobj\n"
    return data + b"trailer<</Root 1 0 R>>"


TEXT = "The deposit of a boat is 20 euros, and the key costs 5 euros."


@pytest.mark.skipif(find_spec("rapidocr") is not None, reason="the extra `ocr` is there")
def test_without_the_extra_the_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape('a.png: is a picture: pip install ".[ocr]"')):
        parse_file(DOT, "a.png")
    with pytest.raises(
        InputError, match=re.escape('is scanned: it has pictures of pages and no text: pip install ".[ocr]"')
    ):
        parse_file(scanned(""), "a.pdf")
    (tmp_path / "a.pdf").write_bytes(scanned(TEXT, "2", ""))
    given = gather(tmp_path / "a.pdf")
    assert given.documents[0].text.startswith(TEXT)
    (remark,) = given.remarks
    assert remark.text.startswith('2 pages are pictures and were not read (2, 3): pip install ".[ocr]"')


def test_a_picture_in_a_folder_is_said_or_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("It costs 5.", encoding="utf-8")
    (tmp_path / "a.png").write_bytes(DOT)
    (remark,) = gather(tmp_path).unread
    assert isinstance(remark, Remark)
    assert remark.source == str(tmp_path / "a.png")


@has_ocr
def test_a_picture_is_read() -> None:
    image, draw, font = (pytest.importorskip(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFont"))
    picture = image.new("RGB", (900, 200), "white")
    draw.Draw(picture).text((40, 60), "The deposit is 20 euros.", font=font.load_default(36), fill="black")
    for form in ("PNG", "JPEG", "TIFF", "PDF"):
        data = BytesIO()
        picture.save(data, form)
        contents = parse_file(data.getvalue(), f"a.{form.lower()}")
        assert contents.document is not None
        assert contents.document.text == "The deposit is 20 euros."
        assert contents.remark.startswith("recognised 1 line in pictures, confidence ")
    with limits(source_bytes=100_000), pytest.raises(InputError, match="has 900 by 200 dots"):
        parse_file(data_of(picture), "a.png")


def data_of(picture: object) -> bytes:
    data = BytesIO()
    picture.save(data, "PNG")  # type: ignore[attr-defined]
    return data.getvalue()
