"""A picture of the distributions in a file: one panel a histogram; PNG, SVG or PDF by the name's ending."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.shared.count_tables import Histogram, Tables
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike, writing
from caveat.core.loading import needs_extra

_DEFAULT = "DejaVu Sans"  # comes with matplotlib

# Families with Chinese characters, as Linux, macOS and Windows have them.
_CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "STHeiti",
    "Microsoft YaHei",
    "SimHei",
    "SimSun",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Sans CJK JP",
    "Noto Sans CJK TC",
    "Noto Serif CJK SC",
    "AR PL UMing CN",
    "Arial Unicode MS",
)

# What each format says about how it was made is left out: the same data gives the same bytes.
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
_BIN = re.compile(r"(?P<low>\d+)(?:–\d+|\+)?")
BAR, INK, GRID = "#3b6ea5", "#222222", "#dddddd"
_PANEL_WIDTH, _PANEL_HEIGHT, _LINE_HEIGHT = 5.6, 3.2, 0.22  # inches
_MOST_LABELS = 9
_MOST_NUMBERED = 12
_MOST_CATEGORIES = 20
_LONGEST_LABEL = 36


class Lettering(msgspec.Struct, frozen=True):
    """Font families, tried in turn for each character, and the characters that they have between them."""

    families: tuple[str, ...]
    characters: frozenset[int]

    def legible(self, text: str) -> str:
        """The text on one line, with `\\u4e00` where no font has the character."""
        return "".join(
            character if ord(character) in self.characters else _escaped(character)
            for character in " ".join(text.split())
        )


def choose_lettering(texts: Iterable[str]) -> Lettering:
    """The default font, and the first installed Chinese one that adds characters these texts need."""
    from matplotlib.font_manager import fontManager

    families, characters = [_DEFAULT], _characters(_DEFAULT)
    wanted = {ord(character) for text in texts for character in text if not character.isspace()}
    if wanted - characters:
        installed = {font.name for font in fontManager.ttflist}
        for family in _CHINESE:
            if family in installed and wanted & (found := _characters(family)) - characters:
                families.append(family)
                characters |= found
                break
    return Lettering(tuple(families), characters)


def _characters(family: str) -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family=[family]))).get_charmap())


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")


def plot(tables: Tables, path: PathLike) -> None:
    """Draw the histograms of `tables`; the file appears only once it is complete."""
    format = picture_format(path)
    if not tables.histograms:
        raise CaveatError(f"There is nothing to draw for {tables.task}.")
    drawn = draw(lambda lettering: _figure(tables, lettering), _texts(tables), [format])
    write_picture(path, drawn[format])


def picture_format(path: PathLike) -> str:
    """The format that a picture's name says."""
    format = Path(path).suffix.lower().removeprefix(".")
    if format not in _METADATA:
        raise CaveatError(f"{path}: a picture's name must end in .png, .svg or .pdf.")
    return format


def draw(
    figure_of: Callable[[Lettering], Any], texts: Iterable[str], formats: Iterable[str]
) -> dict[str, bytes]:
    """A figure with these texts in it, as the bytes of a file of each format."""
    try:
        import matplotlib
    except ImportError:
        raise CaveatError(needs_extra("A picture", "matplotlib", "plot")) from None
    lettering = choose_lettering(texts)
    settings: Any = {
        "font.family": list(lettering.families),
        "text.parse_math": False,  # a "$" is a dollar
        "svg.hashsalt": "caveat",
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    drawn: dict[str, bytes] = {}
    with matplotlib.rc_context(settings):
        figure = figure_of(lettering)
        for format in formats:
            stream = io.BytesIO()
            figure.savefig(stream, format=format, dpi=150, metadata=_METADATA[format])
            drawn[format] = stream.getvalue()
    return drawn


def write_picture(path: PathLike, drawn: bytes) -> None:
    """The bytes of a picture as a file that appears only once it is complete."""
    with writing(path) as out:
        out.buffer.write(drawn)


def _texts(tables: Tables) -> list[str]:
    return [
        tables.task,
        *(
            text
            for histogram in tables.histograms
            for text in (histogram.name, histogram.unit, *histogram.counts)
        ),
    ]


def _figure(tables: Tables, lettering: Lettering) -> Any:
    # The figure has its own canvas: pyplot, with its windows and its memory of figures, stays out of it.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    panels = [(histogram, _shown(histogram, lettering)) for histogram in tables.histograms]
    columns = min(2, len(panels))
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    heights = [max(_height(counts) for _, counts in row) for row in rows]
    spacing = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    figure = Figure(figsize=(_PANEL_WIDTH * columns, sum(heights) + 0.4), layout=spacing)
    FigureCanvasAgg(figure)
    figure.suptitle(lettering.legible(tables.task), fontsize=14)
    grid = figure.add_gridspec(len(rows), columns, height_ratios=heights)
    for index, (histogram, counts) in enumerate(panel for row in rows for panel in row):
        row, column = divmod(index, columns)
        # A last panel without a neighbour takes the whole row.
        alone = index == len(panels) - 1 and column == 0
        axes = figure.add_subplot(grid[row, :] if alone else grid[row, column])
        _draw(axes, counts)
        axes.set_title(lettering.legible(histogram.name), fontsize=10)
        if histogram.unit and _is_binned(counts):
            axes.set_xlabel(lettering.legible(histogram.unit), fontsize=9)
    return figure


def _shown(histogram: Histogram, lettering: Lettering) -> dict[str, int]:
    """The counts under labels that fit, the categories beyond the first twenty as one."""
    if _is_binned(histogram.counts):
        return histogram.counts
    items = list(histogram.counts.items())
    counts: dict[str, int] = {}
    kept = items if len(items) <= _MOST_CATEGORIES else items[: _MOST_CATEGORIES - 1]
    for name, number in kept:
        label = lettering.legible(name)
        label = label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"
        while label in counts:
            label += " "  # two names may begin alike
        counts[label] = number
    if rest := items[len(kept) :]:
        counts[f"({len(rest)} others)"] = sum(number for _, number in rest)
    return counts


def _is_binned(counts: dict[str, int]) -> bool:
    return all(_BIN.fullmatch(label) for label in counts)


def _height(counts: dict[str, int]) -> float:
    return _PANEL_HEIGHT if _is_binned(counts) else max(_PANEL_HEIGHT, 1.0 + _LINE_HEIGHT * len(counts))


def _draw(axes: Any, counts: dict[str, int]) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.tick_params(length=0, labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_axisbelow(True)
    if not counts:
        axes.text(0.5, 0.5, "nothing to count", ha="center", va="center", transform=axes.transAxes)
        axes.set_xticks([])
        axes.set_yticks([])
        return
    binned = _is_binned(counts)
    (_draw_bins if binned else _draw_categories)(axes, counts)
    numbers = axes.yaxis if binned else axes.xaxis
    numbers.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True, min_n_ticks=2))
    numbers.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    numbers.grid(True, color=GRID, linewidth=0.8)


def _draw_bins(axes: Any, counts: dict[str, int]) -> None:
    """Vertical bars; a bin of several values is marked where it begins, others in the middle."""
    numbers = list(counts.values())
    bars = axes.bar(range(len(numbers)), numbers, width=1.0, align="edge", color=BAR, edgecolor="white")
    axes.set_xlim(0, len(numbers))
    if len(numbers) <= _MOST_NUMBERED:
        # A bar too low to be seen still says how much it stands for.
        axes.bar_label(bars, [f"{number:,}" if number else "" for number in numbers], padding=2, fontsize=7)
        axes.set_ylim(0, 1.1 * max(1, *numbers))
    axes.set_xticks(*_bin_ticks(list(counts)))


def _bin_ticks(labels: list[str]) -> tuple[list[float], list[str]]:
    """Places and texts for at most nine or so bins; the open one at the end is always among them."""
    every = -(-len(labels) // _MOST_LABELS)
    places: list[float] = []
    texts: list[str] = []
    for index, label in enumerate(labels):
        low, is_open, is_one = _parts(label)
        place = index + 0.5 if is_open or is_one else float(index)
        if is_open and places and place - places[-1] < every:
            places.pop()
            texts.pop()
        if is_open or index % every == 0:
            places.append(place)
            texts.append(f"{low:,}+" if is_open else f"{low:,}")
    return places, texts


def _parts(label: str) -> tuple[int, bool, bool]:
    """Where a bin begins, whether it is open, and whether it holds one value only."""
    match = _BIN.fullmatch(label)
    low = int(match["low"]) if match else 0
    return low, label.endswith("+"), label == str(low)


def _draw_categories(axes: Any, counts: dict[str, int]) -> None:
    """Horizontal bars, the first on top, each with its number."""
    bars = axes.barh(range(len(counts)), list(counts.values()), height=0.72, color=BAR)
    axes.set_yticks(range(len(counts)), list(counts))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.14 * max(1, *counts.values()))
    axes.bar_label(bars, [f"{number:,}" for number in counts.values()], padding=3, fontsize=8)
