"""What a task can say of data alone: statistics, findings, agreement of annotators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from caveat.benchmarks.registry import DATA_SETS, RULES, TASKS
from caveat.benchmarks.registry import task as find_task
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.findings import Finding
from caveat.benchmarks.task import DataFiles, Task, refuse_foreign
from caveat.core.errors import CaveatError, UnknownNameError
from caveat.core.files import PathLike
from caveat.core.spreading import Spread, Stream, here


def stats(task: str, files: DataFiles | PathLike) -> Tables:
    """The tables of the benchmark's paper, for this data; `task` may also name a data set that is no task."""
    files = _files(files)
    if task not in TASKS and task in DATA_SETS:
        refuse_foreign(task, files, DataFiles(files.data), ())
        return DATA_SETS[task].statistics(files.data)
    found = _task(task)
    refuse_foreign(task, files, DataFiles(files.data), found.companions)
    return found.statistics(files)


def check(task: str, files: DataFiles | PathLike, rules: Collection[str] = ()) -> Iterator[Finding]:
    """What is wrong with the data, as a stream; only by the named rules, if any are named."""
    files = _files(files)
    for rule in rules:
        if rule not in RULES:
            raise UnknownNameError("rule", rule, sorted(RULES))
    if task not in TASKS and task in DATA_SETS:
        checker = DATA_SETS[task].check
        if checker is None:
            raise CaveatError(f"There are no rules for {task} yet.")
        refuse_foreign(task, files, DataFiles(files.data), ())
        findings = checker(files.data)
    else:
        found = _task(task)
        refuse_foreign(task, files, DataFiles(files.data), found.companions)
        findings = found.check(files)
    for finding in findings:
        if not rules or finding.rule in rules:
            yield finding


def check_files(
    task: str, files: Sequence[DataFiles], rules: Collection[str] = (), spread: Spread = here
) -> Iterator[Finding]:
    """The same of several files, one after the other; `spread` says where each is checked, if not here."""
    if spread is here:
        for each in files:
            yield from check(task, each, rules)
        return
    for found in spread(partial(_checking, task, frozenset(rules)), files, 1):
        yield from found


def _checking(task: str, rules: Collection[str]) -> Stream:
    def findings(files: Iterable[DataFiles]) -> Iterator[list[Finding]]:
        for each in files:
            found: list[Finding] = []
            try:
                found.extend(check(task, each, rules))
            except CaveatError:
                yield found  # what was found before the rest could not be read
                raise
            yield found

    return findings


def untried_rules(task: str, files: DataFiles) -> dict[str, tuple[str, ...]]:
    """A companion that is not given → the rules that `check` cannot try without it."""
    if task not in TASKS or (untried := TASKS[task].untried_rules) is None:
        return {}
    return {companion: tuple(rules) for companion, rules in untried(files).items() if rules}


def agreement(task: str, files: Sequence[PathLike]) -> dict[str, object]:
    """How far the annotators of one file, or of several files, agree."""
    found = find_task(task)
    if found.agreement is None:
        raise CaveatError(
            f"The task {task} has no measure of agreement: its data has one label a candidate and no annotators."
        )
    return found.agreement(files)


def _files(given: DataFiles | PathLike) -> DataFiles:
    return given if isinstance(given, DataFiles) else DataFiles(given)


def _task(name: str) -> Task:
    if name not in TASKS:
        raise UnknownNameError("task or data set", name, [*TASKS, *DATA_SETS])
    return find_task(name)
