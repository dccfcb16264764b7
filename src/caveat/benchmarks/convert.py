"""Convert a file from one data format to another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from caveat.benchmarks.registry import BRIDGES, FORMATS, Bridge, Drops, Format, Records, SourceFiles
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.core.files import PathLike, is_device, writing
from caveat.core.spreading import Spread, here

Watch = Callable[[Iterable[Any]], Iterable[Any]]
# The kind of records by way of which any two others meet.
_BETWEEN = "passages"


class Conversion(msgspec.Struct, frozen=True):
    """What a conversion did: how many records and questions were written, what was dropped and why.

    `questions` is 0 where the format written has pairs, triples, documents or tables.
    """

    read: str
    written: str
    out: str
    records: int
    questions: int
    dropped: dict[str, int]
    examples: dict[str, list[str]]


def convert(
    format: str,
    path: PathLike,
    to: str,
    out: PathLike,
    *,
    documents: PathLike | None = None,
    tables: PathLike | None = None,
    watch: Watch = iter,
) -> Conversion:
    """Read `path` as `format` and write it as `to`; `watch` sees the records go by (a progress bar)."""
    source, target = _format(format, "read"), _format(to, "write")
    steps = route(source, target)
    for companion, given in (("documents", documents), ("tables", tables)):
        if given is not None and companion not in source.companions:
            raise UsageError(f"The format {format} does not take --{companion}.")
    drops = Drops()
    assert source.read is not None
    assert target.write is not None
    counter = _Counter(target.questions)
    try:
        records = source.read(SourceFiles(path, documents, tables), drops)
        for step in steps:
            records = step(records)
        target.write(out, Records(counter.over(watch(records.items)), records.extra))
    except InputError as error:
        if error.path is not None:
            raise
        # A bridge does not know where its records come from.
        raise InputError(error.problem, path=path, line=error.line, id=error.id) from None
    return Conversion(
        format, to, str(out), counter.records, counter.questions, dict(drops.counts), drops.examples
    )


def convert_files(
    format: str,
    paths: Sequence[PathLike],
    to: str,
    out: PathLike,
    *,
    documents: PathLike | None = None,
    tables: PathLike | None = None,
    watch: Watch = iter,
    spread: Spread = here,
) -> list[Conversion]:
    """Convert one file to `out`, or several, each under its own name, into the folder `out`.

    `spread` says where each file is read, if not here; it is written here, when it is complete.
    """
    targets = _targets(paths, Path(out))
    if spread is here:
        one = partial(convert, documents=documents, tables=tables)
        if len(targets) == 1:
            return [one(format, paths[0], to, out, watch=watch)]
        return [one(format, path, to, target) for path, target in watch(targets)]
    if str(out) == "-" or is_device(out):
        raise UsageError("What a cluster converts is written to a file: --ray does not go with this --out.")
    route(_format(format, "read"), _format(to, "write"))
    done = []
    load = partial(_converting, format, to, documents, tables)
    for (_, target), (conversion, text) in zip(targets, watch(spread(load, targets, 1)), strict=True):
        with writing(target) as file:
            file.write(text)
        done.append(msgspec.structs.replace(conversion, out=str(target)))
    return done


def _targets(paths: Sequence[PathLike], out: Path) -> list[tuple[str, Path]]:
    if len(paths) == 1:
        return [(str(paths[0]), out)]
    if not out.is_dir():
        raise UsageError(f"Several files are converted into a folder, and {out} is none.")
    targets = [(str(path), out / Path(path).name) for path in paths]
    for (path, target), (other, _) in combinations(targets, 2):
        if target.name == Path(other).name:
            raise UsageError(f"{path} and {other} would both be written to {target}.")
    for path, target in targets:
        if os.path.realpath(path) == os.path.realpath(target):
            raise UsageError(f"{target} would be overwritten, and it is read.")
    return targets


def _converting(
    format: str, to: str, documents: PathLike | None, tables: PathLike | None
) -> Callable[[Iterable[tuple[str, Path]]], Iterator[tuple[Conversion, str]]]:
    def converted(targets: Iterable[tuple[str, Path]]) -> Iterator[tuple[Conversion, str]]:
        for path, target in targets:
            with TemporaryDirectory(prefix="caveat-") as folder:
                written = Path(folder, target.name.removesuffix(".gz"))
                done = convert(format, path, to, written, documents=documents, tables=tables)
                with open(written, encoding="utf-8", newline="") as file:
                    yield done, file.read()

    return converted


def route(source: Format, target: Format) -> list[Bridge]:
    """The bridges from one kind of records to the other: none, one, or two by way of passages."""
    if source.kind == target.kind:
        return []
    if bridge := BRIDGES.get((source.kind, target.kind)):
        return [bridge]
    first, second = BRIDGES.get((source.kind, _BETWEEN)), BRIDGES.get((_BETWEEN, target.kind))
    if first and second:
        return [first, second]
    raise CaveatError(
        f"{source.name} cannot become {target.name}: it does not hold what that needs. "
        f"It can become: {', '.join(becomes(source))}."
    )


def becomes(source: Format) -> list[str]:
    """The names of the formats that a format can be converted to."""
    kinds = {source.kind} | {target for begin, target in BRIDGES if begin == source.kind}
    if _BETWEEN in kinds:
        kinds |= {target for begin, target in BRIDGES if begin == _BETWEEN}
    return [name for name, format in FORMATS.items() if format.write and format.kind in kinds]


def _format(name: str, verb: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, list(FORMATS))
    found = FORMATS[name]
    if getattr(found, verb) is None:
        able = [name for name, other in FORMATS.items() if getattr(other, verb) is not None]
        raise CaveatError(
            f"The format {name} cannot be {'written' if verb == 'write' else 'read'}; these can: {', '.join(able)}."
        )
    return found


class _Counter:
    def __init__(self, with_questions: bool) -> None:
        self.records = self.questions = 0
        self._with_questions = with_questions

    def over(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.records += 1
            if self._with_questions:
                self.questions += len(getattr(item, "questions", (None,)))
            yield item
