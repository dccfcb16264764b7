"""What is in a MultiSpanQA file: spans an answer, their lengths, types and structures of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from caveat.benchmarks.multispan.format import MultiSpanExample, chunks, read
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
from caveat.core.files import PathLike

__all__ = ["count"]


def count(data: PathLike) -> Tables:
    """Examples and spans; lengths are in the file's own tokens; without labels no spans are counted."""
    examples = read(data).examples
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
