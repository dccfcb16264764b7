"""MultiSpanQA: questions whose answer is several spans.

Statistics count the spans of an answer, their lengths, and the types and structures of answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from caveat.benchmarks.multispan import format
from caveat.benchmarks.multispan import metric as multispan
from caveat.benchmarks.multispan.format import MultiSpanExample, chunks
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.checks import (
    Finding,
    FirstLines,
    IdLines,
    Place,
    duplicate_id,
    empty_context,
    empty_question,
    quote,
    shared_rules,
)
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    ranked,
    shares,
    summary,
)
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Task
from caveat.core.files import PathLike
from caveat.core.loading import load

RULES = {
    **shared_rules("duplicate-id", "empty-question", "empty-context"),
    "inside-without-begin": "A token is labelled I although the one before it is labelled O or missing.",
    "no-span": "No token is labelled as part of an answer.",
    "span-count-mismatch": "num_span is not the number of labelled spans.",
}


def check(data: PathLike) -> Iterator[Finding]:
    """The findings in a MultiSpanQA file."""
    ids: FirstLines[str] = FirstLines()
    lines = IdLines(data, "id")
    for example in format.read(data).examples:
        place = Place(str(data), lines.next(example.id), example.id)
        yield from duplicate_id(example.id, place, ids)
        yield from empty_question(" ".join(example.question), place)
        yield from empty_context(" ".join(example.context), place)
        if example.label is not None:
            yield from inside_without_begin(example, example.label, place)
            yield from no_span(example.label, place)
            yield from span_count_mismatch(example, example.label, place)


def inside_without_begin(example: MultiSpanExample, label: Sequence[str], place: Place) -> Iterator[Finding]:
    """An I that follows no B: the published scorer begins a span there, others do not."""
    wrong = [i for i, tag in enumerate(label) if tag == "I" and (i == 0 or label[i - 1] == "O")]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield place.finding(
            "inside-without-begin",
            f"token {wrong[0]}, {quote(example.context[wrong[0]])}, is labelled I with no B before it{more}",
        )


def no_span(label: Sequence[str], place: Place) -> Iterator[Finding]:
    """No token labelled as part of the answer."""
    if all(tag == "O" for tag in label):
        yield place.finding("no-span", "every token is labelled O: the question has no answer")


def span_count_mismatch(example: MultiSpanExample, label: Sequence[str], place: Place) -> Iterator[Finding]:
    """`num_span` that is not the number of labelled spans."""
    told = example.extra.get("num_span")
    found = sum(1 for _ in chunks(label))
    if isinstance(told, int) and told != found:
        yield place.finding("span-count-mismatch", f"num_span is {told}, {found} are labelled")


def count(data: PathLike) -> Tables:
    """Examples and spans; lengths are in the file's own tokens; without labels no spans are counted."""
    examples = format.read(data).examples
    labelled = [(example, list(chunks(example.label))) for example in examples if example.label is not None]
    spans_each = [len(spans) for _, spans in labelled]
    lengths = [last - first for _, spans in labelled for first, last in spans]
    contexts = [len(example.context) for example in examples]
    questions = [len(example.question) for example in examples]
    distribution = [(str(number), spans_each.count(number)) for number in sorted(set(spans_each))]
    tables = [
        Table("Examples by number of spans", ("", "examples", "%"), shares(distribution, len(labelled))),
        Table(
            "Lengths in tokens",
            SUMMARY,
            (summary("contexts", contexts), summary("questions", questions), summary("spans", lengths)),
        ),
        Table("How many of each", SUMMARY, (summary("spans per example", spans_each),)),
    ]
    histograms = [
        histogram("Examples by number of spans", "spans", spans_each),
        histogram("Spans by length", "tokens", lengths),
        histogram("Contexts by length", "tokens", contexts),
    ]
    for key, name in (
        ("type", "Examples by type of answer"),
        ("structure", "Examples by structure of answer"),
    ):
        if found := _values(examples, key):
            tables.append(Table(name, ("", "examples", "%"), shares(ranked(found), sum(found.values()))))
            histograms.append(Histogram(name, "", dict(ranked(found))))
    return Tables(
        "multispan",
        {
            "examples": len(examples),
            "spans": len(lengths),
            "multi_span": sum(number > 1 for number in spans_each),
            "single_span": spans_each.count(1),
            "unanswerable": spans_each.count(0),
            "without_labels": len(examples) - len(labelled),
            "wrong_num_span": sum(
                example.extra.get("num_span", len(spans)) != len(spans) for example, spans in labelled
            ),
        },
        tuple(tables),
        tuple(histograms),
    )


def _values(examples: Sequence[MultiSpanExample], key: str) -> dict[str, int]:
    """How often each value of a key that not every file has occurs."""
    return Counter(str(value) for example in examples if (value := example.extra.get(key)) is not None)


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score(_gold(gold, options), format.read_predictions(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return multispan.score_official(_gold(gold, options), format.read_predictions(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(_answers(path), options.first, path)


def _answers(path: PathLike) -> dict[str, list[str]]:
    return {example.id: format.answers(example) for example in format.read(path).examples}


def _statistics(files: DataFiles) -> Tables:
    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    return check(files.data)


TASK = Task(
    name="multispan",
    summary="MultiSpanQA: answers of several spans (English)",
    gold="MultiSpanQA's JSON, tokens with B/I/O labels",
    predictions="JSON object id → list of texts",
    read=lambda files: format.read(files.data).examples,
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=partial(load, "caveat.benchmarks.multispan.predict:PREDICTION"),
    agreement=pairwise_agreement(_answers, multispan.score),
)
