"""The pictures of reports, of systems and of annotators.

Systems: in-domain against out-of-domain averages, and a bar for each system on each set. Annotators: their agreement
over time, for each kind of label, and for each person.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.benchmarks.report import Report
from caveat.benchmarks.shared.score_board import measure_name
from caveat.core.files import PathLike
from caveat.render.plot import BAR, GRID, INK, Lettering, draw, picture_format, write_picture

if TYPE_CHECKING:
    from caveat.annotation.agreement import AgreementReport

_FORMATS = ("png", "svg")
# Told apart by eye on white and on black, and by those who see no red or green.
_COLOURS = (BAR, "#d1703c", "#3f9a72", "#9a5fb0", "#b8860b", "#8c8c8c")
_OTHERS = "#8a949e"
# Where no system was scored here, the best of the published ones have bars.
_MOST_PUBLISHED = 4
_REST = "other systems"
_LONGEST_LABEL = 34
_WIDTH, _BAR_HEIGHT, _SET_GAP = 8.4, 0.16, 0.14  # inches
# More sets than this stand in two columns.
_MOST_IN_COLUMN = 12


def draw_report(report: Report) -> dict[str, dict[str, bytes]]:
    """Name of the picture → format → bytes; only the pictures that there is something for."""
    texts = [*report.sets, *report.bars, *(system.name for system in report.systems), *(report.axes or ())]
    drawn: dict[str, dict[str, bytes]] = {}
    if len(report.points) > 1:
        drawn["generalisation"] = draw(lambda lettering: _scatter(report, lettering), texts, _FORMATS)
    if report.bars:
        drawn["sets"] = draw(lambda lettering: _bars(report, lettering), texts, _FORMATS)
    return drawn


def _empty_figure(width: float, height: float) -> Any:
    """A figure of so many inches."""
    # The figure has its own canvas: pyplot, with its windows and its memory of figures, stays out of it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    FigureCanvasAgg(figure)
    return figure


def _plain_axes(axes: Any) -> None:
    """Leave no more lines than needed."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color(GRID)
    axes.tick_params(color=GRID, labelsize=8)
    axes.set_axisbelow(True)


def _short(name: str, lettering: Lettering) -> str:
    name = lettering.legible(name)
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1] + "…"


def _scatter(report: Report, lettering: Lettering) -> Any:
    """A point a system, its name beside the picture; a hollow one is not over all sets."""
    assert report.axes is not None
    figure = _empty_figure(_WIDTH, max(4.2, 1.2 + 0.24 * len(report.points)))
    axes = figure.add_subplot()
    points = sorted(report.points, key=lambda point: point.up)
    colours = _colours(report)
    for point in points:
        colour = colours.get(point.system, _OTHERS)
        face = colour if point.complete else "#ffffff"
        axes.scatter(point.across, point.up, s=42, facecolor=face, edgecolor=colour, linewidth=1.4, zorder=3)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    for point, height in zip(points, _apart([(p.up - low) / (high - low) for p in points]), strict=True):
        axes.annotate(
            _short(point.system, lettering) + ("" if point.complete else " (incomplete)"),
            (point.across, point.up),
            (1.04, height),
            textcoords="axes fraction",
            fontsize=8,
            va="center",
            annotation_clip=False,
            color=INK if point.system in colours else _OTHERS,
            arrowprops={"arrowstyle": "-", "color": GRID, "linewidth": 0.7, "shrinkB": 4},
        )
    across, up = report.axes
    measure = measure_name(report.measure)
    axes.set_xlabel(f"{across}, mean {measure}", fontsize=9)
    axes.set_ylabel(f"{up}, mean {measure}", fontsize=9)
    axes.grid(color=GRID, linewidth=0.6)
    _plain_axes(axes)
    return figure


def _apart(heights: Sequence[float]) -> list[float]:
    """Ascending places between 0 and 1 that are near these heights and leave room for a line of text each."""
    room = min(0.075, 1 / max(1, len(heights) - 1))
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + room if places else 0.0))
    ceiling = 1.0
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], ceiling)
        ceiling = places[index] - room
    return places


def _colours(report: Report) -> dict[str, str]:
    """The systems that have colours: those that were scored here, or the best of the published ones."""
    own = [system.name for system in report.systems if not system.published]
    chosen = own[: len(_COLOURS)] or [system.name for system in report.systems[:_MOST_PUBLISHED]]
    return dict(zip(chosen, _COLOURS, strict=False))


def _bars(report: Report, lettering: Lettering) -> Any:
    """For each set a bar a system that has a colour, and under them a dot for each of the others."""
    colours = _colours(report)
    sets = [set for set, scores in report.bars.items() if any(system in colours for system in scores)]
    columns = 2 if len(sets) > _MOST_IN_COLUMN else 1
    each = -(-len(sets) // columns)
    figure = _empty_figure(_WIDTH, max(2.4, each * (_lanes(report, colours) * _BAR_HEIGHT + _SET_GAP) + 1.1))
    for column in range(columns):
        axes = figure.add_subplot(1, columns, column + 1)
        shown = sets[column * each : (column + 1) * each]
        _draw_column(axes, report, shown, colours)
        axes.set_yticks(range(len(shown)), [_short(set, lettering) for set in shown])
        # A short last column keeps the height of the others' bars.
        axes.set_ylim(each - 0.5, -0.5)
        axes.set_xlim(0, 108)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel(measure_name(report.measure), fontsize=9)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        _plain_axes(axes)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    named = dict(zip(labels, handles, strict=True))
    labels = [*(label for label in labels if label != _REST), *(label for label in labels if label == _REST)]
    figure.legend(
        [named[label] for label in labels],
        [_short(label, lettering) for label in labels],
        loc="outside upper center",
        ncols=min(3, len(labels)),
        fontsize=8,
        frameon=False,
    )
    return figure


def _lanes(report: Report, colours: dict[str, str]) -> int:
    """How many lines a set takes: one a bar, and one for all dots."""
    return len(colours) + any(system not in colours for scores in report.bars.values() for system in scores)


def _draw_column(axes: Any, report: Report, sets: Sequence[str], colours: dict[str, str]) -> None:
    lanes = _lanes(report, colours)
    height = _BAR_HEIGHT / (lanes * _BAR_HEIGHT + _SET_GAP)

    def place(index: int, lane: int) -> float:
        return index + (lane - (lanes - 1) / 2) * height

    for lane, (system, colour) in enumerate(colours.items()):
        scored = [
            (place(index, lane), score)
            for index, set in enumerate(sets)
            if (score := report.bars[set].get(system)) is not None
        ]
        places, scores = [at for at, _ in scored], [score for _, score in scored]
        bars = axes.barh(places, scores, height=height * 0.88, color=colour, label=system)
        axes.bar_label(bars, [f"{score:.1f}" for score in scores], padding=2, fontsize=6)
    others = [
        (score, place(index, lanes - 1))
        for index, set in enumerate(sets)
        for system, score in report.bars[set].items()
        if system not in colours
    ]
    if others:
        across, up = [score for score, _ in others], [at for _, at in others]
        axes.scatter(across, up, s=9, color=_OTHERS, alpha=0.7, linewidth=0, label=_REST)


_COURSE_HEIGHT, _ROW_HEIGHT = 2.6, 0.26  # inches


def plot_agreement(report: AgreementReport, path: PathLike) -> None:
    """Draw a report into a file: .png, .svg or .pdf."""
    format = picture_format(path)
    write_picture(Path(path), draw_agreement(report, (format,))[format])


def draw_agreement(report: AgreementReport, formats: tuple[str, ...] = ("svg",)) -> dict[str, bytes]:
    """Format → the bytes of the picture."""
    texts = [*report.kinds, *report.by_annotator]
    return draw(lambda lettering: _agreement(report, lettering), texts, formats)


def _agreement(report: AgreementReport, lettering: Lettering) -> Any:
    bars = [
        (title, {lettering.legible(name): value for name, value in values.items() if value is not None})
        for title, values in (
            ("Kinds of label: mean F1 of the pairs", report.kinds),
            ("Annotators: F1 with the others", {n: f["f1"] for n, f in report.by_annotator.items()}),
        )
    ]
    bars = [(title, values) for title, values in bars if values]
    heights = [_COURSE_HEIGHT, *(0.7 + _ROW_HEIGHT * len(values) for _, values in bars)]
    figure = _empty_figure(_WIDTH, sum(heights))
    panels = figure.subplots(len(heights), 1, gridspec_kw={"height_ratios": heights}, squeeze=False)[:, 0]
    _course(panels[0], report)
    for axes, (title, values) in zip(panels[1:], bars, strict=True):
        names = list(values)[::-1]
        axes.barh(names, [values[name] for name in names], color=BAR, height=0.6)
        axes.set_xlim(0, 100)
        _titled(axes, title)
    return figure


def _course(axes: Any, report: AgreementReport) -> None:
    moments = [(number, moment) for number, moment in enumerate(report.over_time) if moment.f1 is not None]
    axes.plot(
        [number for number, _ in moments],
        [moment.f1 for _, moment in moments],
        color=BAR,
        marker="o",
        markersize=4,
    )
    axes.set_ylim(0, 103)
    shown = moments[:: max(1, len(moments) // 6)]
    axes.set_xticks(
        [number for number, _ in shown], [moment.time[:16].replace("T", " ") for _, moment in shown]
    )
    _titled(axes, f"{report.task}: F1 of the pairs over time, {report.items} items")


def _titled(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=10, color=INK, loc="left")
    axes.grid(True, color=GRID, linewidth=0.6)
    _plain_axes(axes)
