"""NLPCC KBQA: answers from a knowledge base of triples.

Checks read the questions, and the knowledge base where it is given.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from caveat.benchmarks.nlpcc import kbqa_format, metric
from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion, read, read_numbered
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.checks import Finding, Place, empty_question, quote, shared_rules
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
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, DataSet, EvaluationOptions, Task
from caveat.core.answers import Triple
from caveat.core.files import PathLike
from caveat.core.loading import load
from caveat.sources.triple_lines import read_mentions, read_triples

RULES = {
    **shared_rules("empty-question", "no-answer"),
    "malformed-triple": "A triple is not subject, predicate and object, or one of them is empty.",
    "answer-not-object": "The object of a question's triple is not among its answers.",
}


def check(data: PathLike, kb: PathLike | None = None) -> Iterator[Finding]:
    """The findings in a KBQA file, then those in the knowledge base."""
    questions = list(read_numbered(data))
    # A test file has neither triples nor answers.
    labelled = any(question.answers or question.triple is not None for _, question in questions)
    for line, question in questions:
        place = Place(str(data), line, question.id)
        yield from empty_question(question.question, place)
        if question.triple is not None:
            yield from malformed_triple(question.triple, place)
        if labelled:
            yield from no_answer(question, place)
        yield from answer_not_object(question, place)
    if kb is not None:
        yield from check_kb(kb)


def no_answer(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """A question without an answer, or with an empty one."""
    if not question.answers:
        yield place.finding("no-answer", "the question has no answer")


def answer_not_object(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """Answers that the triple's object is not among."""
    fact = question.fact
    if fact is None or not question.answers or fact.object in question.answers:
        return
    # An object with ` | ` inside was cut into several answers by the format.
    if fact.object == " | ".join(question.answers):
        return
    answers = ", ".join(map(quote, question.answers[:3]))
    message = f"the triple's object {quote(fact.object)} is not the answer {answers}"
    yield place.finding("answer-not-object", message)


_PARTS = ("subject", "predicate", "object")


def check_kb(kb: PathLike) -> Iterator[Finding]:
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


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    golds = _gold(gold)
    predicted = {prediction.id: prediction.answers for prediction in kbqa_format.read_predictions(pred)}
    return metric.score_answer_sets(first_questions(golds, options.first, gold), predicted, options.at)


def _floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    """The answer that most questions have, for every question."""
    golds = first_questions(_gold(gold), options.first, gold)
    frequent = Counter(answer for answers in golds.values() for answer in set(answers))
    most = [answer for answer, _ in ranked(frequent)[:1]]
    return {"most_frequent_answer": metric.score_answer_sets(golds, dict.fromkeys(golds, most))}


def _gold(path: PathLike) -> dict[str, tuple[str, ...]]:
    return {question.id: question.answers for question in kbqa_format.read(path)}


def _statistics(files: DataFiles) -> Tables:
    return count(files.data, files.kb, files.mentions)


def _check(files: DataFiles) -> Iterator[Finding]:
    return check(files.data, files.kb)


TASK = Task(
    name="nlpcc-kbqa",
    summary="NLPCC KBQA: answers from a knowledge base of triples (Chinese)",
    gold="<question id=N>, <triple id=N> and <answer id=N> lines",
    predictions="<question id=N> and <answer id=N> lines, answers tab-separated",
    read=lambda files: kbqa_format.read(files.data),
    score=_score,
    # The guideline's definitions leave nothing to a program: unanswered questions count 0 in both modes.
    score_official=_score,
    statistics=_statistics,
    check=_check,
    predict=partial(load, "caveat.benchmarks.nlpcc.kbqa_predict:PREDICTION"),
    analyse=partial(load, "caveat.benchmarks.nlpcc.kbqa_analysis:ANALYSIS"),
    agreement=pairwise_agreement(_gold, metric.score_answer_sets),
    floors=_floors,
    published="nlpcc/published.toml",
    options=frozenset({"first", "at"}),
    companions=frozenset({"kb", "mentions"}),
)


def _count_kb(path: PathLike) -> Tables:
    return count_kb(path)


def _count_mentions(path: PathLike) -> Tables:
    return count_mentions(path)


TRIPLES = DataSet("nlpcc-kb", _count_kb, check_kb)
MENTIONS = DataSet("nlpcc-mentions", _count_mentions)


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
