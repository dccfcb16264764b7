"""Is NLPCC DBQA data sound?"""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.nlpcc.candidate_checks import Candidate, check_candidates
from caveat.benchmarks.nlpcc.dbqa.format import read_numbered
from caveat.benchmarks.shared.finding import Finding
from caveat.core.files import PathLike

__all__ = ["check"]


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a DBQA file."""
    pairs = (
        (pair.question, Candidate(pair.sentence, pair.sentence, pair.label, line))
        for line, pair in read_numbered(data)
    )
    yield from check_candidates(pairs, str(data))
