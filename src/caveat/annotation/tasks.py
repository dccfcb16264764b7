"""The tasks that data can be annotated for: what each allows, and the steps by which its paper's data came about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from caveat.annotation.records import Gold, Kind, Link, LinkKind, Place, Sample, Span, Stage, Task, Work
from caveat.core.errors import UnknownNameError, UsageError
from caveat.language.question_types import QUESTION_TYPES

GOLD = "gold"
"""The stage under which an adjudicator's decisions are kept."""

_ANSWER = Kind("answer", "a", "answer")
# Of the parts that systems are measured on: several answers a question say how far people agree.
_MEASURED = ("dev", "test", "challenge")
# CMRC's dev and test sets have three answers, that of the question's writer and two further ones; SQuAD's have three
# further ones at most.
_CMRC_FURTHER, _SQUAD_FURTHER = 2, 3
_CONDITIONAL_ANSWERS = 2

TASKS: Mapping[str, Task] = {
    task.name: task
    for task in (
        Task(
            "cmqa",
            (
                Kind("condition", "c", "condition"),
                Kind("coarse", "a", "coarse answer"),
                Kind("fine", "f", "fine answer"),
            ),
            (
                LinkKind("condition_coarse", ("condition",), ("coarse",), "q"),
                LinkKind("condition_fine", ("condition",), ("fine",), "w"),
                LinkKind("coarse_fine", ("coarse",), ("fine",), "e"),
            ),
            ("span", "unanswerable"),
            nested=False,
            overlap=True,
            several=True,
            question="given",
            stages=(Stage("annotate"),),
            question_types=QUESTION_TYPES,
        ),
        # Cui et al. 2019: questions with their answers, a second round in which faulty ones are revised, and further
        # answers, given blindly, for the parts that systems are measured on.
        Task(
            "cmrc2018",
            (_ANSWER,),
            (),
            ("span",),
            nested=False,
            overlap=False,
            several=False,
            question="written",
            stages=(
                Stage("ask", writes_question=True),
                Stage("revise", sees="work", writes_question=True),
                Stage("answer", _CMRC_FURTHER, sees="question", splits=_MEASURED),
            ),
        ),
        # Sun et al. 2022: one who sees a page's title and a snippet of it asks, with a scenario; others, who see the
        # page, answer with conditions and evidence; another revises what they have together.
        Task(
            "conditionalqa",
            (
                _ANSWER,
                Kind("evidence", "e", "evidence", element=True),
                Kind("condition", "c", "condition", element=True),
            ),
            (LinkKind("condition_answer", ("condition",), ("answer",), "q"),),
            ("span", "yes", "no", "unanswerable"),
            nested=False,
            overlap=True,
            several=True,
            question="written",
            stages=(
                Stage("ask", writes_question=True, shows="snippet"),
                Stage("answer", _CONDITIONAL_ANSWERS, sees="question"),
                Stage("revise", sees="union"),
            ),
        ),
        Task(
            "multispan",
            (_ANSWER,),
            (),
            ("span", "unanswerable"),
            nested=False,
            overlap=False,
            several=True,
            question="given",
            stages=(Stage("annotate"),),
        ),
        Task(
            "squad2",
            (_ANSWER,),
            (),
            ("span", "unanswerable"),
            nested=False,
            overlap=False,
            several=False,
            question="written",
            stages=(
                Stage("ask", writes_question=True),
                Stage("answer", _SQUAD_FURTHER, sees="question", splits=_MEASURED),
            ),
        ),
    )
}


def find_task(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        raise UnknownNameError("task to annotate for", name, list(TASKS))
    return TASKS[name]


def with_overlap(task: Task, overlap: int) -> Task:
    """The task with as many people on the step that is blind; all parts of the data then have it."""
    if overlap < 1:
        raise UsageError("An item needs at least one annotator.")
    stages = list(task.stages)
    place = stages.index(blind_stage(stages))
    stages[place] = msgspec.structs.replace(stages[place], annotators=overlap, splits=())
    return msgspec.structs.replace(task, stages=tuple(stages))


def blind_stage(stages: Sequence[Stage]) -> Stage:
    """The last step in which answers are given, not those of others revised."""
    return next(stage for stage in reversed(stages) if stage.sees != "union")


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
