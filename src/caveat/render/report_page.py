"""A report as files: one page that needs nothing else, and its pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from caveat.benchmarks.report import Report
from caveat.benchmarks.shared.count_tables import Cell, Table
from caveat.benchmarks.shared.score_board import measure_name
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike, reason_of_system, writing
from caveat.language.packs.en import ENGLISH
from caveat.render.page_shell import page_shell
from caveat.render.page_text import clean
from caveat.render.plot import GRID, INK, write_picture
from caveat.render.report_plot import draw_report
from caveat.render.words import plural

_CAPTIONS = {
    "generalisation": "Averages against each other",
    "sets": "Each set",
}
_IDS = re.compile(r'(\bid="|url\(#|href="#)')
# What a picture's colours are on a page, which may be dark.
_ON_PAGE = {INK: "currentColor", GRID: "var(--rule)", "#ffffff": "none"}


def write_report(report: Report, folder: PathLike) -> list[Path]:
    """`report.html` and its pictures, as PNG and as SVG, in a folder that is made if need be; what was written.

    Without matplotlib (the extra `plot`) there are no pictures.
    """
    out = Path(folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CaveatError(f"{folder} cannot be made: {reason_of_system(error)}") from error
    pictures = draw_report(report) if find_spec("matplotlib") else {}
    written = [out / "report.html"]
    with writing(written[0]) as page:
        page.write(
            report_page(report, {name: drawn["svg"].decode("utf-8") for name, drawn in pictures.items()})
        )
    for name, drawn in pictures.items():
        for ending, content in drawn.items():
            written.append(out / f"{name}.{ending}")
            write_picture(written[-1], content)
    return written


def report_page(report: Report, pictures: Mapping[str, str]) -> str:
    """The report as HTML, with its pictures (name → SVG)."""
    title = clean(
        f"{report.task}: {plural(len(report.systems), 'system')}, {plural(len(report.sets), 'set')}"
    )
    body = "".join((*_header(report, title, pictures), "<main>\n", *_sections(report, pictures), "</main>\n"))
    return page_shell(ENGLISH, title, "report", body)


def _header(report: Report, title: str, pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"<header>\n<h1>{title}</h1>\n"
    published = any(system.published for system in report.systems)
    yield (
        f"<p>Scores are on 0–100; averages weigh each set the same and are of {measure_name(report.measure)}. "
        "The best of a column is bold; an average over some of its sets only says over how many."
        f"{' † published scores, not scored here.' if published else ''}</p>\n<nav aria-label='Contents'><ul>\n"
    )
    # As the sections follow each other: the pictures behind the first table.
    links = [(f"table-{number}", clean(table.name)) for number, table in enumerate(report.tables, 1)]
    links[1:1] = [(name, _CAPTIONS[name]) for name in pictures]
    yield from (f'<li><a href="#{target}">{caption}</a></li>\n' for target, caption in links)
    yield "</ul></nav>\n"
    if report.remarks:
        yield '<ul class="remarks">\n'
        yield from (f"<li>{clean(remark)}</li>\n" for remark in report.remarks)
        yield "</ul>\n"
    yield "</header>\n"


def _sections(report: Report, pictures: Mapping[str, str]) -> Iterator[str]:
    for number, table in enumerate(report.tables, 1):
        yield f'<section id="table-{number}">\n<h2>{clean(table.name)}</h2>\n{_table(table)}</section>\n'
        if number == 1:
            for name, svg in pictures.items():
                caption = _CAPTIONS[name]
                yield f'<section id="{name}">\n<h2>{caption}</h2>\n<figure role="img" aria-label="{caption}">\n'
                yield f"{_inline(svg, name)}</figure>\n</section>\n"


def _inline(svg: str, name: str) -> str:
    """A picture as part of a page: in the page's colours, with ids that no other picture has."""
    svg = _IDS.sub(rf"\g<1>{name}-", svg[svg.index("<svg") :])
    for colour, own in _ON_PAGE.items():
        svg = svg.replace(colour, own)
    return svg


def _table(table: Table) -> str:
    judged = table.columns[-1] == "p"
    best = set() if judged else set(_best(table))
    rows = []
    for row_number, (first, *cells) in enumerate(table.rows):
        marked = ' class="real"' if judged and _excludes_zero(table.rows[row_number]) else ""
        # The mark of a published system never stands on a line of its own.
        name = clean(str(first)).replace(" †", "&nbsp;†")
        rows.append(f'<tr{marked}><th scope="row">{name}</th>')
        for column, cell in enumerate(cells, 1):
            kind = "best" if (row_number, column) in best else "partial" if _is_partial(cell, judged) else ""
            rows.append(f'<td class="{kind}">{_shown(cell)}</td>' if kind else f"<td>{_shown(cell)}</td>")
        rows.append("</tr>\n")
    head = "".join(f'<th scope="col">{clean(column)}</th>' for column in table.columns)
    return (
        f'<div class="wide" tabindex="0"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody>\n</table></div>\n"
    )


def _best(table: Table) -> Iterator[tuple[int, int]]:
    """The cells with the highest score of their column, where there is something to choose from."""
    for column in range(1, len(table.columns)):
        scores = {
            number: cell for number, row in enumerate(table.rows) if isinstance(cell := row[column], float)
        }
        if len(scores) > 1:
            yield from ((number, column) for number, score in scores.items() if score == max(scores.values()))


def _excludes_zero(row: tuple[Cell, ...]) -> bool:
    low, high = row[3], row[4]
    return isinstance(low, float) and isinstance(high, float) and (low > 0 or high < 0)


def _is_partial(cell: Cell, judged: bool) -> bool:
    return isinstance(cell, str) and not judged


def _shown(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.2f}"
    return "–" if cell is None else f"{cell:,}" if isinstance(cell, int) else clean(cell)
