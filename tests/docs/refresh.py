"""Write what the examples of the pages print now under them: `python tests/docs/refresh.py [PAGE…]`.

Without a page, README.md and all of docs/. Only outputs that the tests of the pages would refuse are replaced, so that
a probability which another processor rounds differently stays as it is. Read the difference before you commit it: a
fault in the program is written down as faithfully as anything else.
"""

from __future__ import annotations

import argparse
import doctest
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from test_docs import (
    PAGES,
    comparable,
    console_examples,
    copy_examples,
    python_examples,
    run,
    without_blank_end,
)

from caveat.core.guessing import GuessedEncodingWarning


class Change(NamedTuple):
    """The lines of a page from `start`, counted from 0, that become other ones."""

    start: int
    old: int
    new: list[str]


def refreshed(text: str, folder: Path) -> tuple[str, int]:
    """The page with the outputs that its examples print in a folder, and how many of them have changed."""
    changes = sorted([*console_changes(text, folder), *python_changes(text)], reverse=True)
    lines = text.split("\n")
    for change in changes:
        lines[change.start : change.start + change.old] = change.new
    return "\n".join(lines), len(changes)


def console_changes(text: str, folder: Path) -> Iterator[Change]:
    """A command that is shown without an output is run, for those after it, and stays without."""
    for line, command, output in console_examples(text):
        printed, shown = run(command, folder), without_blank_end(output)
        if any(each.startswith("Traceback (most recent call last)") for each in printed):
            raise SystemExit("\n".join([f"line {line}: {command}", *printed]))
        if shown and comparable(command, printed) != comparable(command, shown):
            yield Change(line, len(shown), printed)


def python_changes(text: str) -> list[Change]:
    found = _Changes(verbose=False)
    found.run(python_examples(text), out=lambda _: None)
    return found.changes


class _Changes(doctest.DocTestRunner):
    """Keeps what each example printed in place of what it should have."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.changes: list[Change] = []

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        start = example.lineno + example.source.count("\n")
        printed = [line or "<BLANKLINE>" for line in got.splitlines()]
        self.changes.append(Change(start, example.want.count("\n"), printed))

    def report_unexpected_exception(self, out: Any, test: Any, example: doctest.Example, error: Any) -> None:
        raise SystemExit(f"line {example.lineno + 1}: {example.source}{error[0].__name__}: {error[1]}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write what the examples of the pages print now under them.")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="README.md and docs/ if none")
    warnings.simplefilter("ignore", GuessedEncodingWarning)  # the pages say so where it matters
    for page in map(Path.resolve, parser.parse_args().pages or PAGES):
        name, text = os.path.relpath(page), page.read_text("utf-8")
        with TemporaryDirectory() as folder, chdir(folder):
            copy_examples(Path(folder))
            try:
                new, count = refreshed(text, Path(folder))
            except SystemExit as fault:
                sys.exit(f"{name}, {fault}")
        if count:
            page.write_text(new, "utf-8")
        print(f"{name}: {count} outputs changed")


if __name__ == "__main__":
    main()
