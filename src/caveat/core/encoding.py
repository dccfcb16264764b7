"""Bytes as text: byte order marks, what a page declares, UTF-8, or else a guess.

ISO-2022-JP, ISO-2022-KR, HZ and UTF-7 write other characters in ASCII bytes, by escape sequences. Such a text is UTF-8
too, as rubbish: it has to be told before that is tried.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.guessing import guess_encoding, is_simplified

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_BEGINNING = 4096
# As browsers take them: pages that declare the smaller set use the larger one.
_AS_READ = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
}


def declared_encoding(data: bytes) -> str | None:
    """What an HTML page says it is encoded in, as Python names it; None for nothing, or nothing known."""
    found = _DECLARATION.search(data, 0, _BEGINNING)
    if found is None:
        return None
    try:
        name = codecs.lookup((found[1] or found[2]).decode("ascii", "replace")).name
        b"a".decode(name)  # `rot13` and the like are codecs too, but not of text
    except (LookupError, ValueError):
        return None
    return None if name.startswith("utf-16") else _AS_READ.get(name, name)


class Decoded(NamedTuple):
    """A text, and the encoding it was read in where that is only guessed."""

    text: str
    guessed: str | None = None


def decode(data: bytes, path: PathLike, declared: str | None = None) -> Decoded:
    """The text, in the encoding that its mark or the page says, in UTF-8, or else in the likeliest one.

    Binary data and what is in no encoding known are refused.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return Decoded(data[len(mark) :].decode(encoding))
            except UnicodeDecodeError as error:
                raise InputError(
                    f"begins as {encoding.upper()} but is not ({error.reason})", path=path
                ) from None
    if b"\0" in data:
        raise InputError("is not text but binary data", path=path)
    if declared is None and (guess := seven_bit_encoding(data)) is not None:
        return Decoded(data.decode(guess).removeprefix("\ufeff"), guess)
    # A single-byte encoding fits any bytes, so that a page which wrongly declares one would never be UTF-8.
    single = declared is not None and declared.startswith(("cp", "iso8859", "koi8", "mac"))
    encodings = ["utf-8", declared] if single else [declared, "utf-8"]
    for name in dict.fromkeys(filter(None, encodings)):
        try:
            return Decoded(data.decode(name))
        except UnicodeError:
            continue
    if (guess := guess_encoding(data)) is not None:
        try:
            return Decoded(data.decode(guess), guess)
        except UnicodeDecodeError:
            pass
    tried = "neither UTF-8 nor text in an encoding that can be told"
    if declared not in (None, "utf-8"):
        tried += f", nor {declared} as it declares"
    raise InputError(f"{tried}: save it as UTF-8 and ask again", path=path)


# Which sets of characters are switched to; `ESC ( B`, back to ASCII, is in the output of terminals as well.
_JAPANESE = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]|\x1b\([IJ]")
_JAPANESE_CODECS = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_jp_2004")
_KOREAN = b"\x1b$)C"
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_UTF_7 = re.compile(rb"\+[A-Za-z0-9+/]{3,}-?")
_UTF_7_MARK = re.compile(rb"\+/v[89+/]")
# A price: of other single sequences chance makes words, as of "+API" and "+IBM".
_PRICE = re.compile(rb"\+(?:AKM|IKw)-\d")
_WESTERN = re.compile("[\u00a0-\u017f\u0370-\u04ff\u2010-\u2026\u20ac]+")
_EAST_ASIAN = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff65]+")
# Characters in frequent use: level one of GB 2312, Big5 and JIS X 0208, syllables of KS X 1001, kana, punctuation.
_USUAL = {
    "gb2312": re.compile(rb"[\xa1-\xa9\xb0-\xd7]."),
    "big5": re.compile(rb"[\xa1-\xc6]."),
    "euc_jp": re.compile(rb"[\xa1-\xa5\xb0-\xcf]."),
    "euc_kr": re.compile(rb"[\xa1-\xc8]."),
}
_NEARLY_ALL = 0.9
_LOOKED_AT = 1 << 20


def seven_bit_encoding(data: bytes) -> str | None:
    """The encoding, as Python names it, of ASCII bytes that stand for other characters; None where they are ASCII."""
    if not data.isascii():
        return None
    if _JAPANESE.search(data):
        return next((name for name in _JAPANESE_CODECS if _decoded(data, name) is not None), None)
    if _KOREAN in data:
        return "iso2022_kr" if _decoded(data, "iso2022_kr") is not None else None
    if _HZ.search(data) and _is_hz(data):
        return "hz"
    return "utf_7" if b"+" in data and _is_utf_7(data) else None


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _is_hz(data: bytes) -> bool:
    """Whether what stands between the marks is Chinese in frequent use: programs have such marks too."""
    text = _decoded(data, "hz")
    return text is not None and is_simplified(text.encode("gb18030"))


def _is_utf_7(data: bytes) -> bool:
    """Whether every plus sign begins an escape sequence, and what they stand for is what texts are made of."""
    if _UTF_7_MARK.match(data):
        return _decoded(data, "utf_7") is not None
    runs = _UTF_7.findall(data, 0, _LOOKED_AT)
    if not runs:
        return False
    pieces = [_decoded(run, "utf_7") for run in runs]
    beyond = "".join(character for piece in pieces for character in piece or "" if not character.isascii())
    if None in pieces or not beyond or _decoded(data, "utf_7") is None:
        return False
    if _WESTERN.fullmatch(beyond):
        return len(runs) > 1 or _PRICE.search(data) is not None
    # Any eight letters behind a plus sign may be three characters, but seldom three that are in use.
    east_asian = [character for character in beyond if _EAST_ASIAN.fullmatch(character)]
    rest = "".join(character for character in beyond if character not in east_asian)
    if len(beyond) < 2 or (rest and not _WESTERN.fullmatch(rest)):
        return False
    return sum(map(_is_usual, east_asian)) >= _NEARLY_ALL * len(east_asian)


def _is_usual(character: str) -> bool:
    encoded = ((character.encode(name, "ignore"), usual) for name, usual in _USUAL.items())
    return any(usual.fullmatch(code) for code, usual in encoded)
