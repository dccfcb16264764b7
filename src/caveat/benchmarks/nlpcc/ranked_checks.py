"""Are the candidates of NLPCC DBQA and TBQA sound, and TBQA's tables? A question is known by its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.nlpcc import dbqa_format, tbqa_format
from caveat.benchmarks.shared.checks import Finding, Place, empty_question, quote, shared_rules
from caveat.core.files import PathLike
from caveat.core.records import Table

RULES = {
    **shared_rules("empty-question"),
    "no-positive": "No candidate of a question is labelled right, so that every system scores 0 on it.",
    "single-candidate": (
        "A question has one candidate only, so that every system scores full marks on it; harmless in "
        "training files of single pairs."
    ),
    "duplicate-candidate": "A candidate comes twice for one question, with the same label.",
    "contradictory-labels": "A candidate comes twice for one question, with different labels.",
    "split-question": "A question's candidates stand at two places; the task's grouping by text merges them.",
    "unknown-table": "A candidate names a table that is not in the file of tables.",
    "empty-table": "A table has no cell with text.",
    "duplicate-header": (
        "Columns of a table have the same header; common where the source had merged header cells."
    ),
    "ragged-row": "A row of a table has not as many cells as the table has headers.",
}


class Candidate(msgspec.Struct, frozen=True):
    """A candidate of a question: what makes it the same as another, how it is shown, its label and line."""

    key: Hashable
    shown: str
    label: int | None
    line: int


def check_candidates(pairs: Iterable[tuple[str, Candidate]], file: str) -> Iterator[Finding]:
    """The findings for each question in the order in which the questions first come."""
    lists: dict[str, list[Candidate]] = {}
    numbers: dict[str, list[int]] = {}
    for number, (question, candidate) in enumerate(pairs):
        lists.setdefault(question, []).append(candidate)
        numbers.setdefault(question, []).append(number)
    for question, candidates in lists.items():
        place = Place(file, candidates[0].line)
        yield from empty_question(question, place)
        yield from split_question(question, numbers[question], candidates, file)
        yield from single_candidate(question, candidates, place)
        yield from no_positive(question, candidates, place)
        yield from duplicate_candidate(question, candidates, file)
        yield from contradictory_labels(question, candidates, file)


def split_question(
    question: str, numbers: Sequence[int], candidates: Sequence[Candidate], file: str
) -> Iterator[Finding]:
    """A question whose candidates have others between them: the task groups by text and merges them."""
    for index in range(1, len(numbers)):
        if numbers[index] != numbers[index - 1] + 1:
            line = candidates[index - 1].line
            yield Place(file, candidates[index].line).finding(
                "split-question", f"{quote(question)} has candidates up to line {line} already"
            )


def single_candidate(question: str, candidates: Sequence[Candidate], place: Place) -> Iterator[Finding]:
    """A question with nothing to rank."""
    if len(candidates) == 1:
        yield place.finding("single-candidate", f"{quote(question)} has one candidate only")


def no_positive(question: str, candidates: Sequence[Candidate], place: Place) -> Iterator[Finding]:
    """A question all of whose candidates are labelled wrong: every system scores 0 on it."""
    if all(candidate.label == 0 for candidate in candidates):
        yield place.finding("no-positive", f"{quote(question)} has no candidate labelled 1")


def duplicate_candidate(question: str, candidates: Sequence[Candidate], file: str) -> Iterator[Finding]:
    """A candidate that comes again with the same label."""
    for first, again in _repeats(candidates):
        if first.label == again.label:
            yield Place(file, again.line).finding(
                "duplicate-candidate",
                f"{quote(again.shown)} is a candidate of {quote(question)} on line {first.line} already",
            )


def contradictory_labels(question: str, candidates: Sequence[Candidate], file: str) -> Iterator[Finding]:
    """A candidate that comes again with the other label."""
    for first, again in _repeats(candidates):
        if first.label != again.label:
            yield Place(file, again.line).finding(
                "contradictory-labels",
                f"{quote(again.shown)} is labelled {again.label} for {quote(question)}, "
                f"and {first.label} on line {first.line}",
            )


def _repeats(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Each candidate that has come before, after its first coming."""
    first: dict[Hashable, Candidate] = {}
    for candidate in candidates:
        before = first.setdefault(candidate.key, candidate)
        if before is not candidate:
            yield before, candidate


def check_dbqa(data: PathLike) -> Iterator[Finding]:
    """The findings in a DBQA file."""
    pairs = (
        (pair.question, Candidate(pair.sentence, pair.sentence, pair.label, line))
        for line, pair in dbqa_format.read_numbered(data)
    )
    yield from check_candidates(pairs, str(data))


def check_tbqa(data: PathLike, tables: PathLike | None = None) -> Iterator[Finding]:
    """The findings in a TBQA file; `tables` is the file of the tables, if the pairs name them by id."""
    if tables is None:
        yield from _check_with_tables(data)
    else:
        yield from _check_by_id(data, tables)


def _check_with_tables(data: PathLike) -> Iterator[Finding]:
    pairs = []
    known: dict[Table, Table] = {}  # a table is a candidate of many questions: kept and checked once
    for line, pair in tbqa_format.read_numbered(data):
        table = known.setdefault(pair.table, pair.table)
        if table is pair.table:
            yield from _check_table(table, Place(str(data), line))
        pairs.append((pair.question, Candidate(table, table.caption, pair.label, line)))
    yield from check_candidates(pairs, str(data))


def _check_by_id(data: PathLike, tables: PathLike) -> Iterator[Finding]:
    ids = set()
    for line, table in tbqa_format.read_numbered_tables(tables):
        ids.add(table.id)
        yield from _check_table(table, Place(str(tables), line, table.id))
    pairs = []
    for line, candidate in tbqa_format.read_numbered_candidates(data):
        yield from unknown_table(candidate.table, ids, tables, Place(str(data), line, candidate.table))
        pairs.append((candidate.question, Candidate(candidate.table, candidate.table, candidate.label, line)))
    yield from check_candidates(pairs, str(data))


def _check_table(table: Table, place: Place) -> Iterator[Finding]:
    yield from empty_table(table, place)
    yield from duplicate_header(table, place)
    yield from ragged_row(table, place)


def empty_table(table: Table, place: Place) -> Iterator[Finding]:
    """A table without a single cell that has text."""
    if not any(cell.strip() for row in table.rows for cell in row):
        yield place.finding("empty-table", f"the table {quote(table.caption)} has no cells with text")


def duplicate_header(table: Table, place: Place) -> Iterator[Finding]:
    """Columns with the same header, empty ones passed over; one finding a table."""
    counts = Counter(header.strip() for header in table.headers)
    several = [f"{times} {quote(header)}" for header, times in counts.items() if header and times > 1]
    if several:
        yield place.finding(
            "duplicate-header", f"columns of the table {quote(table.caption)}: {', '.join(several)}"
        )


def ragged_row(table: Table, place: Place) -> Iterator[Finding]:
    """Rows that have not as many cells as there are headers; one finding a table."""
    wrong = [(number, len(row)) for number, row in enumerate(table.rows, 1) if len(row) != len(table.headers)]
    if wrong:
        (number, cells), *others = wrong
        more = f", and {len(others)} more rows do not fit" if others else ""
        yield place.finding(
            "ragged-row",
            f"row {number} of the table {quote(table.caption)} has {cells} cells "
            f"under {len(table.headers)} headers{more}",
        )


def unknown_table(id: str, ids: set[str], tables: PathLike, place: Place) -> Iterator[Finding]:
    """A candidate that names no table."""
    if id not in ids:
        yield place.finding("unknown-table", f"there is no table {quote(id)} in {tables}")
