from __future__ import annotations

import codecs

import pytest

from caveat.core.encoding import declared_encoding, decode, seven_bit_encoding
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


TEXTS = [
    ("iso2022_jp", "ISO-2022-JP", "料金は五円です。学生は半額です。"),
    ("iso2022_jp", "ISO-2022-JP", "The 東京 bridge\n"),
    ("iso2022_jp_2", "ISO-2022-JP", "料金 费用 수수료"),
    ("iso2022_jp_ext", "ISO-2022-JP", "ﾊﾞｽ"),
    ("iso2022_kr", "ISO-2022-KR", "비자 수수료는 백이십 달러입니다.\n"),
    ("hz", "HZ", "费用为五元。学生减半。\n第二天免费。"),
    ("hz", "HZ", "The fee is 五元 a day.\n"),
    ("utf-7", "UTF-7", "费用为五元。学生减半。"),
    ("utf-7", "UTF-7", "簽證費用為一百二十元"),
    ("utf-7", "UTF-7", "Hello 世界!"),
    ("utf-7", "UTF-7", "The fee is £5."),
    ("utf-7", "UTF-7", "Le café coûte 5 €; 1 + 1 = 2."),
    ("utf-7", "UTF-7", "料金は五円です。"),
    ("utf-7", "UTF-7", "비자 수수료"),
    ("utf-7", "UTF-7", "Стоимость визы"),
    ("utf-7", "UTF-7", "\ufeff费用"),
]
# What has plus signs, tildes and escapes, and is what it looks like.
PLAIN = [
    *("C++ and a+b-c", "x+foo-y", "call +44-20-7946 now", "1+2-3", "a + b", "vim +PluginInstall +qall"),
    *("REST+API", "Red Hat+IBM-style", "data+APM-first", "a+house-to-house", "Google+ and Disney+", "AB+Rh-"),
    *("https://example.org/?q=tax+question", "g++ -O3", "O+ and AB-", "+one-two", "c+ode+all"),
    *('(format t "~{~a~^, ~}" list)', "Fig.~{\\ref{a}}~}", "~{ab~}", "~~ and ~{"),
    *("\x1b[1mbold\x1b(B\x1b[m", "\x1b$ alone", "It costs 5."),
]


@pytest.mark.parametrize(("encoding", "name", "text"), TEXTS)
def test_escape_sequences_are_decoded_and_said_to_be_guessed(encoding: str, name: str, text: str) -> None:
    from caveat.core.guessing import guessed

    decoded = decode(text.encode(encoding), "a.txt")
    assert decoded.text == text.removeprefix("\ufeff")
    assert decoded.guessed is not None
    assert guessed(decoded.guessed).startswith(f"its encoding is only guessed to be {name};")


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_like_one_is_left_as_it_is(text: str) -> None:
    assert seven_bit_encoding(text.encode()) is None
    assert decode(text.encode(), "a.txt") == (text, None)


def test_what_a_page_declares_goes_first() -> None:
    data = "<meta charset=utf-8>The fee is £5.".encode("utf-7")
    assert decode(data, "a.html", "utf-8").guessed is None
    assert seven_bit_encoding("The fee is £5, +AKM-5.".encode()) is None
