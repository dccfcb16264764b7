"""`caveat bench serve`: a short run of it, and that clients at once are served faster than one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import pytest

from caveat.bench.serving import bench_serve
from caveat.core.records import Question, Reply
from caveat.serve.batching import Asking, Line
from caveat.serve.metrics import Metrics


@pytest.fixture(scope="module")
def rows(reader_folder: Path) -> dict[str, str]:
    measured = bench_serve(seconds=2.0, clients=8, questions=24, models={"en": reader_folder}, threads=1)
    return {str(name): str(value) for name, value in measured.rows}


@pytest.mark.slow
def test_a_short_run_has_no_errors(rows: dict[str, str]) -> None:
    assert rows["errors"] == "0"
    assert int(rows["requests"].replace(",", "")) > 8
    assert float(rows["ratio"]) > 0.0


@pytest.mark.slow
def test_memory_stays(rows: dict[str, str]) -> None:
    assert float(rows["growth"].removesuffix(" %")) < 30.0


class Costly:
    """An engine that takes as long for many questions as for one."""

    def __init__(self) -> None:
        self.calls = 0

    def ask_many(self, pairs: Iterable[tuple[Question, Any]], **options: Any) -> Iterator[Reply]:
        self.calls += 1
        sleep(0.02)
        yield from [Reply(question, (), 1.0) for question, _ in pairs]


def test_questions_of_clients_at_once_are_answered_together() -> None:
    engine = Costly()
    asked = [Asking(Question(str(number)), (), 5, True) for number in range(48)]

    async def timed(clients: int) -> tuple[float, int]:
        line = Line(engine, Metrics())  # type: ignore[arg-type]
        line.start()
        left, before, start = iter(asked), engine.calls, perf_counter()

        async def client() -> None:
            for each in left:
                reply = await line.ask(each)
                assert reply.question == each.question

        await asyncio.gather(*(client() for _ in range(clients)))
        seconds = perf_counter() - start
        await line.stop()
        return seconds, engine.calls - before

    alone, calls_alone = asyncio.run(timed(1))
    together, calls_together = asyncio.run(timed(16))
    assert calls_alone == 48
    assert calls_together <= 12
    assert alone / together > 2.0
