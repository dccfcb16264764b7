"""What ConditionalQA's steps need beyond those of other data: a snippet to ask from, the union of several answers, and
examples in which a condition has been moved into the scenario.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from caveat.annotation.records import Gold, Link, Place, Sample, Span, Work

# Of a page without paragraphs at most so many characters are shown.
_LONGEST_SNIPPET = 300
_HEADING = re.compile(r"<h[1-6]\b", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n\s*\n")


def snippet_of(sample: Sample) -> Sample:
    """The sample with its title and its first paragraph alone, so that who asks does not ask for what is said."""
    paragraphs = (
        sample.context[element.start : element.end]
        for element in sample.elements
        if not _HEADING.match(element.html)
    )
    first = next((text for text in paragraphs if text.strip()), "")
    text = first or _BLANK_LINE.split(sample.context.strip())[0][:_LONGEST_SNIPPET]
    return msgspec.structs.replace(sample, context=text.strip(), elements=())


def union_of(works: Sequence[Work]) -> Work:
    """All that several people have marked, each span and link once; the verdict of the first who gives an answer."""
    spans: dict[tuple[str, int, int], Span] = {}
    links: dict[tuple[str, str, str], Link] = {}
    for work in works:
        own: dict[str, str] = {}
        for span in work.spans:
            place = (span.kind, span.start, span.end)
            kept = spans.setdefault(place, msgspec.structs.replace(span, id=str(len(spans) + 1)))
            own[span.id] = kept.id
        for link in work.links:
            joined = (link.kind, own[link.source], own[link.target])
            links.setdefault(joined, Link(*joined))
    answered = next((work for work in works if work.verdict != "unanswerable"), works[0])
    return msgspec.structs.replace(answered, spans=tuple(spans.values()), links=tuple(links.values()))


def with_moved_conditions(golds: Iterable[Gold]) -> Iterator[Gold]:
    """Each work, then one for each of its conditions: the scenario says it, and the answer does not need it any more.

    The scenario gets the condition in the page's words: a draft, to be put in the asker's.
    """
    for gold in golds:
        yield gold
        conditions = {(span.start, span.end): span for span in gold.work.spans if span.kind == "condition"}
        for number, place in enumerate(conditions, 1):
            yield Gold(f"{gold.item}~{number}", gold.sample, _moved(gold.sample, gold.work, place))


def _moved(sample: Sample, work: Work, place: Place) -> Work:
    start, end = place
    gone = {span.id for span in work.spans if span.kind == "condition" and (span.start, span.end) == place}
    return msgspec.structs.replace(
        work,
        scenario=f"{(work.scenario or '').strip()} {sample.context[start:end].strip()}".strip(),
        spans=tuple(span for span in work.spans if span.id not in gone),
        links=tuple(link for link in work.links if link.source not in gone),
    )
