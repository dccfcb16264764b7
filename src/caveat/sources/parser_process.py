"""Parsers of formats that are large and often attacked, in a process of their own, which is used again.

What they take of time and memory is limited, and where they crash only that process ends: the next file gets a new
one. What comes back is plain data, checked against its type; nothing of it is executed.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from threading import Lock, Timer
from typing import BinaryIO, TypeVar, cast

import msgspec

from caveat.core.errors import CaveatError, InputError
from caveat.core.limits import Limits, current_limits, over
from caveat.sources.parser_worker import (
    PARSERS,
    TOO_LARGE,
    Order,
    Outcome,
    outcome_of,
    read_frame,
    too_large,
    write_frame,
)

_Parsed = TypeVar("_Parsed")

# The modules are found where this process found them.
_START = "import sys; sys.path[:] = sys.argv[1:]; from caveat.sources.parser_worker import main; main()"
# A machine with much else to do may take long to start a process.
_START_SECONDS = 60
# A process that has had more than this in its hands is not used again, since it may keep the memory.
_MOST_KEPT = 32 << 20


def parse_apart(parser: str, data: bytes, type: type[_Parsed]) -> _Parsed:
    """What the parser of this name finds in the bytes of a file; InputError where it cannot be read within the limits.

    One file at a time, whatever the number of threads.
    """
    if not is_installed(parser):
        _, files, package, install = PARSERS[parser]
        raise CaveatError(f"Reading {files} needs {package}: {install}")
    order = Order(parser, current_limits())
    with _lock:
        outcome = _parsed(order, data) if _can_start() else outcome_of(order, data)
    if outcome.kind == "other":
        raise CaveatError(outcome.problem)
    if outcome.kind != "read":
        raise InputError(outcome.problem)
    return msgspec.msgpack.decode(outcome.value, type=type)


def is_installed(parser: str) -> bool:
    """Whether the package is there that the parser of this name needs."""
    package = PARSERS[parser].package
    try:
        return find_spec(package) is not None
    except ValueError:  # taken away while the program runs
        return False


def _can_start() -> bool:
    """Whether another Python can be started: a program that was frozen would start itself."""
    return bool(sys.executable) and not getattr(sys, "frozen", False) and sys.platform != "emscripten"


class _Child:
    """The process, once it has started."""

    def __init__(self) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, *map(str, sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise CaveatError(f"The process of the parsers cannot be started: {error}.") from error
        self._orders, self._outcomes = (
            cast(BinaryIO, self._process.stdin),
            cast(BinaryIO, self._process.stdout),
        )
        self._late = False
        with self._at_most(_START_SECONDS):
            started = self._received(0) is not None
        if not started:
            self.end()
            raise CaveatError(f"The process of the parsers does not start with {sys.executable}.")

    def parse(self, order: Order, data: bytes) -> Outcome | None:
        """The outcome, or nothing where the process came to an end."""
        with self._at_most(order.limits.seconds):
            with suppress(OSError):
                write_frame(self._orders, msgspec.msgpack.encode(order))
                write_frame(self._orders, data)
            content = self._received(order.limits.memory_bytes)
        return None if content is None else msgspec.msgpack.decode(content, type=Outcome)

    @contextmanager
    def _at_most(self, seconds: float) -> Iterator[None]:
        """End the process where what is done inside takes longer; what is waited for ends with it."""
        timer = Timer(seconds, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _give_up(self) -> None:
        self._late = True
        self._process.kill()

    def _received(self, most: int) -> bytes | None:
        try:
            return read_frame(self._outcomes, most)
        except (OSError, EOFError):
            return None

    def end(self) -> None:
        """Nothing is lost with it."""
        self._process.kill()
        self._process.wait()
        self.let_go()

    def let_go(self) -> None:
        """Close this side of the pipes."""
        for stream in (self._orders, self._outcomes):
            with suppress(OSError):
                stream.close()

    def death(self, limits: Limits) -> str:
        """What is to be said of the file that it ended over."""
        if self._late:
            return over("seconds", f"takes more than {limits.seconds:,} s to read").problem
        code = self._process.wait()
        if code == TOO_LARGE:
            return too_large(limits)
        try:
            reason = signal.Signals(-code).name
        except ValueError:
            reason = f"code {code}"
        memory = f"takes more than {limits.memory_bytes:,} bytes of memory to read"
        return over("memory_bytes", f"made its parser crash ({reason}): it is damaged, or {memory}").problem


# The process, of which there is at most one.
_child: _Child | None = None
_lock = Lock()


def _parsed(order: Order, data: bytes) -> Outcome:
    global _child
    child = _child = _child or _Child()
    used_up = True
    try:
        outcome = child.parse(order, data)
        if outcome is None:
            return Outcome("input", problem=child.death(order.limits))
        used_up = outcome.kind == "memory" or len(data) + memoryview(outcome.value).nbytes > _MOST_KEPT
        return outcome
    finally:
        # Also where an interrupt left it in the middle of something.
        if used_up:
            _end()


def _end() -> None:
    global _child
    if _child is not None:
        _child.end()
        _child = None


def _forget() -> None:
    """In a process that was forked: the child belongs to the one it was forked from."""
    global _child, _lock
    if _child is not None:
        _child.let_go()
    _child, _lock = None, Lock()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
