"""Encodings that write other characters in ASCII bytes, by escape sequences: ISO-2022-JP, ISO-2022-KR, HZ, UTF-7.

Such a text is UTF-8 too, as rubbish: it has to be told before that is tried.
"""

from __future__ import annotations

import re

from caveat.core.guessing import is_simplified

__all__ = ["seven_bit_encoding"]

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
