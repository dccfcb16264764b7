"""A question asked of a library."""

from __future__ import annotations

from typing import Any, Protocol

from caveat.core.records import Question, Reply
from caveat.library.library import Library


class _Engine(Protocol):
    def ask(self, question: str | Question, *sources: Any, **options: Any) -> Reply: ...


def ask_library(engine: _Engine, library: Library, question: str | Question, **options: Any) -> Reply:
    """The most probable answers from all that is in a library: `engine.ask(question, library)`, and its options."""
    return engine.ask(question, library, **options)
