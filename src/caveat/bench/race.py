"""Contenders measured in turns, so that a busy machine slows all alike."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from caveat.bench.checkpoint import write_checkpoint
from caveat.bench.questions import Questions
from caveat.bench.turns import OURS, Turns
from caveat.bench.worker import Contender, WorkerSettings, first_answer

__all__ = ["DOCUMENT", "OURS", "TIMES", "Course", "race", "settings_of"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]

# Characters of a document, and how much longer the long one is.
DOCUMENT, TIMES = 2000, 10
# Documents of that length in a repeat, and questions before the first.
_DOCUMENTS, _WARM_UP = 5, 16


class Course(msgspec.Struct):
    """What was measured of one contender: seconds, a number a repeat; peak memory and answers of the first."""

    versions: dict[str, str]
    all_questions: list[float] = []
    cold_start: list[float] = []
    document: list[float] = []
    long_document: list[float] = []
    kilobytes: int = 0
    answers: list[str] = []


def race(
    contenders: Mapping[str, Contender],
    settings: WorkerSettings,
    asked: Questions,
    repeats: int,
    watch: Watch = lambda items, total: items,
) -> tuple[dict[str, Course], dict[str, str]]:
    """What was measured, by contender, and why some dropped out; the peers get the settings' model as a checkpoint.

    All load and warm up first. In each repeat all answer the whole set, then documents one at a time, then their
    first question in a new process.
    """
    courses: dict[str, Course] = {}
    with ExitStack() as stack:
        of = settings_of(contenders, settings, stack)
        turns = stack.enter_context(Turns(contenders, of))

        def answer_all(number: int, name: str) -> None:
            # Caveat keeps the tokens of a text for the next question; one more blank makes it another text.
            found = turns.workers[name].answer([(q, text + " " * number) for q, text in asked.pairs])
            course = courses[name]
            course.all_questions.append(found.seconds)
            if number == 1:
                course.answers, course.kilobytes = found.answers, found.kilobytes

        def answer_documents(number: int, name: str) -> None:
            worker, course = turns.workers[name], courses[name]
            short = asked.documents(DOCUMENT, number * _DOCUMENTS, _DOCUMENTS)
            course.document.append(median(worker.answer([pair]).seconds for pair in short))
            course.long_document.append(worker.answer(asked.documents(TIMES * DOCUMENT, number, 1)).seconds)

        def start_cold(name: str) -> None:
            courses[name].cold_start.append(first_answer(contenders[name], of[name], asked.pairs[0]))

        turns.start(asked.pairs[:_WARM_UP])
        courses.update({name: Course(worker.versions) for name, worker in turns.workers.items()})
        for number in watch(range(1, repeats + 1), repeats):
            turns.each(partial(answer_all, number))
            turns.each(partial(answer_documents, number))
            turns.each(start_cold)
    return {name: course for name, course in courses.items() if name not in turns.failed}, turns.failed


def settings_of(
    contenders: Mapping[str, Contender], settings: WorkerSettings, stack: ExitStack
) -> dict[str, WorkerSettings]:
    """The settings of each: a peer's model is a checkpoint with the same weights, as long as the stack lasts."""
    if len(contenders) == 1:
        return dict.fromkeys(contenders, settings)
    checkpoint = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="caveat-bench-")))
    write_checkpoint(Path(settings.model), checkpoint)
    theirs = msgspec.structs.replace(settings, model=str(checkpoint))
    return {**dict.fromkeys(contenders, theirs), OURS: settings}
