"""Caveat: answers with the conditions under which they hold, and the published metrics of nine QA benchmarks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine, load
    from caveat.benchmarks.analyse import analyse
    from caveat.benchmarks.cmrc2018.preparation import prepare_files
    from caveat.benchmarks.convert import convert
    from caveat.benchmarks.describe import agreement, check, stats
    from caveat.benchmarks.evaluate import evaluate, evaluate_official, floors
    from caveat.benchmarks.task import DataFiles, EvaluationOptions
    from caveat.core.errors import CaveatError, InputError
    from caveat.core.records import Answer, Condition, Document, KnowledgeBase, Question, Reply, Table

# Each name is imported when it is first used, so that `import caveat` stays quick.
_HOMES = {
    "Answer": "caveat.core.records",
    "CaveatError": "caveat.core.errors",
    "Condition": "caveat.core.records",
    "DataFiles": "caveat.benchmarks.task",
    "Document": "caveat.core.records",
    "Engine": "caveat.answerers.engine",
    "EvaluationOptions": "caveat.benchmarks.task",
    "InputError": "caveat.core.errors",
    "KnowledgeBase": "caveat.core.records",
    "Question": "caveat.core.records",
    "Reply": "caveat.core.records",
    "Table": "caveat.core.records",
    "agreement": "caveat.benchmarks.describe",
    "analyse": "caveat.benchmarks.analyse",
    "check": "caveat.benchmarks.describe",
    "convert": "caveat.benchmarks.convert",
    "evaluate": "caveat.benchmarks.evaluate",
    "evaluate_official": "caveat.benchmarks.evaluate",
    "floors": "caveat.benchmarks.evaluate",
    "load": "caveat.answerers.engine",
    "prepare_files": "caveat.benchmarks.cmrc2018.preparation",
    "stats": "caveat.benchmarks.describe",
}

__all__ = [
    "Answer",
    "CaveatError",
    "Condition",
    "DataFiles",
    "Document",
    "Engine",
    "EvaluationOptions",
    "InputError",
    "KnowledgeBase",
    "Question",
    "Reply",
    "Table",
    "agreement",
    "analyse",
    "check",
    "convert",
    "evaluate",
    "evaluate_official",
    "floors",
    "load",
    "prepare_files",
    "stats",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'caveat' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
