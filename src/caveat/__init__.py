"""Caveat: answers with the conditions under which they hold, and the published metrics of nine QA benchmarks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caveat.answer.engine import Engine, load
    from caveat.errors import CaveatError, InputError
    from caveat.formats.convert import convert
    from caveat.formats.prepare import prepare_files
    from caveat.records import Answer, Condition, Document, KnowledgeBase, Question, Reply, Table
    from caveat.tasks.analyse import analyse
    from caveat.tasks.describe import agreement, check, stats
    from caveat.tasks.evaluate import evaluate, evaluate_official, floors
    from caveat.tasks.task import DataFiles, EvaluationOptions

# Each name is imported when it is first used, so that `import caveat` stays quick.
_HOMES = {
    "Answer": "caveat.records",
    "CaveatError": "caveat.errors",
    "Condition": "caveat.records",
    "DataFiles": "caveat.tasks.task",
    "Document": "caveat.records",
    "Engine": "caveat.answer.engine",
    "EvaluationOptions": "caveat.tasks.task",
    "InputError": "caveat.errors",
    "KnowledgeBase": "caveat.records",
    "Question": "caveat.records",
    "Reply": "caveat.records",
    "Table": "caveat.records",
    "agreement": "caveat.tasks.describe",
    "analyse": "caveat.tasks.analyse",
    "check": "caveat.tasks.describe",
    "convert": "caveat.formats.convert",
    "evaluate": "caveat.tasks.evaluate",
    "evaluate_official": "caveat.tasks.evaluate",
    "floors": "caveat.tasks.evaluate",
    "load": "caveat.answer.engine",
    "prepare_files": "caveat.formats.prepare",
    "stats": "caveat.tasks.describe",
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
