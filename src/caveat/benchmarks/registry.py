"""The tasks by name; a task's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from caveat.benchmarks.task import Task
from caveat.core.errors import UnknownNameError

__all__ = ["TASKS", "task"]

TASKS: dict[str, str] = {
    "mrqa": "mrqa.task",
    "squad": "squad.task",
    "squad2": "squad.squad2_task",
    "cmrc2018": "cmrc2018.task",
    "cmqa": "cmqa.task",
    "multispan": "multispan.task",
    "conditionalqa": "conditionalqa.task",
    "nlpcc-kbqa": "nlpcc.kbqa.task",
    "nlpcc-dbqa": "nlpcc.dbqa.task",
    "nlpcc-tbqa": "nlpcc.tbqa.task",
}


def task(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        raise UnknownNameError("task", name, list(TASKS))
    found = import_module(f"caveat.benchmarks.{TASKS[name]}").TASK
    assert isinstance(found, Task)
    return found
