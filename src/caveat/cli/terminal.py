"""What a person sees: tables on standard output, notes and progress on standard error."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from caveat.core.errors import one_line
from caveat.core.json_files import encode

if TYPE_CHECKING:
    from caveat.core.records import Remark
    from caveat.render.words import Words

Item = TypeVar("Item")
# Longer texts in a table are cut in their middle.
_LONGEST_CELL = 10_000


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    print(encode(value), flush=True)


def named(path: object) -> str:
    """A file as a note names it."""
    return "standard output" if str(path) == "-" else str(path)


_silent = False


def silence(wanted: bool) -> None:
    """Whether remarks and progress are left out from now on."""
    global _silent
    _silent = wanted


def note(message: str) -> None:
    """A remark on standard error, out of the way of what was asked for."""
    if _silent:
        return
    print(f"caveat: {one_line(message, 2000)}", file=sys.stderr)


def shown(value: object) -> str:
    """A cell: counts with thousands marks, scores with two digits, nothing as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.2f}"
    return one_line(str(value), _LONGEST_CELL)


def print_table(title: str, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """A table under its title: figures to the right, everything else to the left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=any(columns))
    for index, column in enumerate(columns):
        figures = all(_is_figure(row[index]) for row in cells)
        table.add_column(
            Text(one_line(column, _LONGEST_CELL)),
            justify="right" if index and figures else "left",
            overflow="fold",
        )
    for row in cells:
        table.add_row(*(Text(shown(cell)) for cell in row))
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        # A pipe has no width: do not fold what another program or a file is to read.
        wide = console.options.update(max_width=10_000)
        console = Console(highlight=False, width=max(80, console.measure(table, options=wide).maximum))
    if title:
        console.print(Text(one_line(title, _LONGEST_CELL), style="bold"), soft_wrap=True)
    console.print(table)
    console.print()


def _is_figure(value: object) -> bool:
    """A number, with or without its unit ("4.77 s"), or a dash for none."""
    return value[:1].isdigit() if isinstance(value, str) else isinstance(value, int | float | None)


def print_scores(title: str, scores: Mapping[str, Any]) -> None:
    """Scores as tables: one row a metric; groups with the same metrics share a table, one row a group."""
    single = {name: value for name, value in scores.items() if not isinstance(value, Mapping)}
    tables: dict[tuple[str, ...], list[list[object]]] = {}
    for name, group in scores.items():
        if isinstance(group, Mapping):
            overall = [single.pop(key) for key in group] if all(key in single for key in group) else []
            rows = tables.setdefault(tuple(group), [["overall", *overall]] if overall else [])
            rows.append([in_words(name), *group.values()])
    for columns, rows in tables.items():
        print_table(title, ["", *map(in_words, columns)], rows)
        title = ""
    if single:
        print_table(title, ["", ""], [[in_words(name), value] for name, value in single.items()])


def in_words(key: str) -> str:
    """A JSON key as a person reads it."""
    return key.replace("_", " ")


def tracked(
    items: Iterable[Item], description: str, total: int | None = None, *, unit: str = ""
) -> Generator[Item, None, None]:
    """The items, with a progress bar on standard error if that is a terminal; with a unit it shows their rate."""
    if _silent or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            rate = task.completed / task.elapsed if task.elapsed else 0.0
            return Text(f"{rate:.1f} {unit}/s")

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    if unit:
        columns.append(Rate(""))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(items, total=total, description=description)


def what_was_read(
    sources: Iterable[str], read: Callable[[], Mapping[str, type]], unread: Sequence[Remark], words: Words
) -> str:
    """How many files of which kinds were read of folders and archives, and how many were not.

    `read` gives the files that were read, with the kind of source that each has given. Nothing is said where single
    files were named and all of them read, nor of libraries.
    """
    from caveat.answerers.asking import is_library

    mine = [name for name in sources if not is_library(name)]
    if not unread and not any(os.path.isdir(name) or name.lower().endswith(".zip") for name in mine):
        return ""
    files = {name: _kind(name, kind) for name, kind in read().items()}
    said = words.files_read[len(files) != 1].format(f"{len(files):,}", _counted(files.values(), words))
    if unread:
        kinds = (PurePath(each.source).suffix.lower() or words.without_ending for each in unread)
        said += words.files_unread.format(f"{len(unread):,}", _counted(kinds, words))
    return said + words.full_stop


def _kind(name: str, source: type) -> str:
    from caveat.core.records import KnowledgeBase
    from caveat.sources.kinds import kind_by_ending

    if source is KnowledgeBase:
        return "triples"
    kind = kind_by_ending(name)
    return "text" if kind is None else kind.name


def _counted(kinds: Iterable[str], words: Words) -> str:
    return words.comma.join(f"{number:,} {kind}" for kind, number in sorted(Counter(kinds).items()))


class Steps:
    """What a command does, and how long each step takes, on standard error if that is wanted."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted

    def say(self, what: str) -> None:
        """A sentence about a step."""
        if self._wanted and what:
            note(what)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A step, whose time is said at its end."""
        start = perf_counter()
        yield
        self.say(f"{name}: {perf_counter() - start:.2f} s")
