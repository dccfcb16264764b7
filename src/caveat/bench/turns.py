"""Contenders at work in turns, so that a busy machine slows all alike; a peer that fails drops out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from types import TracebackType

from caveat.bench.worker import Contender, ContenderError, Pairs, Worker, WorkerSettings

__all__ = ["OURS", "Turns"]

OURS = "caveat"


class Turns:
    """Running contenders by name, each with settings of its own; a context, at whose end their processes end."""

    def __init__(self, contenders: Mapping[str, Contender], settings: Mapping[str, WorkerSettings]) -> None:
        self._contenders, self._settings = contenders, settings
        self._stack = ExitStack()
        self.workers: dict[str, Worker] = {}
        # Why some dropped out.
        self.failed: dict[str, str] = {}

    def each(self, action: Callable[[str], None]) -> None:
        """The same for all that are left; Caveat itself must not fail."""
        for name in [name for name in self._contenders if name not in self.failed]:
            try:
                action(name)
            except ContenderError as error:
                if name == OURS:
                    raise
                self.failed[name] = str(error)

    def start(self, warm_up: Pairs) -> None:
        """Start all, and have each answer something before anything is measured."""

        def start(name: str) -> None:
            self.workers[name] = self._stack.enter_context(
                Worker(self._contenders[name], self._settings[name])
            )
            self.workers[name].answer(warm_up)

        self.each(start)

    def __enter__(self) -> Turns:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
