"""Bytes as text: byte order marks, what a page declares, UTF-8, GB18030."""

from __future__ import annotations

import codecs
import re

from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["declared_encoding", "decode"]

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


def decode(data: bytes, path: PathLike, declared: str | None = None) -> str:
    """The text, from the first encoding that fits; binary data and unknown encodings are refused."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise InputError(
                    f"begins as {encoding.upper()} but is not ({error.reason})", path=path
                ) from None
    if b"\0" in data:
        raise InputError("is not text but binary data", path=path)
    # A single-byte encoding fits any bytes, so that a page which wrongly declares one would never be UTF-8.
    single = declared is not None and declared.startswith(("cp", "iso8859", "koi8", "mac"))
    encodings = ["utf-8", declared, "gb18030"] if single else [declared, "utf-8", "gb18030"]
    for name in dict.fromkeys(filter(None, encodings)):
        try:
            return data.decode(name)
        except UnicodeError:
            continue
    tried = "neither UTF-8 nor GB18030 text"
    if declared not in (None, "utf-8", "gb18030"):
        tried += f", nor {declared} as it declares"
    raise InputError(f"{tried}: save it as UTF-8 and ask again", path=path)
