"""A recipe and its files from a project of annotators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.annotation.exchange import import_works
from caveat.annotation.project import Project
from caveat.annotation.records import Element, Entry, Sample, Span, Work
from caveat.annotation.tasks import TASKS
from caveat.core.errors import CaveatError
from caveat.training.annotated import prepare_training
from caveat.training.recipe import load_recipe

# Windows that the tiny encoder takes.
SIZES = {"window": 64, "stride": 16}


def project_of(path: Path, task: str, splits: list[str | None]) -> Project:
    kind = "fine" if task == "cmqa" else "answer"
    entries = []
    for number, split in enumerate(splits):
        context = f"Rose {number} needs sun."
        work = Work("What?", spans=(Span("1", kind, 13, 16),), scenario="Here.")
        elements = (Element(0, len(context), f"<p>{context}</p>"),)
        sample = Sample(f"s{number}", context, None, "What?", "Here.", split, f"u{number}", elements)
        entries.append(Entry(sample, (("Ada", work),)))
    project = Project.new(path, task, [entry.sample for entry in entries], overlap=1)
    import_works(project, entries)
    return project


@pytest.mark.parametrize("task", list(TASKS))
def test_every_task_has_a_recipe_that_loads(task: str, tmp_path: Path) -> None:
    with project_of(tmp_path / "roses.sqlite", task, [None] * 10) as project:
        prepared = prepare_training(project, tmp_path / "run")
    assert (prepared.training, prepared.held_out) == (8, 2)
    recipe = load_recipe(prepared.recipe)
    assert recipe.card.name == "roses"  # type: ignore[attr-defined]
    measured = getattr(recipe.tuning, "files", (recipe.tuning,))  # type: ignore[attr-defined]
    for data in (*recipe.data, *measured):  # type: ignore[attr-defined]
        assert (tmp_path / "run" / data.path).is_file()
    if task == "conditionalqa":
        assert (tmp_path / "run" / "documents.json").is_file()


@pytest.mark.parametrize(
    ("task", "kind", "extends"),
    [
        ("squad2", "joint", "joint-en"),
        ("cmrc2018", "joint", "joint-zh"),
        ("multispan", "tagger", "multispan-en"),
    ],
)
def test_a_joint_reader_to_begin_with(
    task: str,
    kind: str,
    extends: str,
    joint_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("caveat.training.annotated.find", lambda name: joint_folder)
    with project_of(tmp_path / "roses.sqlite", task, [None] * 10) as project:
        prepared = prepare_training(project, tmp_path / "run")
    written = Path(prepared.recipe).read_text(encoding="utf-8")
    assert f'extends = "{extends}"' in written
    recipe: Any = load_recipe(prepared.recipe)
    # All heads go on where the kind is its own, else the encoder.
    assert recipe.kind == kind
    assert recipe.start == recipe.encoder
    measured = recipe.tuning.files if kind == "joint" else (recipe.tuning,)
    for data in (*recipe.data, *measured):
        assert (tmp_path / "run" / data.path).is_file()


def test_the_parts_of_the_data_are_kept(tmp_path: Path) -> None:
    with project_of(tmp_path / "p", "squad2", ["train", "train", "dev"]) as project:
        prepared = prepare_training(project, tmp_path / "run")
    assert (prepared.training, prepared.held_out) == (2, 1)


def test_one_text_is_too_little(tmp_path: Path) -> None:
    with (
        project_of(tmp_path / "p", "squad2", [None]) as project,
        pytest.raises(CaveatError, match="too little"),
    ):
        prepare_training(project, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_was_annotated_is_trained_on_and_exported(
    encoder_folder: Path, tmp_path: Path, caveat: Callable[..., Any]
) -> None:
    project_of(tmp_path / "roses.sqlite", "cmqa", [None] * 10).close()
    tiny = {"encoder": encoder_folder, "start": "", "masked": 0, "max_question_tokens": 16}
    tiny |= {f"{part}.{size}": tokens for part in ("phases.0", "tuning") for size, tokens in SIZES.items()}
    settings = [part for name, value in tiny.items() for part in ("--set", f"{name}={value}")]
    done = caveat("annotate", "train", "roses.sqlite", "--out", "run", *settings)
    assert done.returncode == 0, done.stderr
    assert "8 questions to learn from, 2 held out" in done.stderr
    assert (tmp_path / "run" / "int8" / "card.json").is_file()
