"""Lines that hold no triple: counted, the first of them kept, and an error unless they are to be skipped."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.answerers.knowledge.index.columns import Columns
from caveat.core.errors import InputError
from caveat.sources.triple_lines import Mention, OnBad
from caveat.sources.triples import MENTIONS, SourceFile

__all__ = ["BadLine", "BadLines"]

_SHOWN_LINES, _SHOWN_TEXT = 10, 80


class BadLine(msgspec.Struct, frozen=True):
    """A line that holds no triple, or no mention; the beginning of its text."""

    source: str
    line: int
    text: str


class BadLines:
    """Reads files and keeps an account of their bad lines."""

    def __init__(self, *, skip: bool) -> None:
        self._skip = skip
        self.count = 0
        self.first: list[BadLine] = []

    def columns(self, file: SourceFile) -> Iterator[Columns]:
        """The triples of a file, in blocks.

        Its bad lines are told all at once, so that they can be mended at once: after the first of them the rest of
        the file is read for the others alone.
        """
        for block in file.columns(self._counter(file)):
            if self._skip or not self.count:
                yield block
        self._raise_unless_skipped(file)

    def mentions(self, file: SourceFile) -> Iterator[Mention]:
        """The mentions of a file, in the same way."""
        for mention in file.mentions(self._counter(file)):
            if self._skip or not self.count:
                yield mention
        self._raise_unless_skipped(file)

    def _counter(self, file: SourceFile) -> OnBad:
        def on_bad(line: int, text: str) -> None:
            self.count += 1
            if len(self.first) < _SHOWN_LINES:
                self.first.append(BadLine(file.path, line, text[:_SHOWN_TEXT]))

        return on_bad

    def _raise_unless_skipped(self, file: SourceFile) -> None:
        if self._skip or not self.count:
            return
        first = self.first[0]
        expected = (
            "a mention, ||| and entities with tabs between"
            if file.format == MENTIONS
            else "subject, predicate and object, none empty"
        )
        if self.count == 1:
            problem = (
                f"expected {expected}, got {first.text!r} (`caveat index --skip-bad` leaves such lines out)"
            )
            raise InputError(problem, path=file.path, line=first.line)
        lines = ", ".join(f"{bad.line:,}" for bad in self.first)
        more = " …" if self.count > len(self.first) else ""
        problem = (
            f"expected {expected} in every line; {self.count:,} lines are not so: {lines}{more}; "
            f"the first is {first.text!r} (`caveat index --skip-bad` leaves such lines out)"
        )
        raise InputError(problem, path=file.path)
