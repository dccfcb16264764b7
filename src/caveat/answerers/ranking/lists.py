"""A question and its candidates: the sentences of a document, or tables."""

from __future__ import annotations

import msgspec

from caveat.answerers.ranking.combination import Kind
from caveat.core.errors import InputError
from caveat.core.records import Table

__all__ = ["CandidateList"]


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
