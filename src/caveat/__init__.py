"""Caveat: answers with the conditions under which they hold, and the published metrics of ten QA benchmarks."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from caveat.core.languages import register
from caveat.core.loading import load as _load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caveat.annotation.project import Project
    from caveat.answerers.engine import Engine, load
    from caveat.answerers.sheets import ask_questions, read_questions, write_answers
    from caveat.bench import bench as run_bench
    from caveat.benchmarks.calibrate import calibrate
    from caveat.benchmarks.cmrc2018.preparation import prepare_files
    from caveat.benchmarks.convert import convert
    from caveat.benchmarks.mrqa.task import repartition_file
    from caveat.benchmarks.own_questions import measure_answers
    from caveat.benchmarks.registry import Benchmark
    from caveat.benchmarks.report import report
    from caveat.benchmarks.task import DataFiles, EvaluationOptions
    from caveat.benchmarks.verbs import (
        agreement,
        analyse,
        check,
        evaluate,
        evaluate_official,
        floors,
        predict,
        stats,
    )
    from caveat.core.answers import Answer, Condition
    from caveat.core.errors import CaveatError, InputError
    from caveat.core.files import PathLike
    from caveat.core.limits import limits
    from caveat.core.records import Document, Hit, KnowledgeBase, Question, Reply, Table
    from caveat.integrations.assistant import serve_assistant
    from caveat.library.indexing import ask_library, index
    from caveat.library.library import Library, copy_library
    from caveat.models.embedded import list_models, show_model
    from caveat.render.report_page import write_report
    from caveat.serve.mrqa import serve_mrqa
    from caveat.serve.start import serve_api
    from caveat.sources.gather import Input, read
    from caveat.training.adaptation.adapt import adapt
    from caveat.training.annotated import train_on_project
    from caveat.training.importing.importing import get_model, import_model
    from caveat.training.train import train

# ONNX Runtime reports to its maker unless this stands in the environment when it is first imported, whoever does that.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Each name is imported when it is first used, so that `import caveat` stays quick.
_HOMES = {
    "Answer": "caveat.core.records:Answer",
    "Benchmark": "caveat.benchmarks.registry:Benchmark",
    "CaveatError": "caveat.core.errors:CaveatError",
    "Condition": "caveat.core.records:Condition",
    "DataFiles": "caveat.benchmarks.task:DataFiles",
    "Document": "caveat.core.records:Document",
    "Engine": "caveat.answerers.engine:Engine",
    "EvaluationOptions": "caveat.benchmarks.task:EvaluationOptions",
    "Hit": "caveat.core.records:Hit",
    "InputError": "caveat.core.errors:InputError",
    "KnowledgeBase": "caveat.core.records:KnowledgeBase",
    "Library": "caveat.library.library:Library",
    "Project": "caveat.annotation.project:Project",
    "Question": "caveat.core.records:Question",
    "Reply": "caveat.core.records:Reply",
    "Table": "caveat.core.records:Table",
    "adapt": "caveat.training.adaptation.adapt:adapt",
    "agreement": "caveat.benchmarks.verbs:agreement",
    "analyse": "caveat.benchmarks.verbs:analyse",
    "ask_library": "caveat.library.indexing:ask_library",
    "ask_questions": "caveat.answerers.sheets:ask_questions",
    "calibrate": "caveat.benchmarks.calibrate:calibrate",
    "check": "caveat.benchmarks.verbs:check",
    "convert": "caveat.benchmarks.convert:convert",
    "copy_library": "caveat.library.library:copy_library",
    "evaluate": "caveat.benchmarks.verbs:evaluate",
    "evaluate_official": "caveat.benchmarks.verbs:evaluate_official",
    "floors": "caveat.benchmarks.verbs:floors",
    "get_model": "caveat.training.importing.importing:get_model",
    "import_model": "caveat.training.importing.importing:import_model",
    "index": "caveat.library.indexing:index",
    "limits": "caveat.core.limits:limits",
    "list_models": "caveat.models.embedded:list_models",
    "load": "caveat.answerers.engine:load",
    "measure_answers": "caveat.benchmarks.own_questions:measure_answers",
    "predict": "caveat.benchmarks.verbs:predict",
    "prepare_files": "caveat.benchmarks.cmrc2018.preparation:prepare_files",
    "read": "caveat.sources.gather:read",
    "read_questions": "caveat.answerers.sheets:read_questions",
    "repartition_file": "caveat.benchmarks.mrqa.task:repartition_file",
    "report": "caveat.benchmarks.report:report",
    "run_bench": "caveat.bench:bench",
    "serve_api": "caveat.serve.start:serve_api",
    "serve_assistant": "caveat.integrations.assistant:serve_assistant",
    "serve_mrqa": "caveat.serve.mrqa:serve_mrqa",
    "show_model": "caveat.models.embedded:show_model",
    "stats": "caveat.benchmarks.verbs:stats",
    "train": "caveat.training.train:train",
    "train_on_project": "caveat.training.annotated:train_on_project",
    "write_answers": "caveat.answerers.sheets:write_answers",
    "write_report": "caveat.render.report_page:write_report",
}
# The languages that come with the package; a text that no other pack recognises is in the first.
for _home in ("caveat.language.packs.en:PACK", "caveat.language.packs.zh:PACK"):
    register(_home)

__all__ = [
    "Answer",
    "Benchmark",
    "CaveatError",
    "Condition",
    "DataFiles",
    "Document",
    "Engine",
    "EvaluationOptions",
    "Hit",
    "InputError",
    "KnowledgeBase",
    "Library",
    "Project",
    "Question",
    "Reply",
    "Table",
    "adapt",
    "agreement",
    "analyse",
    "ask",
    "ask_library",
    "ask_questions",
    "calibrate",
    "check",
    "convert",
    "copy_library",
    "evaluate",
    "evaluate_official",
    "floors",
    "get_model",
    "import_model",
    "index",
    "limits",
    "list_models",
    "load",
    "measure_answers",
    "predict",
    "prepare_files",
    "read",
    "read_questions",
    "repartition_file",
    "report",
    "run_bench",
    "search",
    "serve_api",
    "serve_assistant",
    "serve_mrqa",
    "show_model",
    "stats",
    "train",
    "train_on_project",
    "write_answers",
    "write_report",
]


def ask(
    question: str | Question,
    *sources: Input,
    model: PathLike | Sequence[PathLike] | None = None,
    thorough: bool = False,
    **options: Any,
) -> Reply:
    """The answers to a question from sources, by an engine that is loaded once; the options are those of `Engine.ask`.

    `caveat.ask("How much can I be fined?", "dog-fouling.html", scenario="I walk my labrador …")`
    """
    models = tuple(model) if isinstance(model, list | tuple) else model
    return _engine(models, thorough).ask(question, *sources, **options)


def search(words: str, *sources: Input, **options: Any) -> tuple[Hit, ...]:
    """The passages that have most of some words, without answering; the options are those of `Engine.search`.

    `caveat.search("fine spot", "dog-fouling.html", top=3)`
    """
    return _engine(None, False).search(words, *sources, **options)


@cache
def _engine(models: Any, thorough: bool) -> Engine:
    from caveat.answerers.engine import load

    return load(models, thorough=thorough)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("caveat")
    if name not in _HOMES:
        raise AttributeError(f"module 'caveat' has no attribute {name!r}")
    return _load(_HOMES[name])


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
