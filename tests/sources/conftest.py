"""PDF files, written by hand, and files with one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from caveat.sources.grid import ReadTable
from caveat.sources.read import read_file

WritePdf = Callable[..., bytes]
Read = Callable[..., ReadTable]

# Neither hash can belong to the empty password.
_ENCRYPTION = b"<</Filter/Standard/V 1/R 2/O<" + b"ab" * 32 + b">/U<" + b"cd" * 32 + b">/P -4>>"


def _pdf(*pages: Sequence[str], title: str = "", password: bool = False) -> bytes:
    """A PDF with these lines on its pages, in Helvetica."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        f"<</Title({title})>>".encode(),
    ]
    for number, lines in enumerate(pages):
        escaped = [re.sub(r"([()])", r"\\\1", line) for line in lines]
        shown = " ".join(f"({line}) Tj T*" for line in escaped)
        content = f"BT /F1 11 Tf 50 800 Td 14 TL {shown} ET".encode("cp1252")
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>"
            f"/Contents {6 + 2 * number} 0 R>>".encode(),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    if password:
        objects.append(_ENCRYPTION)
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    size = len(objects) + 1
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    encrypt = b"/Encrypt %d 0 R/ID[<00><00>]" % len(objects) if password else b""
    return (
        data
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer<</Size %d/Root 1 0 R/Info 4 0 R%s>>\nstartxref\n%d\n%%%%EOF" % (size, encrypt, len(data))
    )


@pytest.fixture
def write_pdf() -> WritePdf:
    """Make a PDF of pages of lines."""
    return _pdf


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a file and read the one table in it."""

    def read_one(name: str, content: str | bytes, encoding: str = "utf-8") -> ReadTable:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        (table,) = read_file(path).tables
        return table

    return read_one
