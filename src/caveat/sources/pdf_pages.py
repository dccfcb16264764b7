"""The pages of a PDF as PDFium gives them: their text and the title. Runs in the process of the parsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from time import perf_counter
from typing import Any

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.pdf_streams import refuse_bombs

__all__ = ["Pages", "read_pages"]

_WRONG_PASSWORD = 4  # FPDF_ERR_PASSWORD


class Pages(msgspec.Struct, frozen=True):
    """What a PDF calls itself, and the text of each page."""

    title: str
    texts: list[str]


def read_pages(data: bytes) -> Pages:
    """The text of a PDF, page by page; files that need a password are refused."""
    import pypdfium2

    refuse_bombs(data)
    try:
        opened = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == _WRONG_PASSWORD:
            raise InputError("needs a password: save it without one and ask again") from error
        raise InputError(f"cannot be read as PDF: {error}") from error
    with closing(opened):
        texts = list(_pages(opened))
        return Pages(" ".join(opened.get_metadata_value("Title").split()), texts)


def _pages(opened: Any) -> Iterator[str]:
    most = current_limits()
    if len(opened) > most.pages:
        raise over("pages", f"has {len(opened):,} pages")
    begin = perf_counter()
    for number in range(len(opened)):
        yield _page(opened, number)
        if perf_counter() - begin > most.seconds:
            raise over(
                "seconds", f"takes more than {most.seconds:,} s: {number + 1:,} of {len(opened):,} pages"
            )


def _page(opened: Any, number: int) -> str:
    import pypdfium2

    try:
        with closing(opened[number]) as page, closing(page.get_textpage()) as text:
            return str(text.get_text_range())
    except pypdfium2.PdfiumError as error:
        raise InputError(f"page {number + 1} cannot be read: {error}") from error
