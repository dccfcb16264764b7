"""What every source's test needs: to run its conversion, and to hold real data to the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.format import MrqaContext
from caveat.benchmarks.mrqa.sources.build import MAXIMUM_TOKENS, MrqaSource, build
from caveat.benchmarks.registry import Drops
from caveat.language.normalise import normalise_squad

Convert = Callable[..., tuple[list[MrqaContext], Drops]]


def _convert(
    source: MrqaSource, path: Path, documents: Path | None = None
) -> tuple[list[MrqaContext], Drops]:
    drops = Drops()
    return list(build(source, source.read(path, drops, documents), drops)), drops


def _convert_real(
    source: MrqaSource, path: Path, documents: Path | None = None
) -> tuple[list[MrqaContext], Drops]:
    contexts, drops = _convert(source, path, documents)
    for context in contexts:
        assert len(context.tokens) <= MAXIMUM_TOKENS
        for question in context.questions:
            assert question.detected
            for detected in question.detected:
                for place in detected.places:
                    found = context.context[place.start : place.end]
                    assert normalise_squad(found) == normalise_squad(detected.text)
    return contexts, drops


@pytest.fixture
def convert() -> Convert:
    """A source's contexts from a file, by the rules of the shared task, and what was dropped."""
    return _convert


@pytest.fixture
def convert_real() -> Convert:
    """The same, and a check that every detected span normalises to its answer."""
    return _convert_real
