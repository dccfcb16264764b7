"""Questions on tables: how often the denotation is right, how sure that was, and by kind of question what fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import median
from time import perf_counter
from typing import NamedTuple

from caveat.answerers.engine import Engine, load
from caveat.answerers.tables.lexicon import Cue
from caveat.answerers.tables.question import ParsedQuestion
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.benchmarks.nlpcc.ranked.tbqa_format import read_tables
from caveat.benchmarks.wikitablequestions.denotation import is_right
from caveat.benchmarks.wikitablequestions.format import TableQuestion, read
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import Reply, Table
from caveat.models.calibration import expected_calibration_error

__all__ = ["bench_tables", "kind_of"]

_LIST = re.compile(r"^(?:list|name (?:all|each|every))\b|\b(?:which|what) (?:two|three|four|five)\b")
# A kind by the first of the words for it; what has none of them is a look-up.
_KINDS: tuple[tuple[str, tuple[Cue, ...]], ...] = (
    ("in a row", ("in a row",)),
    ("difference", ("difference",)),
    ("how long", ("how long",)),
    ("count", ("count",)),
    ("sum", ("sum",)),
    ("average", ("average",)),
    ("same", ("same",)),
)
_BESIDE: tuple[Cue, ...] = ("next", "previous")


class _Asked(NamedTuple):
    """A question with what came out: the values given, none where it was not answered, how sure, and in what time."""

    question: TableQuestion
    given: tuple[str, ...]
    sure: float
    right: bool
    seconds: float


def bench_tables(
    data: PathLike | None,
    tables: PathLike | None,
    *,
    questions: int | None = None,
    examples: int = 0,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Ask each question of its own table as `ask` does; at most so many questions, from the beginning.

    Of every kind of question so many `examples` are told that were answered wrongly or not at all.
    """
    if data is None or tables is None:
        raise UsageError(
            "Questions on tables are measured on WikiTableQuestions: name the questions with --en and the file of "
            "their tables with --tables."
        )
    wanted = list(read(data))[:questions]
    known = _tables(tables, {question.table for question in wanted})
    if missing := [question.table for question in wanted if question.table not in known]:
        raise InputError("the file has no table of this id", path=tables, id=missing[0])
    engine = load()
    asked = [
        _ask(engine, question, known[question.table]) for question in watch(wanted, len(wanted))
    ]
    rows = [_row("all", asked)]
    kinds: dict[str, list[_Asked]] = {}
    for each in asked:
        kinds.setdefault(kind_of(each.question.text), []).append(each)
    by_size = sorted(kinds.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    rows += [_row(kind, of_kind) for kind, of_kind in by_size]
    columns = ("kind", "questions", "right", "answered", "right of these", "calibration error", "a question")
    return Measured("Questions on tables", columns, tuple(rows), tuple(_failures(by_size, examples)))


def kind_of(question: str) -> str:
    """What a question asks to be done, told by its words alone."""
    parsed = ParsedQuestion(question)
    compared = {comparison.start for comparison in parsed.comparisons}
    beside = [span for cue in _BESIDE if (span := parsed.cue(cue)) and span[0] not in compared]
    if parsed.cue("or") and not parsed.cue("count") and not compared:
        return "one of two"
    if parsed.cue("yes or no"):
        return "yes or no"
    if _LIST.search(parsed.text):
        return "list"
    for kind, cues in _KINDS:
        if any(map(parsed.cue, cues)):
            return kind
    if parsed.superlatives:
        return "superlative"
    if beside:
        return "next or previous"
    if parsed.order:
        return "first or last"
    return "comparison" if parsed.comparisons else "look-up"


def _tables(path: PathLike, ids: set[str]) -> dict[str, Table]:
    return {table.id: table for table in read_tables(path) if table.id in ids}


def _ask(engine: Engine, question: TableQuestion, table: Table) -> _Asked:
    begin = perf_counter()
    reply = engine.ask(question.text, table)
    seconds = perf_counter() - begin
    given = _given(reply, table)
    sure = reply.answers[0].score if given else 0.0
    return _Asked(question, given, sure, bool(given) and is_right(given, question.answer), seconds)


def _given(reply: Reply, table: Table) -> tuple[str, ...]:
    """The values of the first answer; none where the table itself is the answer, or nothing is."""
    if not reply.answered or reply.answers[0].cells is None or reply.answers[0].cells.kind == "table":
        return ()
    text = reply.answers[0].text
    whole = any(text in row for row in table.rows)
    return (text,) if whole else tuple(text.split("; "))


def _row(kind: str, asked: Sequence[_Asked]) -> tuple[Cell, ...]:
    answered = [each for each in asked if each.given]
    right = sum(each.right for each in answered)
    error = expected_calibration_error([e.sure for e in answered], [float(e.right) for e in answered])
    return (
        kind,
        len(asked),
        _share(right, len(asked)),
        _share(len(answered), len(asked)),
        _share(right, len(answered)),
        round(float(error), 3) if answered else None,
        in_time(median(each.seconds for each in asked)) if asked else None,
    )


def _share(part: int, whole: int) -> str | None:
    return f"{100 * part / whole:.1f} %" if whole else None


def _failures(kinds: Iterable[tuple[str, Sequence[_Asked]]], most: int) -> Iterable[str]:
    for kind, asked in kinds:
        for each in [each for each in asked if not each.right][:most]:
            wanted, given = "; ".join(each.question.answer), "; ".join(each.given) or "nothing"
            yield (
                f"{kind}: {each.question.text} ({each.question.table}) — {wanted}, not {given} "
                f"({each.sure:.2f})"
            )
