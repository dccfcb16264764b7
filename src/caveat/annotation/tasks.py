"""The tasks that data can be annotated for: what each allows, and the steps by which its paper's data came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from caveat.annotation.records import Kind, LinkKind, Stage, Task
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
