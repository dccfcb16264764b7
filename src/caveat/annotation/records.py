"""What is annotated, by which task, and what an annotator makes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Literal

import msgspec

Verdict = Literal["span", "yes", "no", "unanswerable"]
Role = Literal["annotator", "adjudicator"]
State = Literal["open", "begun", "done"]
Outcome = Literal["accepted", "changed", "refused"]
Action = Literal["save", "undo", "redo", "done", "reopen"]


class Span(msgspec.Struct, frozen=True):
    """A piece of a sample's context, in code points, its end exclusive."""

    id: str
    kind: str
    start: int
    end: int


class Link(msgspec.Struct, frozen=True):
    """Two spans that belong together, by their ids."""

    kind: str
    source: str
    target: str


class Work(msgspec.Struct, frozen=True):
    """One annotator's present state of one item."""

    question: str = ""
    question_type: str | None = None
    verdict: Verdict = "span"
    spans: tuple[Span, ...] = ()
    links: tuple[Link, ...] = ()
    scenario: str | None = None
    note: str = ""


class Element(msgspec.Struct, frozen=True):
    """A paragraph, heading or list item of a page: where its text stands in the context, and its HTML."""

    start: int
    end: int
    html: str


class Sample(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is annotated: a text, perhaps with a question on it, in the part of the data it belongs to."""

    id: str
    context: str
    title: str | None = None
    question: str | None = None
    scenario: str | None = None
    split: str | None = None
    url: str | None = None
    elements: tuple[Element, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """A kind of span: its key, what a person calls it, and whether it is always a whole element of the page."""

    name: str
    key: str
    words: str
    element: bool = False


class LinkKind(msgspec.Struct, frozen=True):
    """A kind of link, and the kinds of span that it goes from and to."""

    name: str
    source_kinds: tuple[str, ...]
    target_kinds: tuple[str, ...]
    key: str


class Stage(msgspec.Struct, frozen=True):
    """A step of the annotation: how many people take it, and what they see of the step before.

    With `sees` of `question` they see the question alone, so that their answers are blind; with `work` all of it, to
    revise it; with `union` what all who answered have together, to revise that; with `nothing` they begin. `splits` are
    the parts of the data that the step is for; none: all. `shows` is the whole text, or its title and a snippet of it.
    """

    name: str
    annotators: int = 1
    sees: Literal["nothing", "question", "work", "union"] = "nothing"
    writes_question: bool = False
    splits: tuple[str, ...] = ()
    shows: Literal["text", "snippet"] = "text"


class Task(msgspec.Struct, frozen=True):
    """What can be annotated in a data set of one kind."""

    name: str
    kinds: tuple[Kind, ...]
    links: tuple[LinkKind, ...]
    verdicts: tuple[Verdict, ...]
    # Whether a span may stand within another of its kind; may share characters with one of another kind; and whether
    # a question may have several answers.
    nested: bool
    overlap: bool
    several: bool
    question: Literal["given", "written"]
    stages: tuple[Stage, ...]
    question_types: tuple[str, ...] = ()


class Remark(msgspec.Struct, frozen=True):
    """What a live check has to say of a work, and on which spans."""

    rule: str
    message: str
    spans: tuple[str, ...] = ()


class Annotator(msgspec.Struct, frozen=True):
    """Someone who annotates, or who decides between those who do."""

    name: str
    role: Role = "annotator"


class Assignment(msgspec.Struct, frozen=True):
    """An item that someone is to work on."""

    item: str
    stage: str
    state: State


class Saved(msgspec.Struct, frozen=True):
    """What is on disk now."""

    version: int
    work: Work | None


class Decision(msgspec.Struct, frozen=True):
    """One thing that someone did: kept for ever."""

    number: int
    item: str
    annotator: str
    stage: str
    time: str
    action: Action
    before: Work | None
    after: Work | None
    request: str


class Disagreement(msgspec.Struct, frozen=True):
    """An item on which people who worked blindly differ; the gold work where it has been decided."""

    item: str
    works: dict[str, Work]
    gold: Work | None = None
    version: int = 0


class Entry(msgspec.Struct, frozen=True):
    """A sample of a file with what each annotator made of it there: none, one, or several answers to one question."""

    sample: Sample
    works: tuple[tuple[str, Work], ...] = ()


class Gold(msgspec.Struct, frozen=True):
    """What holds for an item, and further answers that count as right beside it, as in CMRC's dev and test sets."""

    item: str
    sample: Sample
    work: Work
    further: tuple[Work, ...] = ()


class Suggestion(msgspec.Struct, frozen=True):
    """What a model proposes for an item, and how unsure it is (0–1)."""

    work: Work
    model: str
    uncertainty: float


Place = tuple[int, int]


def typed_labels(work: Work) -> Mapping[str, frozenset[Hashable]]:
    """The places under each kind of span, and the pairs of places under each kind of link."""
    places = {span.id: (span.start, span.end) for span in work.spans}
    found: dict[str, set[Hashable]] = defaultdict(set)
    for span in work.spans:
        found[span.kind].add((span.start, span.end))
    for link in work.links:
        found[link.kind].add((places[link.source], places[link.target]))
    return {kind: frozenset(members) for kind, members in found.items()}


def labels(work: Work) -> frozenset[Hashable]:
    """All that two annotators must have in common to agree; that an answer is a span is told by the span."""
    typed = {(kind, label) for kind, members in typed_labels(work).items() for label in members}
    return frozenset(typed if work.verdict == "span" else {("verdict", work.verdict), *typed})


def span_texts(context: str, work: Work, kind: str) -> list[tuple[Span, str]]:
    """The spans of a kind from left to right, with their texts."""
    chosen = sorted(
        (span for span in work.spans if span.kind == kind), key=lambda span: (span.start, span.end)
    )
    return [(span, context[span.start : span.end]) for span in chosen]
