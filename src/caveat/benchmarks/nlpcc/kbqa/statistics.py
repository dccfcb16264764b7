"""What is in an NLPCC KBQA file: questions, answers, triples, and the knowledge base beside it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from caveat.benchmarks.nlpcc.kbqa.format import read
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    ranked,
    share,
    shares,
    summary,
)
from caveat.core.files import PathLike
from caveat.core.records import Triple
from caveat.sources.triple_lines import read_mentions, read_triples

__all__ = ["Distinct", "count", "count_kb", "count_mentions", "kb_counts", "mention_counts"]

_MOST_PREDICATES = 20


def count(data: PathLike, kb: PathLike | None = None, mentions: PathLike | None = None) -> Tables:
    """Questions, answers and triples; with a knowledge base and a mention list, the sizes of these too."""
    question_lengths: list[int] = []
    answer_lengths: list[int] = []
    answers_each: list[int] = []
    facts: set[Triple] = set()
    predicates: Counter[str] = Counter()
    triples = malformed = 0
    for question in read(data):
        question_lengths.append(len(question.question))
        answers_each.append(len(question.answers))
        answer_lengths += map(len, question.answers)
        triples += question.triple is not None
        fact = question.fact
        if fact is not None:
            facts.add(fact)
            predicates[fact.predicate] += 1
        elif question.triple is not None:
            malformed += 1
    most = dict(ranked(predicates)[:_MOST_PREDICATES])
    counts: dict[str, int | float | None] = {
        "questions": len(question_lengths),
        "answers": len(answer_lengths),
        "questions_without_answer": answers_each.count(0),
        "triples": triples,
        "malformed_triples": malformed,
        "distinct_triples": len(facts),
        "distinct_subjects": len({fact.subject for fact in facts}),
        "distinct_predicates": len(predicates),
    }
    tables = [
        Table("How many of each", SUMMARY, (summary("answers per question", answers_each),)),
        Table(
            "Lengths in characters",
            SUMMARY,
            (summary("questions", question_lengths), summary("answers", answer_lengths)),
        ),
        Table("Most frequent predicates", ("", "questions", "%"), shares(most.items(), predicates.total())),
    ]
    if kb is not None:
        found = kb_counts(kb, facts)
        counts |= {f"kb_{name}": value for name, value in found.items() if name != "wanted_triples_found"}
        in_kb = found.get("wanted_triples_found") or 0
        tables.append(
            Table(
                "In the knowledge base",
                ("", "number", "%"),
                (("distinct triples", in_kb, share(in_kb, len(facts))),),
            )
        )
    if mentions is not None:
        counts |= mention_counts(mentions)
    return Tables(
        "nlpcc-kbqa",
        counts,
        tuple(tables),
        (
            histogram("Questions by length", "characters", question_lengths),
            histogram("Answers by length", "characters", answer_lengths),
            histogram("Questions by number of answers", "answers", answers_each),
            Histogram("Most frequent predicates", "", most),
        ),
    )


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


_BUCKETS = 256
_SMALLEST = 1024


class Distinct:
    """Counts different texts by their 64-bit hashes, exactly unless two texts share one.

    Among ten million texts the odds of that are one in 370,000. Hashes wait in buckets and lose their
    repetitions whenever a bucket has doubled, so that memory follows the number of different texts, whatever
    their lengths and however often they come.
    """

    def __init__(self) -> None:
        self._buckets = [array("q") for _ in range(_BUCKETS)]
        self._limits = [_SMALLEST] * _BUCKETS
        self._last: str | None = None

    def add(self, text: str) -> None:
        """Count a text, unless it was counted before."""
        if text == self._last:
            return  # files of triples are mostly in the order of their subjects
        self._last = text
        hashed = hash(text)
        number = hashed & (_BUCKETS - 1)
        bucket = self._buckets[number]
        bucket.append(hashed)
        if len(bucket) >= self._limits[number]:
            bucket = self._buckets[number] = array("q", set(bucket))
            self._limits[number] = max(_SMALLEST, 2 * len(bucket))

    def __len__(self) -> int:
        return sum(len(set(bucket)) for bucket in self._buckets)
