"""Is data in SQuAD's layout sound, 1.1 or 2.0?"""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.shared.findings import Finding, FirstLines, IdLines
from caveat.benchmarks.shared.passage_checks import SHARED_RULES, check_passage, with_places
from caveat.benchmarks.squad import format as squad
from caveat.core.files import PathLike

__all__ = ["RULES", "check"]

RULES = SHARED_RULES


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a SQuAD file, 1.1 or 2.0."""
    ids: FirstLines[str] = FirstLines()
    for passage, places in with_places(squad.read_passages(data), data, IdLines(data, "id")):
        yield from check_passage(passage, places, ids)
