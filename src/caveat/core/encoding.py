"""Bytes as text: byte order marks, what a page declares, UTF-8, or else a guess."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.guessing import guess_encoding
from caveat.core.seven_bit import seven_bit_encoding

__all__ = ["Decoded", "declared_encoding", "decode"]

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
