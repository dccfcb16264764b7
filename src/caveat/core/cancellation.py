"""Work that may be given up while it is done: loops that may take long call `checkpoint`, which costs next to nothing.

Whoever waits for the work says with `checked_by` what is to be called there; it raises `GivenUpError` once nobody
waits any more, or sleeps while it is the turn of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
