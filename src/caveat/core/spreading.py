"""Work on many items, in order, wherever it is done: here, in several processes, or on the machines of a cluster."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Waiting = TypeVar("Waiting")

Through = Callable[[Iterable[Any]], Iterable[Any]]
"""Is handed the items that are worked on, and hands them on one by one: for a progress bar."""
Stream = Callable[[Iterable[Any]], Iterable[Any]]
"""Something at work: a result for each item, in order; what it gives for an item does not depend on the others."""
Load = Callable[[], Stream]
"""Makes it where the work is done. It is sent there: a function of a module, with its arguments by `partial`."""

# Chunks that wait for each worker, so that none stands idle while the results of a slow one are waited for.
_AHEAD = 4


class Spread(Protocol):
    """Where the work is done."""

    def __call__(self, load: Load, items: Iterable[Any], size: int) -> Iterator[Any]:
        """The results in the order of their items, handed out `size` at a time and read as they are needed."""
        ...


def here(load: Load, items: Iterable[Any], size: int) -> Iterator[Any]:
    """In this process, as one stream."""
    yield from load()(items)


def over_processes(processes: int) -> Spread:
    """In so many processes of this machine, each with an engine of its own."""

    def spread(load: Load, items: Iterable[Any], size: int) -> Iterator[Any]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        with ProcessPoolExecutor(processes, get_context("spawn"), _begin, (load,)) as pool:
            found = in_order(
                chunks(items, size),
                processes * _AHEAD,
                submit=lambda chunk: pool.submit(_work, chunk),
                result=lambda future: future.result(),
                cancel=lambda future: future.cancel(),
            )
            for results in found:
                yield from results

    return spread


def in_order(
    items: Iterable[Item],
    ahead: int,
    *,
    submit: Callable[[Item], Waiting],
    result: Callable[[Waiting], Any],
    cancel: Callable[[Waiting], object],
) -> Iterator[Any]:
    """The results in order, with so many of them under way; items are taken as results are."""
    coming = iter(items)
    waiting: deque[Waiting] = deque()
    try:
        while True:
            waiting.extend(map(submit, islice(coming, ahead - len(waiting))))
            if not waiting:
                return
            yield result(waiting.popleft())
    finally:
        for left in waiting:
            cancel(left)


def chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items, `size` at a time."""
    coming = iter(items)
    while chunk := list(islice(coming, size)):
        yield chunk


class _Worker:
    """What a process has been given to work with; made when it is first needed, so that what it raises is told."""

    load: Load
    stream: Stream | None = None


def _begin(load: Load) -> None:
    _end_with_parent()
    _Worker.load = load


def _work(chunk: Sequence[Any]) -> list[Any]:
    if _Worker.stream is None:
        _Worker.stream = _Worker.load()
    return list(_Worker.stream(chunk))


def _end_with_parent() -> None:
    """A process that works ends with the one that it works for, however that ends."""
    from multiprocessing import parent_process
    from threading import Thread

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=watch, daemon=True).start()
