"""Is MultiSpanQA data sound?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caveat.benchmarks.multispan.format import MultiSpanExample, chunks, read
from caveat.benchmarks.shared.findings import Finding, FirstLines, IdLines, Place, quote
from caveat.benchmarks.shared.passage_checks import duplicate_id, empty_context, empty_question, shared_rules
from caveat.core.files import PathLike

__all__ = ["RULES", "check", "inside_without_begin", "no_span", "span_count_mismatch"]


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
    for example in read(data).examples:
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
