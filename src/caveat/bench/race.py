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
from caveat.bench.worker import Contender, ContenderError, Worker, WorkerSettings, first_answer

__all__ = ["DOCUMENT", "OURS", "TIMES", "Course", "race"]

Watch = Callable[[Iterable[Any], int], Iterable[Any]]

OURS = "caveat"
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
    failed: dict[str, str] = {}
    workers: dict[str, Worker] = {}
    with ExitStack() as stack:
        of = dict.fromkeys(contenders, settings)
        if len(contenders) > 1:
            checkpoint = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="caveat-bench-")))
            write_checkpoint(Path(settings.model), checkpoint)
            theirs = msgspec.structs.replace(settings, model=str(checkpoint))
            of = {**dict.fromkeys(contenders, theirs), OURS: settings}

        def each(action: Callable[[str], None]) -> None:
            """In turns; a peer that fails is out, Caveat must not."""
            for name in [name for name in contenders if name not in failed]:
                try:
                    action(name)
                except ContenderError as error:
                    if name == OURS:
                        raise
                    failed[name] = str(error)
                    courses.pop(name, None)

        def start(name: str) -> None:
            workers[name] = stack.enter_context(Worker(contenders[name], of[name]))
            workers[name].answer(asked.pairs[:_WARM_UP])
            courses[name] = Course(workers[name].versions)

        def answer_all(number: int, name: str) -> None:
            # Caveat keeps the tokens of a text for the next question; one more blank makes it another text.
            found = workers[name].answer([(q, text + " " * number) for q, text in asked.pairs])
            course = courses[name]
            course.all_questions.append(found.seconds)
            if number == 1:
                course.answers, course.kilobytes = found.answers, found.kilobytes

        def answer_documents(number: int, name: str) -> None:
            worker, course = workers[name], courses[name]
            short = asked.documents(DOCUMENT, number * _DOCUMENTS, _DOCUMENTS)
            course.document.append(median(worker.answer([pair]).seconds for pair in short))
            course.long_document.append(worker.answer(asked.documents(TIMES * DOCUMENT, number, 1)).seconds)

        def start_cold(name: str) -> None:
            courses[name].cold_start.append(first_answer(contenders[name], of[name], asked.pairs[0]))

        each(start)
        for number in watch(range(1, repeats + 1), repeats):
            each(partial(answer_all, number))
            each(partial(answer_documents, number))
            each(start_cold)
    return courses, failed
