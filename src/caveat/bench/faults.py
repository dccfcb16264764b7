"""How time grows with the length of inputs that were made to be slow: the exponent of each family.

The families are inputs that make careless code slow: each grows with its length and never means anything more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from math import log
from tempfile import TemporaryDirectory
from time import process_time

import msgspec

from caveat.answerers.engine import Engine, load
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.core.errors import CaveatError
from caveat.core.limits import Limits, limits
from caveat.core.records import Document, Reply
from caveat.sources.gather import Input
from caveat.sources.read import parse_file

__all__ = [
    "FILES",
    "QUESTIONS",
    "SIZES",
    "SOURCES",
    "asking",
    "bench_faults",
    "exponent",
    "first_questions",
    "time_of",
]


def _times(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A piece again and again, to about the length wanted."""
    return lambda length: before + piece * max(1, length // len(piece)) + after


def _closed(opening: str, closing: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        often = max(1, length // len(opening + closing))
        return opening * often + "It costs 5." + closing * often

    return make


def _deeper_lists(length: int) -> str:
    return "".join("  " * depth + "- a\n" for depth in range(max(1, int(length**0.5))))


def _attributes(length: int) -> str:
    return "<p " + " ".join(f"a{number}=1" for number in range(length // 8)) + ">It costs 5."


def _numbered(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """A piece again and again with other numbers in it, to about the length wanted."""

    def make(length: int) -> str:
        often = max(1, length // len(piece.format(length, length)))
        return before + "".join(piece.format(at, at * 7919 % 10_007) for at in range(often)) + after

    return make


def _columns(name: str) -> Callable[[int], str]:
    """A table of two rows as wide as its length makes it."""

    def make(length: int) -> str:
        numbers = range(max(2, length // (len(name) + 12)))
        rows = (",".join(str((row * at) % 997) for at in numbers) for row in (7, 11))
        return "\n".join((",".join(name.format(at) for at in numbers), *rows)) + "\n"

    return make


_TABLE = "| a | b |\n|---|---|\n| "

FILES: dict[str, tuple[str, Callable[[int], str]]] = {
    "HTML: nested div": ("a.html", _closed("<div>", "</div>")),
    "HTML: nested div, never closed": ("a.html", _times("<div>", after="It costs 5.")),
    "HTML: nested lists": ("a.html", _times("<ul><li>", after="It costs 5.")),
    "HTML: nested quotations": ("a.html", _times("<blockquote>", after="It costs 5.")),
    "HTML: nested bold": ("a.html", _times("<b>", "<p>", "It costs 5.")),
    "HTML: nested tables": ("a.html", _times("<table><tr><td>", after="It costs 5.")),
    "HTML: attributes": ("a.html", _attributes),
    "HTML: cells": ("a.html", _times("<tr>" + "<td>1" * 10, "<p>It costs.</p><table>", "</table>")),
    "HTML: wide and high cells": ("a.html", _times("<tr><td colspan=1000 rowspan=1000>1", "<p>a</p><table>")),
    "HTML: blanks": ("a.html", _times(" ", "<p>It", "costs 5.")),
    "HTML: comments": ("a.html", _times("<!-- -->", after="It costs 5.")),
    "HTML: lower-than signs": ("a.html", _times("<", "<p>", "It costs 5.")),
    "Markdown: nested lists": ("a.md", _deeper_lists),
    "Markdown: list on one line": ("a.md", _times("- ", after="a\n")),
    "Markdown: quotation on one line": ("a.md", _times("> ", after="a\n")),
    "Markdown: items": ("a.md", _times("- a\n")),
    "Markdown: quoted lines": ("a.md", _times("> a\n")),
    "Markdown: lines": ("a.md", _times("a\n")),
    "Markdown: stars": ("a.md", _times("*", after="a\n")),
    "Markdown: bold begun": ("a.md", _times("a **b ", after="\n")),
    "Markdown: underlines": ("a.md", _times("_a ", after="\n")),
    "Markdown: backquotes": ("a.md", _times("`", after="a\n")),
    "Markdown: fences": ("a.md", _times("```\n", after="a\n")),
    "Markdown: brackets": ("a.md", _times("[", after="\n")),
    "Markdown: addresses": ("a.md", _times("[a]: b\n")),
    "Markdown: address on one line": ("a.md", _times("[a]: ", after="\n")),
    "Markdown: tags": ("a.md", _times("<b>", after="x\n")),
    "Markdown: tags begun": ("a.md", _times("<b ", "x ", "x\n")),
    "Markdown: comments begun": ("a.md", _times("<!--", after="\n")),
    "Markdown: templates": ("a.md", _times("{% a %} ", "x\n", "b\n")),
    "Markdown: blanks": ("a.md", _times(" ", "x", "y\n")),
    "Markdown: tabs": ("a.md", _times("\t", "x", "y\n")),
    "Markdown: number signs": ("a.md", _times(" #", "# a", " y\n")),
    "Markdown: cell of brackets": ("a.md", _times("[", _TABLE, " | c |\n")),
    "Markdown: cell of blanks": ("a.md", _times(" ", f"{_TABLE}x", "y | c |\n")),
    "Markdown: cell of backslashes": ("a.md", _times("\\", _TABLE, " | c |\n")),
    "Markdown: cell of euro signs": ("a.md", _times("€", _TABLE, " | c |\n")),
    "Markdown: bars": ("a.md", lambda length: "|" * (length // 2) + "\n" + "|-" * (length // 4) + "|\n"),
    "Markdown: heading of brackets": ("a.md", _times("[", "# ", f"\n\n{_TABLE}1 | 2 |\n")),
    "Text: blanks": ("a.txt", _times(" ", "x", "y")),
    "Text: blanks first": ("a.txt", _times(" ", after="y")),
    "Text: words on one line": ("a.txt", _times("word ")),
    "Text: line ends": ("a.txt", _times("\r", after="y")),
    "Text: items": ("a.txt", _times("- a\n")),
    "Text: no kind, bars": ("a", _times(" ", "|", "\n")),
    "Text: no kind, dashes": ("a", _times("-", after=" |\n")),
    "Text: no kind, line ends": ("a", _times("\n", "a|b\n", "x")),
    "Text: no kind, comment": ("a", _times("-", "<!--")),
    "CSV: quotation marks": ("a.csv", _times('"', "a,b\n")),
    "CSV: commas": ("a.csv", _times(",", "a,b\n")),
    "CSV: rows": ("a.csv", _times("a,b\n")),
    "CSV: columns of one name": ("a.csv", _times("a,", after="\n1,2\n")),
}
"""What a file is called and what it holds, by the family's name."""

QUESTIONS: dict[str, Callable[[int], str]] = {
    "blanks": _times(" ", "How", "much?"),
    "line ends": _times("\n", "How", "much?"),
    "figures with commas": _times("1,"),
    "how many": _times("how many "),
    "more than": _times("more than "),
    "dates": _times("1 May 1990 "),
    "如果": _times("如果"),
    "brackets": _times("（", after="长度"),
    "quotation marks": _times("“"),
    "figures": _times("1"),
    "一": _times("一"),
    "letters": _times("x"),
}
"""What is asked, or said of oneself, by the family's name."""

_SENTENCE = "The warden of gate {0} must tell office {1} within five days. "
SOURCES: dict[str, tuple[str, str, Callable[[int], str]]] = {
    "columns": ("What is the highest col1 value?", "a.csv", _columns("col{}")),
    "columns, a word in all names": ("What is the highest score?", "a.csv", _columns("score {}")),
    "text": ("Whom must the warden of gate 12 tell?", "a.txt", _numbered(f"{_SENTENCE}\n\n")),
    "text on one line": ("Whom must the warden of gate 12 tell?", "a.txt", _numbered(_SENTENCE)),
    "Markdown": (
        "Whom must the warden of gate 12 tell?",
        "a.md",
        _numbered(f"## Gate {{0}}\n\n{_SENTENCE}\n\n"),
    ),
    "HTML": (
        "Must the warden of gate 12 tell it?",
        "a.html",
        _numbered(f"<h2>Gate {{0}}</h2><p>{_SENTENCE}</p>"),
    ),
    "Chinese text": (
        "十二号门的看守人应在几日内告知？",
        "a.txt",
        _numbered("{0}号门的看守人应在五日内告知{1}号办公室。\n\n"),
    ),
}
"""What is asked first of a file, what that is called and what it holds, by the family's name."""


SIZES = (1_000, 10_000, 100_000, 1_000_000)
# A family that takes longer than this is not measured at greater lengths.
_LONGEST = 5.0
# Shorter times say more about the clock than about what is measured.
_SHORTEST = 0.002

_RULES = "You can apply if you are over 18.\n\nYou must pay £5 unless you are a student.\n"
_TOWNS = "Town,People,Founded\nArvo,340,1990-05-01\nRauma,5100,1700-01-02\n"
_TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"

Action = Callable[[], object]


def bench_faults(
    *, sizes: Sequence[int] = SIZES, repeats: int = 3, watch: Watch = lambda items, total: items
) -> Measured:
    """Measure reading files of each family, asking questions and telling scenarios of each, and first questions."""
    families: list[tuple[str, Callable[[int], Action]]] = [
        (name, _reading(file, make)) for name, (file, make) in FILES.items()
    ]
    with TemporaryDirectory(prefix="caveat-") as folder:
        engine = load(threads=1)
        families += asking(engine, folder) + first_questions(engine)
        rows = [_row(name, make, sizes, repeats) for name, make in watch(families, len(families))]
    worst = max((row[-1] for row in rows if isinstance(row[-1], float)), default=0.0)
    most = Limits()
    notes = (
        f"Processor time, the least of {repeats} repeats; the exponent is that of the two greatest lengths which took "
        f"{1000 * _SHORTEST:.0f} ms or more. 1 is linear, 2 quadratic; the greatest is {worst:.2f}.",
        f"A length that took more than {_LONGEST:.0f} s is the last of its family. Questions beyond {most.question:,} "
        f"characters and scenarios beyond {most.scenario:,} are refused unless the limits are raised, as here.",
    )
    return Measured("Faults", ("", *(f"{size:,}" for size in sizes), "exponent"), tuple(rows), notes)


def _reading(file: str, make: Callable[[int], str]) -> Callable[[int], Action]:
    def at(size: int) -> Action:
        data = make(size).encode()
        return lambda: parse_file(data, file)

    return at


def asking(engine: Engine, folder: str) -> list[tuple[str, Callable[[int], Action]]]:
    """Questions of each family on rules, a table and triples, and scenarios: by name, what is done at a length."""
    sources: dict[str, Input] = {"rules": Document(_RULES)}
    for kind, name, text in (("table", "towns.csv", _TOWNS), ("triples", "bridges.kb", _TRIPLES)):
        sources[kind] = f"{folder}/{name}"
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(text)
    for source in sources.values():
        engine.ask("How much is it?", source)

    def question(make: Callable[[int], str], source: Input) -> Callable[[int], Action]:
        return lambda size: lambda: engine.ask(make(size), source)

    def scenario(make: Callable[[int], str]) -> Callable[[int], Action]:
        return lambda size: lambda: engine.ask("Can I apply?", sources["rules"], scenario=make(size))

    asked = [
        (f"Question on {kind}: {name}", question(make, source))
        for kind, source in sources.items()
        for name, make in QUESTIONS.items()
    ]
    return asked + [(f"Scenario: {name}", scenario(make)) for name, make in QUESTIONS.items()]


def first_questions(engine: Engine) -> list[tuple[str, Callable[[int], Action]]]:
    """The first question on a file of each family: by name, what is done at a length."""
    new = count()

    def asked(question: str, file: str, make: Callable[[int], str]) -> Callable[[int], Action]:
        def at(size: int) -> Action:
            data = make(size).encode()

            def act() -> Reply:
                document, tables = parse_file(data, file)[:2]
                if document is None:
                    return engine.ask(question, *(each.table for each in tables))
                # A document that was asked before is kept prepared.
                return engine.ask(question, msgspec.structs.replace(document, title=f"file {next(new)}"))

            return act

        return at

    return [(f"First question: {name}", asked(*family)) for name, family in SOURCES.items()]


def _row(name: str, make: Callable[[int], Action], sizes: Sequence[int], repeats: int) -> tuple[Cell, ...]:
    times: list[float] = []
    time_of(make(sizes[0]), 1)  # what is loaded when it is first needed is no part of it
    for size in sizes:
        # Asking costs more than reading, and a question is never so long.
        if not name.startswith(("Question", "Scenario")) or size <= 10 * Limits().question:
            times.append(time_of(make(size), repeats))
            if times[-1] > _LONGEST:
                break
    found = exponent(sizes, times)
    shown = [in_time(time) for time in times] + [None] * (len(sizes) - len(times))
    return name, *shown, found


def time_of(action: Action, repeats: int) -> float:
    """The least processor time of several repeats; to be refused is an answer too. A slow one is not repeated."""
    times: list[float] = []
    with limits(question=1 << 30, scenario=1 << 30):
        for _ in range(repeats):
            begin = process_time()
            with suppress(CaveatError):
                action()
            times.append(process_time() - begin)
            if times[-1] > 1:
                break
    return min(times)


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float | None:
    """With which power of the length the time grew last; None where all of it was too short to say."""
    known = [(size, time) for size, time in zip(sizes, times, strict=False) if time >= _SHORTEST]
    if len(known) < 2:
        return None
    (shorter, less), (longer, more) = known[-2:]
    return round(log(more / less) / log(longer / shorter), 2)
