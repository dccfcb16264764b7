"""How large a knowledge base and a mention list are, counted as their lines stream by."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.distinct import Distinct
from caveat.core.files import PathLike
from caveat.core.records import Triple
from caveat.sources.triple_lines import read_mentions, read_triples

__all__ = ["count_kb", "count_mentions", "kb_counts", "mention_counts"]


def count_kb(path: PathLike) -> Tables:
    """Triples, entities (the distinct subjects, as the task has it), predicates, lines that are no triple."""
    return Tables("nlpcc-kbqa", dict(kb_counts(path)))


def kb_counts(path: PathLike, wanted: Collection[Triple] = ()) -> dict[str, int | None]:
    """The counts of a knowledge base, and how many of the `wanted` triples it has, if any are wanted."""
    subjects, predicates, objects = Distinct(), Distinct(), Distinct()
    missing = set(wanted)
    sought = len(missing)
    triples = malformed = 0

    def bad(number: int, line: str) -> None:
        nonlocal malformed
        malformed += 1

    for triple in read_triples(path, bad):
        triples += 1
        subjects.add(triple.subject)
        predicates.add(triple.predicate)
        objects.add(triple.object)
        if missing:
            missing.discard(triple)
    counts: dict[str, int | None] = {
        "triples": triples,
        "malformed_triples": malformed,
        "entities": len(subjects),
        "predicates": len(predicates),
        "objects": len(objects),
        "bytes": None if str(path) == "-" else Path(path).stat().st_size,
    }
    if sought:
        counts["wanted_triples_found"] = sought - len(missing)
    return counts


def count_mentions(path: PathLike) -> Tables:
    """Mentions, and the entities that they can mean."""
    return Tables("nlpcc-kbqa", dict(mention_counts(path)))


def mention_counts(path: PathLike) -> dict[str, int | None]:
    """The counts of a mention list; an ambiguous mention can mean several entities."""
    texts, entities = Distinct(), Distinct()
    lines = links = ambiguous = malformed = 0

    def bad(number: int, line: str) -> None:
        nonlocal malformed
        malformed += 1

    for mention in read_mentions(path, bad):
        lines += 1
        links += len(mention.entities)
        ambiguous += len(mention.entities) > 1
        texts.add(mention.text)
        for entity in mention.entities:
            entities.add(entity)
    return {
        "mentions": lines,
        "malformed_mentions": malformed,
        "distinct_mentions": len(texts),
        "ambiguous_mentions": ambiguous,
        "mentioned_entities": len(entities),
        "links": links,
    }
