"""Fitting what tells the kind of a question, as `caveat train` does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy")

from caveat.core.errors import CaveatError
from caveat.language.question_kind import KindWeights
from caveat.training.kinds.question_kind import (
    QuestionKindData,
    QuestionKindRecipe,
    fit_question_kind,
    problems_of,
)

PAGES = QuestionKindData(path="items.jsonl", format="pages")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    asked = {
        "yes": ["can I swim here", "can I park here", "can we camp here", "can I cook here"],
        "no": ["can I smoke here", "can I fish here"],
        "span": ["what is the fee", "what is the deposit", "what is the name", "what is the address"],
        "none": ["is it red"],
    }
    lines = [
        {"language": "en", "kind": kind, "question": question, "repository": f"{kind}-{number}"}
        for kind, questions in asked.items()
        for number, question in enumerate(questions)
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_weights_and_figures_by_sources_that_were_held_out(root: Path) -> None:
    recipe = QuestionKindRecipe(kind="question-kind", language="en", data=(PAGES,), l2=0.1, fewest=2)
    tables = fit_question_kind(recipe, root / "out", data_root=root, note=lambda _: None)
    (figures,) = tables.values()
    assert figures["items.jsonl"]["questions"] == 10
    assert figures["items.jsonl"]["right"] == 100.0
    weights = json.loads((root / "out" / "question_kind.json").read_text())
    fitted = KindWeights(weights["about"], tuple(weights["constant"]), weights["cues"])
    span, several, yes_or_no = fitted.scores("can I read here", "en")
    assert yes_or_no > span > several


def test_one_kind_alone_is_refused(root: Path) -> None:
    recipe = QuestionKindRecipe(
        kind="question-kind",
        language="zh",
        data=(PAGES,),
    )
    with pytest.raises(CaveatError, match="one kind only"):
        fit_question_kind(recipe, root / "out", data_root=root, note=lambda _: None)


def test_what_is_wrong_with_a_recipe() -> None:
    recipe = QuestionKindRecipe(kind="question-kind", language="en", data=(), l2=0, folds=1)
    assert len(list(problems_of(recipe))) == 3


def test_the_command(root: Path, caveat: Callable[..., Any]) -> None:
    recipe = root / "kind.toml"
    recipe.write_text(
        'kind = "question-kind"\nlanguage = "en"\nfewest = 2\n[[data]]\npath = "items.jsonl"\nformat = "pages"\n'
    )
    done = caveat("train", recipe, "--data-root", root, "--out", root / "out")
    assert done.returncode == 0, done.stderr
    assert "items.jsonl" in done.stdout
