"""The candidate lists of DBQA and TBQA files: each question with its sentences or tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caveat.answerers.ranking.evidence import CandidateList
from caveat.benchmarks.nlpcc.dbqa import format as nlpcc_dbqa
from caveat.benchmarks.nlpcc.tbqa import format as nlpcc_tbqa
from caveat.core.files import PathLike

__all__ = ["read_sentence_lists", "read_table_lists"]


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
