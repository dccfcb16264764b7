"""How much of anything is read, so that nothing hangs or fills the memory, and work that may be given up meanwhile.

`with limits(question=5000): …` in Python; `CAVEAT_LIMITS="question=5000,pages=10000"` in the environment for
everything, the commands too. Loops that may take long call `checkpoint`, which costs next to nothing. Whoever waits for
the work says with `checked_by` what is to be called there; it raises `GivenUpError` once nobody waits any more, or
sleeps while it is the turn of others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import msgspec

from caveat.core.errors import InputError, UnknownNameError, UsageError

VARIABLE = "CAVEAT_LIMITS"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What is above any of these is refused or cut, and said to be."""

    # Characters of a question, and of what the asker says about themselves.
    question: int = 2_000
    scenario: int = 20_000
    # Bytes, after decompression, of a source (`ask`) and of a file of data (`eval`, `convert`) that is held in memory.
    source_bytes: int = 256 << 20
    data_bytes: int = 4 << 30
    # Cells of the tables of one file, filled or padded.
    cells: int = 20_000_000
    # Pages of a PDF, and bytes of one of its streams once it is uncompressed.
    pages: int = 5_000
    stream_bytes: int = 64 << 20
    # Seconds and bytes of memory that the parser of a PDF or an office file may take.
    seconds: int = 60
    memory_bytes: int = 2 << 30
    # Elements of a web page inside of one another.
    nesting: int = 512
    # Files of a folder, and bytes of all indexes in the cache folder together.
    files: int = 100_000
    cache_bytes: int = 1 << 30
    # Answers of a question of ConditionalQA: which belong to which takes the cube of their number.
    answers: int = 200
    # Bytes of a request, and seconds that a client may take to send it.
    request_bytes: int = 256 << 10
    request_seconds: int = 30
    # Bytes of a request to the API, which may hold files; sources in it; characters of the name of one.
    body_bytes: int = 32 << 20
    request_sources: int = 100
    source_name: int = 255
    # Requests that are answered or wait to be, seconds until one is given up, and until a silent client is.
    waiting: int = 256
    answer_seconds: int = 120
    idle_seconds: int = 75


# Beyond a year, timers overflow; beyond 2^60, sizes do.
_MOST_SECONDS, _MOST = 366 * 24 * 3600, 1 << 60

_NAMES = [field.name for field in msgspec.structs.fields(Limits)]
_chosen: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits:
    """Those that were chosen, else those of the environment, else the defaults."""
    return _chosen.get() or _of_environment(os.environ.get(VARIABLE, ""))


@contextmanager
def limits(**changed: int) -> Iterator[Limits]:
    """Other limits for what is done inside; those not named stay as they are."""
    token = _chosen.set(_changed(current_limits(), changed))
    try:
        yield current_limits()
    finally:
        _chosen.reset(token)


@cache
def _of_environment(text: str) -> Limits:
    changed: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, value = part.partition("=")
        try:
            changed[name.strip()] = int(value.replace("_", ""))
        except ValueError:
            raise UsageError(
                f"{VARIABLE} is a list such as question=5000,pages=10000, got {part!r}."
            ) from None
    return _changed(Limits(), changed)


def _changed(before: Limits, changed: dict[str, int]) -> Limits:
    for name, value in changed.items():
        if name not in _NAMES:
            raise UnknownNameError("limit", name, _NAMES)
        if value < 1:
            raise UsageError(f"The limit {name} must be above 0, got {value}.")
        most = _MOST_SECONDS if name.endswith("seconds") else _MOST
        if value > most:
            raise UsageError(f"The limit {name} must be at most {most:,}, got {value:,}.")
    return msgspec.structs.replace(before, **changed)


def over(name: str, what: str, *, path: str | os.PathLike[str] | None = None) -> InputError:
    """The error that something is above a limit: `what` has more than the limit says."""
    most = getattr(current_limits(), name)
    problem = f"{what} (the limit `{name}` is {most:,}; {VARIABLE}={name}=… changes it)"
    return InputError(problem, path=None if path is None else str(path))


_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


class GivenUpError(BaseException):
    """Nobody waits for the work any more.

    No Exception, as asyncio's CancelledError is none: what turns whatever a parser raises into a sentence must not
    take it for a damaged file.
    """


def checkpoint() -> None:
    """A place where the work may be given up."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def checked_by(check: Callable[[], None]) -> Iterator[None]:
    """Call `check` at each checkpoint of what is done inside, in this thread."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
