"""Books (.epub): their chapters, which are web pages, in the order of reading. Runs in the process of the parsers."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote

from caveat.core.errors import InputError
from caveat.sources.contents import Piece, Pieces
from caveat.sources.zip_parts import opened, part

__all__ = ["read_epub"]

_CONTAINER, _PROTECTION = "META-INF/container.xml", "META-INF/encryption.xml"
# In XML an element may end where it begins; in HTML the rest of the page would be inside of it.
_ENDED = re.compile(
    r"<(title|script|style|textarea|iframe|a|p|div|span|i|b|em|td|th|li)(\s[^<>]*)?/>", re.IGNORECASE
)
_FONTS = b"idpf.org/2008/embedding"


def read_epub(data: bytes) -> Pieces:
    """The chapters of a book; one that is protected against copying is refused."""
    with opened(data, "an EPUB book") as archive:
        container = part(archive, _CONTAINER)
        place = None if container is None else container.find(".//rootfile")
        home = "" if place is None else place.get("full-path") or ""
        book = part(archive, home)
        if book is None:
            raise InputError("cannot be read as an EPUB book: it does not say what is in it")
        folder = posixpath.dirname(home)
        files = {each.get("id"): each.get("href") or "" for each in book.iter("item")}
        names = (files.get(each.get("idref")) for each in book.iter("itemref"))
        places = [posixpath.normpath(posixpath.join(folder, unquote(name))) for name in names if name]
        pages = [archive.read(name) for name in places if name in archive.NameToInfo]
        protection = archive.read(_PROTECTION) if _PROTECTION in archive.NameToInfo else b""
        if b"EncryptedData" in protection and _FONTS not in protection:
            raise InputError("is protected against copying, so that it cannot be read")
        title = book.find(".//title")
        name = " ".join((title.text or "").split()) if title is not None else ""
        return Pieces(name, [Piece("html", _ENDED.sub(r"<\1\2></\1>", _decoded(page))) for page in pages])


def _decoded(page: bytes) -> str:
    """As XML has it: UTF-8, or UTF-16 where the first bytes say so."""
    encoding = "utf-16" if page[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return page.decode(encoding, "replace")
