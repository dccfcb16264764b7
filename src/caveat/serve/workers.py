"""Threads for the work of requests, so that what takes long does not hold what is soon done.

What is large takes long; of the rest nobody can tell beforehand. So the rest begins in a short turn, of which there are
few at a time, and takes long if it is not done by its end. Of what takes long only one piece runs at any moment, each
for a slice of time (a multilevel feedback queue). Work that nobody waits for any more ends at its next checkpoint.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Condition
from time import monotonic
from typing import Any, TypeVar

from caveat.core.limits import GivenUpError, checked_by, current_limits

LARGE = 100_000
"""Characters, of all that a request brings, from which on it takes long."""
# How long a short turn is, and a slice of time of the work that takes longer.
_SHORT_SECONDS, _SLICE_SECONDS = 1.0, 0.25
# Work that has not come to a checkpoint for so long after its slice is not waited for: it may itself be waiting.
_GRACE_SECONDS = 1.0

Result = TypeVar("Result")


class _Job:
    """A piece of work: whether it takes long, and whether anybody waits for it."""

    def __init__(self, is_wanted: Callable[[], bool], long: bool = False) -> None:
        self.is_wanted, self.long = is_wanted, long
        self.given_up = False

    def check(self) -> None:
        if self.given_up or not self.is_wanted():
            raise GivenUpError


class _Slices:
    """Who of the long work runs: one at a time, in turn."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._running: _Job | None = None
        self._until = 0.0
        self._waiting: deque[_Job] = deque()

    def await_turn(self, job: _Job) -> None:
        """Return once it is the job's turn, at once where it still is or nobody else waits."""
        with self._changed:
            if self._running is job:
                if monotonic() < self._until or not self._waiting:
                    return
                self._next()
            elif self._running is None and not self._waiting:
                self._begin(job)
                return
            self._waiting.append(job)
            if self._running is None:
                self._next()
            try:
                while self._running is not job:
                    # Awake now and then: that a client left is told to nobody.
                    self._changed.wait(_SLICE_SECONDS)
                    job.check()
                    if monotonic() > self._until + _GRACE_SECONDS:
                        self._next()
            except GivenUpError:
                self.leave(job)
                raise

    def leave(self, job: _Job) -> None:
        """The job is done, or given up."""
        with self._changed:
            if self._running is job:
                self._next()
            elif job in self._waiting:
                self._waiting.remove(job)

    def _begin(self, job: _Job) -> None:
        self._running, self._until = job, monotonic() + _SLICE_SECONDS

    def _next(self) -> None:
        self._running = None
        if self._waiting:
            self._begin(self._waiting.popleft())
            self._changed.notify_all()


class Workers:
    """Threads that do the work of requests; to be used from one event loop."""

    def __init__(self, short_turns: int, name: str) -> None:
        """`short_turns` is how many pieces of work are in their short turn at a time."""
        self._threads = ThreadPoolExecutor(current_limits().waiting + short_turns, thread_name_prefix=name)
        self._turns = asyncio.Semaphore(short_turns)
        self._slices = _Slices()
        self._jobs: set[_Job] = set()

    async def run(self, function: Callable[..., Result], *arguments: Any, size: int = 0) -> Result:
        """What a function gives of `size` characters; given up where whoever awaits it is cancelled."""
        task = await self.begin(function, *arguments, size=size)
        return await task

    async def begin(
        self,
        function: Callable[..., Result],
        *arguments: Any,
        size: int = 0,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> asyncio.Task[Result]:
        """The work, once it is done or is known to take long; given up where it is cancelled or not wanted."""
        job = _Job(is_wanted, size >= LARGE)
        if job.long:
            return asyncio.ensure_future(self._finish(job, function, arguments))
        async with self._turns:
            task = asyncio.ensure_future(self._finish(job, function, arguments))
            try:
                await asyncio.wait({task}, timeout=_SHORT_SECONDS)
            except asyncio.CancelledError:
                task.cancel()
                raise
            job.long = True
        return task

    async def complete(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """What a function gives that changes something: it comes to its end, whether or not anybody waits for it."""
        loop = asyncio.get_running_loop()
        context = copy_context()
        return await asyncio.shield(loop.run_in_executor(self._threads, context.run, function, *arguments))

    async def _finish(self, job: _Job, function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
        def check() -> None:
            job.check()
            if job.long:
                self._slices.await_turn(job)

        def work() -> Result:
            try:
                with checked_by(check):
                    return function(*arguments)
            finally:
                self._slices.leave(job)

        self._jobs.add(job)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)
        finally:
            # Whoever awaited it may have been cancelled.
            job.given_up = True
            self._jobs.discard(job)

    async def stop(self) -> None:
        """Give up what is left and wait for its end."""
        for job in self._jobs:
            job.given_up = True
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
