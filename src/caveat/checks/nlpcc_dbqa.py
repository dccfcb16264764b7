"""Is NLPCC DBQA data sound?"""

from __future__ import annotations

from collections.abc import Iterator

from caveat.checks.candidates import Candidate, check_candidates
from caveat.checks.finding import Finding
from caveat.formats.files import PathLike
from caveat.formats.nlpcc_dbqa import read_numbered

__all__ = ["check"]


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a DBQA file."""
    pairs = (
        (pair.question, Candidate(pair.sentence, pair.sentence, pair.label, line))
        for line, pair in read_numbered(data)
    )
    yield from check_candidates(pairs, str(data))
