"""The agreement of annotators as a picture: over time, for each kind of label, and for each person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caveat.annotation.agreement import AgreementReport
from caveat.core.files import PathLike
from caveat.render.plot import BAR, GRID, INK, Lettering, draw, picture_format, write_picture
from caveat.render.report_plot import empty_figure, plain_axes

__all__ = ["draw_agreement", "plot_agreement"]

_WIDTH, _HEIGHT, _ROW = 8.4, 2.6, 0.26  # inches


def plot_agreement(report: AgreementReport, path: PathLike) -> None:
    """Draw a report into a file: .png, .svg or .pdf."""
    format = picture_format(path)
    write_picture(Path(path), draw_agreement(report, (format,))[format])


def draw_agreement(report: AgreementReport, formats: tuple[str, ...] = ("svg",)) -> dict[str, bytes]:
    """Format → the bytes of the picture."""
    texts = [*report.kinds, *report.by_annotator]
    return draw(lambda lettering: _figure(report, lettering), texts, formats)


def _figure(report: AgreementReport, lettering: Lettering) -> Any:
    bars = [
        (title, {lettering.legible(name): value for name, value in values.items() if value is not None})
        for title, values in (
            ("Kinds of label: mean F1 of the pairs", report.kinds),
            ("Annotators: F1 with the others", {n: f["f1"] for n, f in report.by_annotator.items()}),
        )
    ]
    bars = [(title, values) for title, values in bars if values]
    heights = [_HEIGHT, *(0.7 + _ROW * len(values) for _, values in bars)]
    figure = empty_figure(_WIDTH, sum(heights))
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
    plain_axes(axes)
