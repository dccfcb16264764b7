"""The pictures of a report: in-domain against out-of-domain averages, and a bar for each system on each set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from caveat.benchmarks.report import Report
from caveat.benchmarks.shared.score_board import measure_name
from caveat.render.plot import BAR, GRID, INK, Lettering, draw

__all__ = ["draw_report", "empty_figure", "plain_axes"]

_FORMATS = ("png", "svg")
# Told apart by eye on white and on black, and by those who see no red or green.
_COLOURS = (BAR, "#d1703c", "#3f9a72", "#9a5fb0", "#b8860b", "#8c8c8c")
_OTHERS = "#8a949e"
# Where no system was scored here, the best of the published ones have bars.
_MOST_PUBLISHED = 4
_REST = "other systems"
_LONGEST_LABEL = 34
_BAR_HEIGHT, _SET_GAP, _WIDTH = 0.16, 0.14, 8.4  # inches
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


def empty_figure(width: float, height: float) -> Any:
    """A figure of so many inches."""
    # The figure has its own canvas: pyplot, with its windows and its memory of figures, stays out of it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
    FigureCanvasAgg(figure)
    return figure


def plain_axes(axes: Any) -> None:
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
    figure = empty_figure(_WIDTH, max(4.2, 1.2 + 0.24 * len(report.points)))
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
    plain_axes(axes)
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
    figure = empty_figure(_WIDTH, max(2.4, each * (_lanes(report, colours) * _BAR_HEIGHT + _SET_GAP) + 1.1))
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
        plain_axes(axes)
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
