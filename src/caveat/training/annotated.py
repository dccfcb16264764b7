"""A model from a project of annotators: its gold in two parts, and a recipe that goes on from an embedded model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec

from caveat.annotation.conversion import conditional_documents
from caveat.annotation.exchange import write_golds
from caveat.annotation.project import Project
from caveat.annotation.records import Gold
from caveat.benchmarks.conditionalqa.format import write_documents
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike, write_lines
from caveat.models.card import read_card
from caveat.models.embedded import find
from caveat.models.joint import TASK as JOINT
from caveat.training.log import locked_run
from caveat.training.train import TrainResult, train

if TYPE_CHECKING:
    from caveat.training.export import Precision

__all__ = ["Prepared", "prepare_training", "train_on_project"]

RECIPE = "recipe.toml"
# Of a project without parts of its own a fifth of the texts is held out, as the shipped recipes do.
_HELD_OUT = 5
_MEASURED = ("dev", "test", "challenge")


class Prepared(msgspec.Struct, frozen=True):
    """The files of a run: its recipe, and how many questions it learns from and is measured on."""

    recipe: str
    training: int
    held_out: int


class _Course(msgspec.Struct, frozen=True):
    """The shipped recipe that a task's models are trained by, and what a small set changes in it."""

    extends: str
    # The embedded model whose weights the run begins with.
    start: str
    format: str
    suffix: str
    data: dict[str, Any]
    tuning: dict[str, Any]
    phases: tuple[dict[str, Any], ...]


# Few samples: more passes over them than the shipped recipes have, which begin further back.
_COURSES = {
    "cmqa": _Course(
        "cmqa-spans",
        "structure-zh",
        "cmqa",
        ".jsonl",
        {"format": "cmqa"},
        {"metric": "cmqa"},
        ({"window": 448, "stride": 224, "batch_size": 16, "epochs": 12.0},),
    ),
    "multispan": _Course(
        "multispan-en",
        "reader-en",
        "multispan",
        ".json",
        {"format": "multispan", "span_kind": "answer"},
        {"metric": "multispan"},
        ({"window": 320, "stride": 160, "batch_size": 16, "epochs": 10.0},),
    ),
    "cmrc2018": _Course(
        "reader-zh",
        "reader-zh",
        "cmrc2018",
        ".json",
        {"format": "squad"},
        {"metric": "cmrc2018", "format": "squad"},
        ({"window": 288, "stride": 96, "batch_size": 16, "epochs": 4.0},),
    ),
    "squad2": _Course(
        "reader-en",
        "reader-en",
        "squad2",
        ".json",
        {"format": "squad"},
        {"metric": "squad", "format": "squad"},
        ({"window": 384, "stride": 128, "batch_size": 16, "epochs": 4.0},),
    ),
    "conditionalqa": _Course(
        "conditionalqa-pipeline",
        "reader-en",
        "conditionalqa",
        ".json",
        {},
        {},
        ({"window": 256, "stride": 128, "batch_size": 16, "epochs": 4.0},),
    ),
}


def prepare_training(project: Project, out: PathLike) -> Prepared:
    """Write the gold of a project, in two parts, and a recipe for it into a folder; `train` goes on from there."""
    course = _COURSES[project.task.name]
    is_joint = read_card(find(course.start)).task == JOINT
    training, held_out = _parts(project.gold())
    if not training or not held_out:
        raise CaveatError(
            f"{project.path}: too little is finished to train on: it needs gold on two texts at least."
        )
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    names = {"training": f"training{course.suffix}", "held_out": f"held_out{course.suffix}"}
    for name, golds in (("training", training), ("held_out", held_out)):
        write_golds(project.task, golds, folder / names[name], course.format)
    documents = {}
    if project.task.name == "conditionalqa":
        write_documents(
            folder / "documents.json", conditional_documents(gold.sample for gold in (*training, *held_out))
        )
        documents = {"documents": "documents.json"}
    data = {"path": names["training"], "name": f"{project.name}, training part", **course.data, **documents}
    tuning = {
        "path": names["held_out"],
        "name": f"{project.name}, the texts that were held out",
        "licence": "unstated",
        **course.tuning,
        **documents,
    }
    # A reader's own course is that of a joint one where it is one; other kinds take its encoder.
    if is_joint and course.extends == course.start:
        extends = course.start.replace("reader", JOINT)
        metric = {"metric": tuning.pop("metric")}
        measured = [*_table("tuning", metric), *_table("[tuning.files]", tuning)]
    else:
        extends, measured = course.extends, _table("tuning", tuning)
    lines = [
        f"extends = {_toml(extends)}",
        f"start = {_toml(course.start)}",
        *([f"encoder = {_toml(course.start)}"] if is_joint else ()),
        # A short run: the average of the weights must not be of its beginning.
        "ema = 0.9",
        "",
        *_table("card", {"name": project.name}),
        *_table("[data]", data),
        *(line for phase in course.phases for line in _table("[phases]", phase)),
        *measured,
    ]
    write_lines(folder / RECIPE, lines)
    return Prepared(str(folder / RECIPE), len(training), len(held_out))


def train_on_project(
    project: Project,
    out: PathLike,
    *,
    overrides: Sequence[str] = (),
    note: Callable[[str], None] = lambda message: None,
) -> TrainResult:
    """Train a model on the gold of a project into a folder, which then has its data and its recipe too."""
    recipe = Path(out, RECIPE)
    with locked_run(Path(out)):
        if recipe.is_file():
            note(f"goes on with what is in {out}; another folder takes what has been annotated since.")
        else:
            prepared = prepare_training(project, out)
            note(
                f"{prepared.training} questions to learn from, {prepared.held_out} held out; recipe: {recipe}"
            )
    # What answers ConditionalQA's questions runs in torch, and has nothing to export.
    precisions: tuple[Precision, ...] = () if project.task.name == "conditionalqa" else ("int8", "fp32")
    return train(
        recipe,
        out,
        overrides=overrides,
        data_root=out,
        precisions=precisions,
        compared=100,
        note=note,
    )


def _parts(golds: Sequence[Gold]) -> tuple[list[Gold], list[Gold]]:
    """What is learnt and what is measured on: by the parts of the data, else a fifth of the texts is held out."""
    measured = [gold for gold in golds if gold.sample.split in _MEASURED]
    if measured and len(measured) < len(golds):
        return [gold for gold in golds if gold.sample.split not in _MEASURED], measured
    texts = sorted(
        {gold.sample.context for gold in golds}, key=lambda text: (crc32(text.encode("utf-8")), text)
    )
    held_out = set(texts[: -(-len(texts) // _HELD_OUT)]) if len(texts) > 1 else set()
    return (
        [gold for gold in golds if gold.sample.context not in held_out],
        [gold for gold in golds if gold.sample.context in held_out],
    )


def _table(name: str, values: dict[str, Any]) -> list[str]:
    return [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in values.items()), ""]


def _toml(value: Any) -> str:
    """A value as TOML has it; JSON's strings and numbers are TOML's too."""
    return json.dumps(value)
