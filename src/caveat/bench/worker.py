"""A contender at work: a process in an environment of its own that loads once and answers as often as it is asked."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, TypeVar

import msgspec

from caveat.core.errors import CaveatError

__all__ = [
    "SCRIPTS",
    "Answered",
    "Contender",
    "ContenderError",
    "Pairs",
    "Worker",
    "WorkerSettings",
    "first_answer",
]

Pairs = Sequence[tuple[str, str]]
T = TypeVar("T")

SCRIPTS = Path(__file__).parent / "contenders"
# Nothing is looked up or reported over the network while the clock runs.
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HAYSTACK_TELEMETRY_ENABLED": "False"}


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
    """The best answer to each question, or the score of each pair in figures, the time, the peak memory until now."""

    answers: list[str]
    seconds: float
    kilobytes: int


class _Ready(msgspec.Struct, frozen=True):
    versions: dict[str, str]


class ContenderError(CaveatError):
    """A contender could not be started, or stopped; the text is the reason."""


class Worker:
    """A running contender; a context, at whose end the process ends."""

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
    # Whatever library runs the threads, as many for all.
    counts = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), str(threads))
    return {**kept, **_OFFLINE, **counts}
