"""Is a knowledge base in NLPCC's format sound?"""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.place import Place, quote
from caveat.core.files import PathLike
from caveat.sources.triple_lines import read_triples

__all__ = ["check", "malformed_triple"]

_PARTS = ("subject", "predicate", "object")


def check(kb: PathLike) -> Iterator[Finding]:
    """The findings in a file of triples, as a stream."""
    bad: list[tuple[int, str]] = []
    for _ in read_triples(kb, on_bad=lambda line, text: bad.append((line, text))):
        if bad:
            yield from _tell(bad, kb)
    yield from _tell(bad, kb)


def _tell(bad: list[tuple[int, str]], kb: PathLike) -> Iterator[Finding]:
    for line, text in bad:
        yield from malformed_triple(text, Place(str(kb), line))
    bad.clear()


def malformed_triple(text: str, place: Place) -> Iterator[Finding]:
    """Text that is not subject, predicate and object, with an explanation."""
    parts = [part.strip() for part in text.split("|||", 2)]
    if len(parts) < len(_PARTS):
        problem = f"has {len(parts)} of the three parts"
    elif empty := [name for name, part in zip(_PARTS, parts, strict=True) if not part]:
        problem = f"has no {' and no '.join(empty)}"
    else:
        return
    yield place.finding("malformed-triple", f"the triple {quote(text)} {problem}")
