"""Threads for the work of requests: what takes long does not hold the rest, and ends when it is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Event
from time import sleep
from typing import Any

import pytest

from caveat.core.limits import checkpoint
from caveat.serve import workers
from caveat.serve.workers import LARGE, Workers

# A test that would wait for ever fails instead.
PATIENCE = 20.0


class Endless:
    """Work that comes to a checkpoint again and again until it is told to end, or is given up."""

    def __init__(self) -> None:
        self.begun, self.end, self.ended = Event(), Event(), Event()
        self.rounds = 0

    def __call__(self) -> str:
        try:
            self.begun.set()
            while not self.end.is_set():
                self.rounds += 1
                checkpoint()
                sleep(0.001)
            return "done"
        finally:
            self.ended.set()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, PATIENCE))


async def reached(event: Event) -> None:
    assert await asyncio.to_thread(event.wait, PATIENCE)


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_SHORT_SECONDS", 0.05)
    monkeypatch.setattr(workers, "_SLICE_SECONDS", 0.02)


@pytest.mark.usefixtures("short_turns")
@pytest.mark.parametrize("size", [LARGE, 0], ids=["large", "small, but long"])
def test_what_takes_long_does_not_hold_the_rest(size: int) -> None:
    async def work() -> None:
        pool, long = Workers(1, "test"), Endless()
        task = asyncio.ensure_future(pool.run(long, size=size))
        await reached(long.begun)
        assert [await pool.run(str, number) for number in range(5)] == ["0", "1", "2", "3", "4"]
        assert not task.done()
        long.end.set()
        assert await task == "done"
        await pool.stop()

    run(work())


@pytest.mark.usefixtures("short_turns")
def test_long_work_takes_turns() -> None:
    async def work() -> None:
        pool, all_ = Workers(1, "test"), [Endless() for _ in range(5)]
        tasks = [asyncio.ensure_future(pool.run(each, size=LARGE)) for each in all_]
        for each in all_:
            await reached(each.begun)
        while min(each.rounds for each in all_) < 20:
            await asyncio.sleep(0.01)
        for each in all_:
            each.end.set()
        assert await asyncio.gather(*tasks) == ["done"] * 5
        await pool.stop()

    run(work())


@pytest.mark.usefixtures("short_turns")
def test_work_that_does_not_come_to_a_checkpoint_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_GRACE_SECONDS", 0.05)

    async def work() -> None:
        pool, free = Workers(1, "test"), Event()

        def stuck() -> bool:
            checkpoint()
            return free.wait(PATIENCE)

        def freeing() -> str:
            checkpoint()
            free.set()
            return "freed"

        first = asyncio.ensure_future(pool.run(stuck, size=LARGE))
        await asyncio.sleep(0.05)
        assert await pool.run(freeing, size=LARGE) == "freed"
        assert await first
        await pool.stop()

    run(work())


@pytest.mark.parametrize("size", [LARGE, 0], ids=["large", "small"])
def test_work_ends_when_whoever_waits_is_cancelled(size: int) -> None:
    async def work() -> None:
        pool, long, other = Workers(2, "test"), Endless(), Endless()
        tasks = [asyncio.ensure_future(pool.run(each, size=size)) for each in (long, other)]
        await reached(long.begun)
        await reached(other.begun)
        for task in tasks:
            task.cancel()
        assert all(
            isinstance(each, asyncio.CancelledError)
            for each in await asyncio.gather(*tasks, return_exceptions=True)
        )
        await reached(long.ended)
        await reached(other.ended)
        assert await pool.run(str, 1) == "1"
        await pool.stop()

    run(work())


def test_work_ends_when_it_is_not_wanted_any_more() -> None:
    async def work() -> None:
        pool, long, left = Workers(1, "test"), Endless(), Event()
        task = await pool.begin(long, size=LARGE, is_wanted=lambda: not left.is_set())
        await reached(long.begun)
        left.set()
        await reached(long.ended)
        await asyncio.wait({task})
        assert task.exception() is not None
        await pool.stop()

    run(work())


def test_what_changes_something_comes_to_its_end() -> None:
    async def work() -> None:
        pool, writing = Workers(1, "test"), Endless()
        task = asyncio.ensure_future(pool.complete(writing))
        await reached(writing.begun)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not await asyncio.to_thread(writing.ended.wait, 0.1)
        writing.end.set()
        await reached(writing.ended)
        await pool.stop()

    run(work())


def test_stopping_gives_up_what_is_left() -> None:
    async def work() -> None:
        pool, long = Workers(1, "test"), Endless()
        task = asyncio.ensure_future(pool.run(long, size=LARGE))
        await reached(long.begun)
        await pool.stop()
        assert long.ended.is_set()
        await asyncio.wait({task})

    run(work())
