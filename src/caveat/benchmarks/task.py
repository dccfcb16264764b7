"""A task: one benchmark, how its files are read, predicted, scored, counted and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import Table, Tables
from caveat.benchmarks.shared.described_sets import DescribedSets
from caveat.benchmarks.shared.scores import Scored
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.spreading import Spread, here


class EvaluationOptions(msgspec.Struct, frozen=True):
    """What some benchmarks' scorers can be told; each has its published default."""

    first: int | None = None
    na_prob: PathLike | None = None
    na_threshold: float = 1.0
    skip_no_answer: bool = False
    # A rank up to which accuracy is told, beside 1, 2 and 3.
    at: int | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.na_threshold):
            raise UsageError("The threshold for “no answer” must be a number.")


class DataFiles(msgspec.Struct, frozen=True):
    """A data file and the companions some formats need."""

    data: PathLike
    documents: PathLike | None = None
    tables: PathLike | None = None
    kb: PathLike | None = None
    mentions: PathLike | None = None


class Predicted(msgspec.Struct, frozen=True):
    """What a run of predictions did."""

    task: str
    model: str
    questions: int
    unanswered: int
    seconds: float

    def remarks(self, out: str) -> list[str]:
        """What is said of the run once the predictions are in `out`."""
        rate = self.questions / self.seconds if self.seconds else 0.0
        predictions = f"{self.questions:,} prediction{'' if self.questions == 1 else 's'}"
        return [
            f"{predictions} written to {out}, {self.unanswered:,} of them empty, "
            f"in {self.seconds:.1f} s ({rate:.1f} questions a second)."
        ]


class Shown(msgspec.Struct, frozen=True):
    """A result for a person: figures under their titles, tables, and remarks."""

    figures: Mapping[str, Mapping[str, Any]] = {}
    tables: tuple[Table, ...] = ()
    remarks: tuple[str, ...] = ()


class Analysed(Protocol):
    """What an analysis found: a record, printed as JSON as it is."""

    def shown(self) -> Shown:
        """The same for a person."""
        ...


Options = TypeVar("Options", bound=msgspec.Struct)
# Handed what a run works through, as it comes: for a progress bar.
Through = Callable[[Iterable[Any]], Iterable[Any]]


class Prediction(msgspec.Struct, Generic[Options], frozen=True):
    """How a task's questions are answered: from data to a file of predictions, with the options that it takes.

    The fields of the options' record are these options; `models` takes several models, `model` one, and `spread` is
    where the work is done (`caveat.core.spreading`), of those that can be done in several places.
    """

    options: type[Options]
    run: Callable[[PathLike, PathLike, Options, Through], Predicted]


class ModelOptions(msgspec.Struct, frozen=True):
    """What predictions by models that read windows have in common; a task adds which models, and what else it takes."""

    window: int | None = None
    stride: int | None = None
    threads: int | None = None
    spread: Spread = here
    # How much a language model among the models may be used.
    budget: str | None = None


class Analysis(msgspec.Struct, Generic[Options], frozen=True):
    """What can be said of a gold file and a system beyond its scores, with the options that it takes."""

    options: type[Options]
    run: Callable[[PathLike, Options, Through], Analysed]


Scorer = Callable[[PathLike, PathLike, EvaluationOptions], Scored]
Counter = Callable[[DataFiles], Tables]
Checker = Callable[[DataFiles], Iterator[Finding]]
# Scores of agreement from several annotators' files, or from one file that holds several annotations.
Agreement = Callable[[Sequence[PathLike]], dict[str, object]]
# Trivial systems whose scores say what a score is worth, by name.
Floors = Callable[[PathLike, EvaluationOptions], dict[str, Scored]]
# A companion that is not given → the rules that are not tried without it.
Untried = Callable[[DataFiles], Mapping[str, Collection[str]]]


class Task(msgspec.Struct, frozen=True):
    """One benchmark; `score` is sound, `score_official` is the published scorer, quirks included."""

    name: str
    summary: str
    gold: str
    predictions: str
    # The questions of a data file, one record each, as its prediction answers them.
    read: Callable[[DataFiles], Iterable[Any]]
    score: Scorer
    score_official: Scorer
    statistics: Counter
    check: Checker
    # Called for what is imported only then: the models that answer, what an analysis needs.
    predict: Callable[[], Prediction[Any]] | None = None
    analyse: Callable[[], Analysis[Any]] | None = None
    agreement: Agreement | None = None
    floors: Floors | None = None
    untried_rules: Untried | None = None
    # Its sets, where it has several that are reported together.
    sets: Callable[[], DescribedSets] | None = None
    # The file of this room that has the figures of its paper's systems; none: there are no such.
    published: str = ""
    # Whether a question's answer may be none.
    may_be_none: bool = False
    options: frozenset[str] = frozenset({"first"})
    # Which of the files beside the data it can use.
    companions: frozenset[str] = frozenset()


class DataSet(msgspec.Struct, frozen=True):
    """Data that is no task of its own: how it is counted and, where there are rules for it, checked."""

    name: str
    statistics: Callable[[PathLike], Tables]
    check: Callable[[PathLike], Iterator[Finding]] | None = None
    analyse: Callable[[], Analysis[Any]] | None = None


Given = TypeVar("Given", bound=msgspec.Struct)


def refuse_foreign(task: str, given: Given, default: Given, allowed: Collection[str]) -> None:
    """Raise for what was given though the task has no use for it: the user expects something of it."""
    for field in msgspec.structs.fields(given):
        name = field.name
        if name not in allowed and getattr(given, name) != getattr(default, name):
            raise _foreign(task, name)


def named_models(model: PathLike | Sequence[PathLike] | None) -> tuple[PathLike, ...]:
    """The models of an argument that takes one, several or none."""
    if model is None:
        return ()
    return (model,) if isinstance(model, str | Path) else tuple(model)


def options_for(
    task: str,
    options: type[Options],
    given: Mapping[str, Any],
    model: PathLike | Sequence[PathLike] | None = None,
) -> Options:
    """The options of a task as its record, without those that are None; raises for what it does not take."""
    taken = {field.name for field in msgspec.structs.fields(options)}
    values = {name: value for name, value in given.items() if value is not None}
    models = named_models(model)
    if models and "models" in taken:
        values["models"] = models
    elif len(models) > 1 and "model" in taken:
        raise UsageError(f"The task {task} does not take several models.")
    elif models:
        values["model"] = models[0]
    for name in values:
        if name not in taken:
            raise _foreign(task, name)
    return options(**values)


def _foreign(task: str, option: str) -> UsageError:
    return UsageError(f"The task {task} does not take --{option.replace('_', '-')}.")
