"""One line in front of the engine: the questions of all clients that wait at the same time are answered together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from caveat.core.records import Question, Reply, Source

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.serve.metrics import Metrics

__all__ = ["Asking", "Line"]

# Questions that are answered together; more wait for the next time, so that none waits for long.
_MOST_TOGETHER = 64
# How long others that may come are waited for, again and again as long as some came.
_GATHER_SECONDS, _GATHER_TIMES = 0.002, 8


class Asking(NamedTuple):
    """A question, what it is asked of, and how."""

    question: Question
    sources: tuple[Source, ...]
    top: int
    structure: bool


@dataclass(frozen=True, eq=False)
class _Place:
    asking: Asking
    reply: asyncio.Future[Reply]
    since: float


class Line:
    """Clients wait here; one thread answers, many questions at a time. A client that leaves frees its place."""

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self._engine, self._metrics = engine, metrics
        self._places: deque[_Place] = deque()
        self._come = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="caveat-answers")
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def start(self) -> None:
        """Begin to answer; a loop must be running."""
        self._task = asyncio.get_running_loop().create_task(self._work())

    async def stop(self) -> None:
        """Answer no more; what is being answered is waited for."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for place in self._places:
            place.reply.cancel()
        await asyncio.to_thread(self._thread.shutdown)

    async def ask(self, asking: Asking) -> Reply:
        """The reply, once it is there."""
        place = _Place(asking, asyncio.get_running_loop().create_future(), perf_counter())
        self._places.append(place)
        self._come.set()
        try:
            return await place.reply
        finally:
            if not place.reply.done() or place.reply.cancelled():
                self._leave(place)

    def _leave(self, place: _Place) -> None:
        if place in self._places:
            self._places.remove(place)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._come.wait()
            await self._gather()
            together = [self._places.popleft() for _ in range(min(len(self._places), _MOST_TOGETHER))]
            if not self._places:
                self._come.clear()
            present = [place for place in together if not place.reply.done()]
            if present:
                await loop.run_in_executor(self._thread, copy_context().run, self._answer, present, loop)

    async def _gather(self) -> None:
        for _ in range(_GATHER_TIMES):
            before = len(self._places)
            await asyncio.sleep(_GATHER_SECONDS)
            if len(self._places) == before or before >= _MOST_TOGETHER:
                return

    def _answer(self, together: Sequence[_Place], loop: asyncio.AbstractEventLoop) -> None:
        start = perf_counter()
        self._metrics.answered_together(len(together))
        alike: dict[tuple[int, bool], list[_Place]] = {}
        for place in together:
            self._metrics.took("wait", start - place.since)
            alike.setdefault((place.asking.top, place.asking.structure), []).append(place)
        for (top, structure), places in alike.items():
            self._answer_alike(places, top, structure, loop)

    def _answer_alike(
        self, places: Sequence[_Place], top: int, structure: bool, loop: asyncio.AbstractEventLoop
    ) -> None:
        start = perf_counter()
        answered = 0
        try:
            pairs = [(place.asking.question, place.asking.sources) for place in places]
            replies = self._engine.ask_many(pairs, top=top, structure=structure)
            for place, reply in zip(places, replies, strict=True):
                self._metrics.took("answer", perf_counter() - start)
                loop.call_soon_threadsafe(_give, place.reply, reply)
                answered += 1
        except Exception:
            # One of them cannot be answered: the others are not to suffer for it.
            for place in places[answered:]:
                self._answer_alone(place, loop)

    def _answer_alone(self, place: _Place, loop: asyncio.AbstractEventLoop) -> None:
        asking = place.asking
        start = perf_counter()
        try:
            reply = self._engine.ask(
                asking.question, *asking.sources, top=asking.top, structure=asking.structure
            )
        except Exception as error:
            loop.call_soon_threadsafe(_fail, place.reply, error)
        else:
            self._metrics.took("answer", perf_counter() - start)
            loop.call_soon_threadsafe(_give, place.reply, reply)


def _give(place: asyncio.Future[Reply], reply: Reply) -> None:
    if not place.done():
        place.set_result(reply)


def _fail(place: asyncio.Future[Reply], error: Exception) -> None:
    if not place.done():
        place.set_exception(error)
