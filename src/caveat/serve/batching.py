"""One line in front of the engine: the questions of all clients that wait at the same time are answered together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from caveat.answerers.engine import characters_of
from caveat.core.limits import GivenUpError
from caveat.core.records import Question, Reply, Source
from caveat.serve.workers import LARGE, Workers

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.serve.metrics import Metrics

# Questions that are answered together, and the characters that they are asked of; more wait for the next time, so that
# none waits for long. What is large is answered by itself.
_MOST_TOGETHER, _MOST_CHARACTERS = 64, 4 * LARGE
# How long others that may come are waited for, again and again as long as some came.
_GATHER_SECONDS, _GATHER_TIMES = 0.002, 8


class Asking(NamedTuple):
    """A question, what it is asked of, and how."""

    question: Question
    sources: tuple[Source, ...]
    top: int
    structure: bool

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return len(self.question.scenario) + sum(map(characters_of, self.sources))


@dataclass(frozen=True, eq=False)
class _Place:
    asking: Asking
    reply: asyncio.Future[Reply]
    since: float
    characters: int


class Line:
    """Clients wait here; many questions are answered at a time. A client that leaves frees its place.

    What takes long is answered beside the others, and given up once nobody waits for it.
    """

    def __init__(self, engine: Engine, metrics: Metrics) -> None:
        self._engine, self._metrics = engine, metrics
        self._places: deque[_Place] = deque()
        self._come = asyncio.Event()
        self._workers = Workers(1, "caveat-answers")
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._places)

    def start(self) -> None:
        """Begin to answer; a loop must be running."""
        self._task = asyncio.get_running_loop().create_task(self._work())

    async def stop(self) -> None:
        """Answer no more; what is being answered is given up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for place in self._places:
            place.reply.cancel()
        await self._workers.stop()

    async def ask(self, asking: Asking) -> Reply:
        """The reply, once it is there."""
        reply = asyncio.get_running_loop().create_future()
        place = _Place(asking, reply, perf_counter(), asking.characters)
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
            together = self._next()
            if not self._places:
                self._come.clear()
            if together:
                size = sum(place.characters for place in together) if len(together) == 1 else 0
                wanted = partial(_any_waits, together)
                await self._workers.begin(self._answer, together, loop, size=size, is_wanted=wanted)

    def _next(self) -> list[_Place]:
        """Those that are answered together: the first, and where that is not large all that are not and fit."""
        together: list[_Place] = []
        left = _MOST_CHARACTERS
        for place in tuple(self._places):
            if place.reply.done():
                self._places.remove(place)
                continue
            if together and (place.characters >= LARGE or place.characters > left):
                continue
            together.append(place)
            self._places.remove(place)
            left -= place.characters
            if place.characters >= LARGE or len(together) == _MOST_TOGETHER:
                break
        return together

    async def _gather(self) -> None:
        for _ in range(_GATHER_TIMES):
            before = len(self._places)
            await asyncio.sleep(_GATHER_SECONDS)
            if len(self._places) == before or before >= _MOST_TOGETHER:
                return

    def _answer(self, together: Sequence[_Place], loop: asyncio.AbstractEventLoop) -> None:
        with suppress(GivenUpError):
            self._answer_all(together, loop)

    def _answer_all(self, together: Sequence[_Place], loop: asyncio.AbstractEventLoop) -> None:
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
                if not place.reply.done():
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


def _any_waits(places: Sequence[_Place]) -> bool:
    return any(not place.reply.done() for place in places)


def _give(place: asyncio.Future[Reply], reply: Reply) -> None:
    if not place.done():
        place.set_result(reply)


def _fail(place: asyncio.Future[Reply], error: Exception) -> None:
    if not place.done():
        place.set_exception(error)
