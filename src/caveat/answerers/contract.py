"""The contract of everything that answers: a source is prepared once, questions are answered many times.

`tests/answerers/test_contract.py` runs over every implementation of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

import msgspec

from caveat.core.records import Question, Reply, Source
from caveat.core.spreading import Through
from caveat.language.question import ParsedQuestion

SourceKind = TypeVar("SourceKind", contravariant=True)
PreparedKind = TypeVar("PreparedKind", bound="Prepared")


class Prepared(Protocol):
    """A source with whatever was worth doing once, however many questions follow."""

    @property
    def source(self) -> Source: ...


class Asked(msgspec.Struct, Generic[PreparedKind], frozen=True):
    """A question with its prepared sources, and how many answers are wanted.

    Without `structure` a reply from texts has the reader's alternatives as they are: no conditions, no parts, no yes
    or no.
    """

    question: Question
    sources: tuple[PreparedKind, ...]
    top: int = 5
    structure: bool = True
    # The reading of the question, which is made once; without one the question is taken at its word.
    parsed: ParsedQuestion = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.parsed is None or self.parsed.meant is not self.question:
            msgspec.structs.force_setattr(self, "parsed", ParsedQuestion(self.question, self.question))

    def of_kind(self, kind: type[Source]) -> Asked[PreparedKind]:
        """The same question asked of its sources of one kind."""
        own = tuple(each for each in self.sources if isinstance(each.source, kind))
        return msgspec.structs.replace(self, sources=own)


class Answerer(Protocol[SourceKind, PreparedKind]):
    """Answers questions from one kind of source. Construction is light, and it may be used from several threads."""

    def prepare(self, source: SourceKind) -> PreparedKind:
        """Whatever is worth doing once for a source of the answerer's kind."""
        ...

    def answer(self, asked: Iterable[Asked[PreparedKind]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its sources together, in order; all of them go through one queue.

        The sources are those that `prepare` of the same answerer gave. A question without any has no answer, with
        probability 1. What takes long source by source goes `through`.
        """
        ...
