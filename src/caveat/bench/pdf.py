"""PDF files beside the same texts as web pages: what comes out whole, and how fast, beside other programs.

Of each `NAME.pdf` in a folder that has a `NAME.html` beside it, the sentences, paragraphs, headings and rows of tables
of the page are looked for in what is read of the PDF. Texts are compared by their letters and digits: no blank and no
hyphen counts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from time import process_time

import msgspec

from caveat.bench.measure import Cell, Measured, Watch
from caveat.core.encoding import decode
from caveat.core.errors import UsageError
from caveat.core.limits import limits
from caveat.language.sentences import sentences
from caveat.sources.html import read_page
from caveat.sources.html_tags import tamed
from caveat.sources.outline import assemble, heading_level

# As `-layout` sets the cells of a row apart.
_CELLS = re.compile(r" {2,}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\f")
# Shorter ones stand in many places; longer ones are mostly no sentences.
_SHORTEST, _LONGEST = 30, 400
# Whatever the machine has to do beside.
_SECONDS = 600
# Of a page's paragraphs, a file that is the same text has at least so many; else it is another edition.
_FEWEST_FOUND = 0.2


class Read(msgspec.Struct, frozen=True):
    """What a program read of a PDF: its paragraphs, headings and rows of tables, and the seconds it took."""

    paragraphs: list[str]
    headings: list[str]
    seconds: float
    pages: int = 0
    rows: list[list[str]] = []


class Wanted(msgspec.Struct, frozen=True):
    """What the web page says: sentences and paragraphs of prose, headings, rows of tables."""

    sentences: list[str]
    paragraphs: list[str]
    headings: list[str]
    rows: list[tuple[str, ...]]


def bench_pdf(*, folder: str = ".", repeats: int = 1, watch: Watch = lambda items, _: items) -> Measured:
    """Read all PDFs of the folder with each program that is installed; those with a page beside them are judged."""
    files = sorted(Path(folder).glob("*.pdf"))
    if not files:
        raise UsageError(f"{folder} has no PDF files in it.")
    programs = {name: program for name, program in _PROGRAMS.items() if program is not None}
    totals: dict[str, list[float]] = {name: [0.0] * 10 for name in programs}
    judged = pages = 0
    for path in watch(files, len(files)):
        wanted = _wanted(path.with_suffix(".html"))
        read = {
            name: min((program(path) for _ in range(repeats)), key=lambda each: each.seconds)
            for name, program in programs.items()
        }
        pages += read["caveat"].pages
        for name, each in read.items():
            totals[name][9] += each.seconds
        if wanted is None or not _is_same_text(wanted, read.values()):
            continue
        judged += 1
        for name, each in read.items():
            for index, value in enumerate(_judged(wanted, each)):
                totals[name][index] += value
    rows = tuple(_row(name, total, pages) for name, total in totals.items())
    return Measured(
        "PDF files",
        (
            "program",
            "sentences whole",
            "paragraphs exact",
            "headings found",
            "headings right",
            "table rows exact",
            "pages a second",
        ),
        rows,
        (
            f"{len(files)} files of {pages:,} pages; {judged} of them beside the same text as a web page, "
            f"with {int(totals['caveat'][1]):,} sentences, {int(totals['caveat'][3]):,} paragraphs, "
            f"{int(totals['caveat'][5]):,} headings and {int(totals['caveat'][8]):,} rows of tables",
        ),
    )


def _row(name: str, total: list[float], pages: int) -> tuple[Cell, ...]:
    whole, of_sentences, exact, of_paragraphs, found, of_headings, given, rows, of_rows, seconds = total
    return (
        name,
        _percent(whole, of_sentences),
        _percent(exact, of_paragraphs),
        _percent(found, of_headings) if given else None,
        _percent(found, given) if given else None,
        _percent(rows, of_rows),
        round(pages / seconds, 1) if seconds else None,
    )


def _percent(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def _judged(wanted: Wanted, read: Read) -> tuple[float, ...]:
    """Sentences whole, of how many; paragraphs and rows of tables exact, of how many; headings found.

    Of headings also how many the page has, and how many were given.
    """
    paragraphs = [letters_of(text) for text in read.paragraphs]
    stream = "\n".join(paragraphs)
    exact = set(paragraphs)
    headings = {_bare(text) for text in read.headings}
    return (
        sum(sentence in stream for sentence in wanted.sentences),
        len(wanted.sentences),
        sum(paragraph in exact for paragraph in wanted.paragraphs),
        len(wanted.paragraphs),
        sum(heading in headings for heading in wanted.headings),
        len(wanted.headings),
        len(headings),
        len(set(wanted.rows) & set(_rows(read.rows))),
        len(wanted.rows),
    )


def _rows(rows: Iterable[Iterable[str]]) -> list[tuple[str, ...]]:
    """Rows as their cells that are not empty; one cell alone is no row."""
    cells = (tuple(filter(None, map(letters_of, row))) for row in rows)
    return sorted({row for row in cells if len(row) > 1})


def _is_same_text(wanted: Wanted, reads: Iterable[Read]) -> bool:
    streams = ["".join(letters_of(text) for text in read.paragraphs) for read in reads]
    found = sum(any(sentence in stream for stream in streams) for sentence in wanted.sentences)
    return found >= max(1.0, _FEWEST_FOUND * len(wanted.sentences))


def letters_of(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.casefold()))


def _bare(heading: str) -> str:
    """A heading without its number."""
    return letters_of(
        re.sub(r"^(?:chapter|appendix)?\s*[\dA-Z]{0,2}(?:\.\d+)*\.?\s+", "", heading, flags=re.IGNORECASE)
    ) or letters_of(heading)


def _wanted(path: Path) -> Wanted | None:
    if not path.exists():
        return None
    document, tables = read_page(tamed(decode(path.read_bytes(), path).text)[0])
    prose = [element.text for element in document.elements if element.tag in ("p", "li")]
    paragraphs = {letters_of(text) for text in prose if len(text) >= _SHORTEST}
    found = {
        letters_of(text[start:end])
        for text in prose
        for start, end in sentences(text)
        if _SHORTEST <= end - start <= _LONGEST
    }
    headings = {_bare(element.text) for element in document.elements if heading_level(element)}
    rows = _rows(row for table in tables for row in table.rows)
    return Wanted(sorted(found), sorted(paragraphs), sorted(filter(None, headings)), rows)


def _with_caveat(path: Path) -> Read:
    from caveat.sources.pdf import read_pdf

    data = path.read_bytes()
    begin = process_time()
    with limits(seconds=_SECONDS):
        found = read_pdf(data)
    document = assemble(found.blocks)
    seconds = process_time() - begin
    return Read(
        [element.text for element in document.elements],
        [element.text for element in document.elements if heading_level(element)],
        seconds,
        len(document.pages),
        [list(row) for table in found.tables for row in table.rows],
    )


def _with_pdftotext(*options: str) -> Callable[[Path], Read] | None:
    if shutil.which("pdftotext") is None:
        return None

    def read(path: Path) -> Read:
        import resource

        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        shown = subprocess.run(
            ["pdftotext", *options, str(path), "-"], capture_output=True, check=False, timeout=_SECONDS
        ).stdout.decode("utf-8", "replace")
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime
        rows = [_CELLS.split(line.strip()) for line in shown.splitlines()]
        return Read(list(_blank_lines(shown)), [], seconds, rows=rows)

    return read


def _blank_lines(text: str) -> Iterator[str]:
    return (paragraph for paragraph in _PARAGRAPH.split(text) if paragraph.strip())


def _with_pypdf(path: Path) -> Read:
    from pypdf import PdfReader

    begin = process_time()
    texts = [page.extract_text() for page in PdfReader(BytesIO(path.read_bytes())).pages]
    return Read([part for text in texts for part in _blank_lines(text)], [], process_time() - begin)


def _with_markitdown(path: Path) -> Read:
    from markitdown import MarkItDown

    begin = process_time()
    text = MarkItDown().convert(str(path)).text_content
    seconds = process_time() - begin
    lines = [line.strip() for line in text.splitlines()]
    headings = [line.lstrip("# ") for line in lines if line.startswith("#")]
    rows = [line.strip("|").split("|") for line in lines if line.startswith("|")]
    return Read(list(_blank_lines(text)), headings, seconds, rows=rows)


_PROGRAMS: dict[str, Callable[[Path], Read] | None] = {
    "caveat": _with_caveat,
    "pdftotext": _with_pdftotext(),
    "pdftotext -layout": _with_pdftotext("-layout"),
    "pypdf": _with_pypdf if find_spec("pypdf") else None,
    "markitdown": _with_markitdown if find_spec("markitdown") else None,
}
