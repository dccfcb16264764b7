"""The verbs on a benchmark: count, check and compare its data, answer its questions, score and analyse the answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from caveat.benchmarks.registry import DATA_SETS, RULES, TASKS, tasks_with
from caveat.benchmarks.registry import task as find_task
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import (
    Analysed,
    Analysis,
    DataFiles,
    EvaluationOptions,
    Predicted,
    Prediction,
    Scorer,
    Task,
    Through,
    named_models,
    options_for,
    refuse_foreign,
)
from caveat.core.errors import CaveatError, UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.spreading import Spread, Stream, here

if TYPE_CHECKING:
    from caveat.benchmarks.shared.passage import TextQuestion
    from caveat.benchmarks.shared.reading_prediction import SpanAnswer


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


def predict(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    model: PathLike | Sequence[PathLike] | None = None,
    through: Through = iter,
    spread: Spread = here,
    **options: Any,
) -> Predicted:
    """Answer every question of a data file and write the predictions to `out`.

    `model` is a model's name or folder, or several where the task takes several; without one it is the embedded model
    that fits the task. The options are those of the task's prediction (`kb`, `documents`, `na_prob_out` …); what it
    does not take is refused. `through` is handed what was found as it comes, for a progress bar. `spread` is where the
    questions are answered, if not in this process; what is written is the same.
    """
    prediction = _prediction(task)
    if spread is not here:
        from caveat.models.language_model.endpoint import is_endpoint

        taken = prediction.options.__struct_fields__
        if "spread" not in taken:
            raise UsageError(f"The task {task} is answered in one process: it does not take --ray.")
        if any(map(is_endpoint, named_models(model))):
            raise UsageError(
                "A language model is asked by one process, which keeps its budget: --model openai:URL#NAME and --ray "
                "do not go together."
            )
        options["spread"] = spread
        if "threads" in taken and options.get("threads") is None:
            options["threads"] = 1  # others work beside it
    chosen = options_for(task, prediction.options, options, model)
    return prediction.run(data, out, chosen, through)


def questions_in(task: str, files: DataFiles) -> int:
    """How many questions a data file has for the prediction, by reading it."""
    _prediction(task)
    return sum(1 for _ in TASKS[task].read(files))


def read_asked(task: str, data: PathLike) -> Iterator[TextQuestion]:
    """The questions of a data file of a task whose answer is one span of a text."""
    yield from TASKS[task].read(DataFiles(data))


def submitted(task: str, prediction: SpanAnswer) -> str:
    """The text that goes into the task's submission for what a reader found."""
    # Imported only here: what scores and counts needs no models.
    from caveat.benchmarks.shared.reading_prediction import submitted_text

    return submitted_text(prediction, may_be_none=TASKS[task].may_be_none)


def _prediction(task: str) -> Prediction[Any]:
    found = TASKS[task].predict if task in TASKS else None
    if found is None:
        raise UnknownNameError("task with predictions", task, tasks_with("predict"))
    return found()


def evaluate(
    task: str, gold: PathLike, pred: PathLike, options: EvaluationOptions = EvaluationOptions()
) -> Scored:
    """Soundly: a missing prediction is wrong, and what is missing or unknown is listed."""
    found = find_task(task)
    return _evaluate(found, found.score, gold, pred, options)


def evaluate_official(
    task: str, gold: PathLike, pred: PathLike, options: EvaluationOptions = EvaluationOptions()
) -> Scored:
    """As the benchmark's published scorer does, quirks included."""
    found = find_task(task)
    return _evaluate(found, found.score_official, gold, pred, options)


def floors(task: str, gold: PathLike, options: EvaluationOptions = EvaluationOptions()) -> dict[str, Scored]:
    """What trivial systems score on a gold file, so that a score can be read."""
    found = find_task(task)
    if found.floors is None:
        raise CaveatError(
            f"The task {task} has no trivial floors; these have: {', '.join(tasks_with('floors'))}."
        )
    return found.floors(gold, options)


def analyse(
    task: str,
    gold: PathLike,
    pred: PathLike | None = None,
    *,
    model: PathLike | None = None,
    through: Through = iter,
    **options: Any,
) -> Analysed:
    """What a system gets right and wrong, by kind: that of a prediction file, or the one that the task analyses.

    The options are those of the task's analysis; `task` may also name a data set. `through` is handed what is worked
    through, for a progress bar.
    """
    among = (TASKS, DATA_SETS)
    found: Any = next((names[task] for names in among if task in names), None)
    if found is None:
        raise UnknownNameError("task or data set", task, [name for names in among for name in names])
    if found.analyse is None:
        able = ", ".join(tasks_with("analyse", among))
        raise CaveatError(f"The task {task} has no analysis; these have: {able}.")
    if pred is not None:
        _one_standard_input(gold, pred)
    analysis: Analysis[Any] = found.analyse()
    chosen = options_for(task, analysis.options, {"pred": pred, **options}, model)
    return analysis.run(gold, chosen, through)


def _evaluate(
    task: Task, scorer: Scorer, gold: PathLike, pred: PathLike, options: EvaluationOptions
) -> Scored:
    _one_standard_input(gold, pred)
    refuse_foreign(task.name, options, EvaluationOptions(), task.options)
    return scorer(gold, pred, options)


def _one_standard_input(gold: PathLike, pred: PathLike) -> None:
    if str(gold) == str(pred) == "-":
        raise UsageError("Only one of the gold and the prediction file can be standard input.")
