"""What is in an NLPCC KBQA file: questions, answers, triples, and the knowledge base beside it."""

from __future__ import annotations

from collections import Counter

from caveat.benchmarks.nlpcc.kb.statistics import kb_counts, mention_counts
from caveat.benchmarks.nlpcc.kbqa.format import read
from caveat.benchmarks.shared.bins import histogram
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    ranked,
    share,
    shares,
    summary,
)
from caveat.core.files import PathLike
from caveat.core.records import Triple

__all__ = ["count"]

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
