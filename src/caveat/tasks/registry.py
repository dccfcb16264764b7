"""The tasks by name; a task's module is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from caveat.errors import UnknownNameError
from caveat.tasks.task import Task

__all__ = ["TASKS", "task"]

TASKS: dict[str, str] = {
    "mrqa": "mrqa",
    "squad": "squad",
    "squad2": "squad2",
    "cmrc2018": "cmrc2018",
    "cmqa": "cmqa",
    "multispan": "multispan",
    "conditionalqa": "conditionalqa",
    "nlpcc-kbqa": "nlpcc_kbqa",
    "nlpcc-dbqa": "nlpcc_dbqa",
    "nlpcc-tbqa": "nlpcc_tbqa",
}


def task(name: str) -> Task:
    """The task of that name."""
    if name not in TASKS:
        raise UnknownNameError("task", name, list(TASKS))
    found = import_module(f"caveat.tasks.{TASKS[name]}").TASK
    assert isinstance(found, Task)
    return found
