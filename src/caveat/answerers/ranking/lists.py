"""A question and its candidates: the sentences of a document, or tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from caveat.answerers.ranking.combination import Kind
from caveat.benchmarks.nlpcc.ranked import dbqa_format as nlpcc_dbqa
from caveat.benchmarks.nlpcc.ranked import tbqa_format as nlpcc_tbqa
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.records import Table

__all__ = ["CandidateList", "read_sentence_lists", "read_table_lists"]


class CandidateList(msgspec.Struct, frozen=True):
    """Candidates, all sentences or all tables, in their order; which are right, where that is known.

    `indices` are the places of the candidates among all lines of a file.
    """

    question: str
    candidates: tuple[str, ...] | tuple[Table, ...]
    right: tuple[bool, ...] = ()
    indices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.candidates:
            raise InputError(f"the question {self.question[:80]!r} has no candidates to rank")

    @property
    def kind(self) -> Kind:
        """What the candidates are."""
        return "tables" if isinstance(self.candidates[0], Table) else "sentences"


def read_sentence_lists(path: PathLike) -> Iterator[CandidateList]:
    """The lists of a DBQA file; the whole file is held in memory, as a question may come back in it."""
    for group in nlpcc_dbqa.groups(nlpcc_dbqa.read(path)):
        sentences = tuple(pair.sentence for pair in group.pairs)
        yield CandidateList(
            group.question, sentences, _right(pair.label for pair in group.pairs), group.indices
        )


def read_table_lists(path: PathLike, tables: PathLike | None = None) -> Iterator[CandidateList]:
    """The lists of a TBQA file, with `tables` where it names them by id; held in memory as well."""
    for group in nlpcc_tbqa.groups(nlpcc_tbqa.read(path, tables)):
        found = tuple(pair.table for pair in group.pairs)
        yield CandidateList(group.question, found, _right(pair.label for pair in group.pairs), group.indices)


def _right(labels: Iterable[int | None]) -> tuple[bool, ...]:
    found = tuple(labels)
    return () if None in found else tuple(bool(label) for label in found)
