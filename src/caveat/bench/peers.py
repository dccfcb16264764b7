"""The contenders of a benchmark: processes in environments of their own that work in turns, and their figures."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Protocol, TypeVar

import msgspec

from caveat.bench.checkpoint import write_checkpoint
from caveat.bench.measure import Cell, in_ratio
from caveat.core.errors import CaveatError

Pairs = Sequence[tuple[str, str]]
T = TypeVar("T")

SCRIPTS = Path(__file__).parent / "contenders"
# Nothing is looked up or reported over the network while the clock runs.
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False"}

OURS = "caveat"
Figures = TypeVar("Figures")


class Contender(msgspec.Struct, frozen=True):
    """A reader or ranker: its name, the interpreter of its environment, the script that it runs."""

    name: str
    python: str
    script: Path
    # An environment of another program has nothing to find in this one's.
    own_environment: bool = True


class WorkerSettings(msgspec.Struct, frozen=True):
    """What a script is told first; `contenders/request_lines.py` reads it."""

    model: str
    threads: int
    window: int
    overlap: int
    longest_answer: int


class Answered(msgspec.Struct, frozen=True):
    """The best answer to each question, or the score of each pair in figures, the time, and the peak memory so far."""

    answers: list[str]
    seconds: float
    kilobytes: int


class _Ready(msgspec.Struct, frozen=True):
    versions: dict[str, str]


class ContenderError(CaveatError):
    """A contender could not be started, or stopped; the text is the reason."""


class Worker:
    """A running contender; a context manager that ends the process."""

    def __init__(self, contender: Contender, settings: WorkerSettings) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 – closed with the process
        try:
            self._process = subprocess.Popen(
                [contender.python, str(contender.script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(contender, settings.threads),
            )
        except OSError as error:
            self._errors.close()
            raise ContenderError(f"{contender.python}: {(error.strerror or str(error)).lower()}") from error
        try:
            self.versions = self._request(settings, _Ready).versions
        except BaseException:
            self.close()
            raise

    def answer(self, pairs: Pairs) -> Answered:
        """Answer pairs of question and text."""
        return self._request(pairs, Answered)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _request(self, value: Any, type: type[T]) -> T:
        stdin, stdout = self._process.stdin, self._process.stdout
        line = b""
        if stdin and stdout:
            try:
                stdin.write(msgspec.json.encode(value) + b"\n")
                stdin.flush()
                line = stdout.readline()
            except BrokenPipeError:
                pass
        try:
            return msgspec.json.decode(line, type=type)
        except msgspec.MsgspecError:
            raise ContenderError(self._last_words()) from None

    def _last_words(self) -> str:
        """The last line on standard error, which in Python is the reason."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it ended without a word")


def first_answer(contender: Contender, settings: WorkerSettings, pair: tuple[str, str]) -> float:
    """Seconds from the start of a process to its first answer."""
    begin = perf_counter()
    with Worker(contender, settings) as worker:
        worker.answer([pair])
        return perf_counter() - begin


def _environment(contender: Contender, threads: int) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not (contender.own_environment and name in ("PYTHONPATH", "PYTHONHOME"))
    }
    # The same number of threads for all, whichever library runs them.
    counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), str(threads))
    return {**kept, **_OFFLINE, **counts}


class Turns:
    """Running contenders by name, each with settings of its own; a context manager that ends their processes."""

    def __init__(self, contenders: Mapping[str, Contender], settings: Mapping[str, WorkerSettings]) -> None:
        self._contenders, self._settings = contenders, settings
        self._stack = ExitStack()
        self.workers: dict[str, Worker] = {}
        # Why some dropped out.
        self.failed: dict[str, str] = {}

    def each(self, action: Callable[[str], None]) -> None:
        """The same for all that are left; Caveat itself must not fail."""
        for name in [name for name in self._contenders if name not in self.failed]:
            try:
                action(name)
            except ContenderError as error:
                if name == OURS:
                    raise
                self.failed[name] = str(error)

    def start(self, warm_up: Pairs) -> None:
        """Start all, and have each answer something before anything is measured."""

        def start(name: str) -> None:
            self.workers[name] = self._stack.enter_context(
                Worker(self._contenders[name], self._settings[name])
            )
            self.workers[name].answer(warm_up)

        self.each(start)

    def __enter__(self) -> Turns:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


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


class Peer(msgspec.Struct, frozen=True):
    """Another reader or ranker: what its environment needs, and the script that runs in it."""

    packages: str
    script: Path


class Measurements(Protocol):
    """What was measured of one contender, with the packages that it ran with."""

    versions: dict[str, str]


def contenders_of(
    script: str, peers: Mapping[str, Peer], pythons: Mapping[str, str]
) -> tuple[dict[str, Contender], list[str]]:
    """Caveat with its script, and the peers for which there is an interpreter; a note on each of the others."""
    contenders = {OURS: Contender(OURS, sys.executable, SCRIPTS / script, own_environment=False)}
    notes = []
    for name, peer in peers.items():
        if name in pythons:
            contenders[name] = Contender(name, pythons[name], peer.script)
        else:
            notes.append(left_out(name, peer, f"--{name} names no interpreter"))
    return contenders, notes


def left_out(name: str, peer: Peer, reason: str) -> str:
    """Why a peer is not in the table, and how it would be."""
    return (
        f"{name} is left out: {reason}. An environment for it: `python -m venv peers/{name}`, then "
        f"`peers/{name}/bin/pip install {peer.packages}`, then `--{name} peers/{name}/bin/python`."
    )


def with_ratios(
    label: str,
    courses: Mapping[str, Figures],
    columns: Sequence[str],
    show: Callable[[Figures], Cell],
    times: Callable[[Figures], list[float]],
) -> tuple[Cell, ...]:
    """A row: ours, which is the first of the columns, and each peer's figure with its ratio to ours and the spread.

    A ratio is above 1 where Caveat is better.
    """
    ours = courses[columns[0]]
    cells: list[Cell] = [label, show(ours)]
    for name in columns[1:]:
        if (course := courses.get(name)) is None:
            cells += [None, None, None]
            continue
        cells += [show(course), *in_ratio(times(course), times(ours))]
    return tuple(cells)


def without_ratios(
    label: str, courses: Mapping[str, Figures], columns: Sequence[str], show: Callable[[str], Cell]
) -> tuple[Cell, ...]:
    """A row of figures that have no ratio, each as `show` has it by the contender's name."""
    cells: list[Cell] = [label, show(columns[0])]
    for name in columns[1:]:
        cells += [show(name) if name in courses else None, None, None]
    return tuple(cells)


def columns_of(peers: Iterable[str], measured: Iterable[Mapping[str, object]]) -> list[str]:
    """Caveat, and those of the peers of which something was measured."""
    there = {name for courses in measured for name in courses}
    return [OURS, *(name for name in peers if name in there)]


def heads_of(columns: Sequence[str]) -> tuple[str, ...]:
    """The head of a table whose rows have ratios."""
    return "", columns[0], *(cell for name in columns[1:] for cell in (name, "ratio", "spread"))


def versions_of(measured: Iterable[Mapping[str, Measurements]]) -> list[str]:
    """A note on each contender: which packages it ran with."""
    versions = {
        name: ", ".join(f"{package} {version}" for package, version in course.versions.items())
        for courses in measured
        for name, course in courses.items()
    }
    return [f"{name} ran with {packages}." for name, packages in versions.items()]
