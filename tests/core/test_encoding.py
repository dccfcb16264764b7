from __future__ import annotations

import codecs

import pytest

from caveat.core.encoding import declared_encoding, decode
from caveat.core.errors import InputError


@pytest.mark.parametrize(
    ("markup", "encoding"),
    [
        (b'<meta charset="gb2312">', "gb18030"),
        (b"<meta http-equiv='Content-Type' content='text/html; charset=GBK'>", "gb18030"),
        (b'<?xml version="1.0" encoding="Big5"?><html>', "big5hkscs"),
        (b"<META CHARSET=iso-8859-1>", "cp1252"),
        (b"<meta charset=utf-8>", "utf-8"),
        (b"<meta charset=utf-16>", None),
        (b"<meta charset=rot13>", None),
        (b"<meta charset=no-such-thing>", None),
        (b"<p>charset=gbk</p>", None),
    ],
)
def test_what_a_page_declares(markup: bytes, encoding: str | None) -> None:
    assert declared_encoding(markup) == encoding


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "gb18030", "utf-16", "utf-32"])
def test_marks_and_guesses(encoding: str) -> None:
    found = decode("费用为五元。\r\n".encode(encoding), "a.txt")
    assert found == ("费用为五元。\r\n", "gb18030" if encoding == "gb18030" else None)


def test_a_declaration_is_believed_unless_it_fits_anything() -> None:
    assert decode("£5 – café".encode("cp1252"), "a.html", "cp1252") == ("£5 – café", None)
    assert decode("費用".encode("big5hkscs"), "a.html", "big5hkscs") == ("費用", None)
    assert decode("£5".encode(), "a.html", "cp1252") == ("£5", None)
    assert decode("费用".encode(), "a.html", "ascii") == ("费用", None)


def test_what_is_no_text() -> None:
    with pytest.raises(InputError, match=r"^a\.txt: is not text but binary data$"):
        decode(b"\x7fELF\x00\x01", "a.txt")
    with pytest.raises(InputError, match=r"neither UTF-8 nor text in an encoding that can be told: save it"):
        decode(b"\x81\x81\xff\xff\x8d" * 9, "a.txt")
    with pytest.raises(InputError, match=r"nor shift_jis as it declares"):
        decode(b"\x81\x81\xff\xff\x8d" * 9, "a.html", "shift_jis")
    with pytest.raises(InputError, match=r"begins as UTF-16-LE but is not"):
        decode(codecs.BOM_UTF16_LE + b"abc", "a.txt")
