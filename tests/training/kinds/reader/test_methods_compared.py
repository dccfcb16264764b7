"""`caveat bench methods`: a row a method, on data of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.bench.measure import Cell
from caveat.bench.methods import METHODS, bench_methods, recipe_for
from caveat.core.errors import CaveatError
from caveat.training.kinds.reader.recipe import Feeding
from caveat.training.recipe import recipe_names


@pytest.fixture
def root(data_file: Path, tmp_path: Path) -> Path:
    articles = json.loads(data_file.read_text("utf-8"))["data"]
    for folder, name, part in (
        ("train", "zh.json", articles[:2]),
        ("train", "SearchQA.json", articles[2:3]),
        ("in-domain", "zh.json", articles[:1]),
        ("out-of-domain", "en.json", articles[3:]),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(json.dumps({"data": part}), encoding="utf-8")
    return tmp_path


def test_every_method_has_a_recipe() -> None:
    shipped = {name.removeprefix("mrqa-") for name in recipe_names() if name.startswith("mrqa-")}
    assert {
        method for method in METHODS if method not in ("multitask-again", "feeding-in-turn", "ensemble")
    } <= shipped


def test_a_method_s_recipe_is_put_on_other_data(root: Path) -> None:
    recipe = recipe_for("sampling", root, 10, ["encoder=tiny"])
    assert [(data.path, data.cap) for data in recipe.data] == [
        # Ten windows of two sets, every third of them without an answer.
        ("train/SearchQA.json", 3),
        ("train/zh.json", 3),
    ]
    assert [data.distant for data in recipe.data] == [True, False]
    assert recipe.encoder == "tiny"
    assert recipe.tuning is not None
    assert recipe.tuning.path == "in-domain/zh.json"
    (root / "tune").mkdir()
    (root / "tune" / "apart.json").write_text("", encoding="utf-8")
    recipe = recipe_for("feeding-in-turn", root, 10)
    assert recipe.tuning is not None
    assert recipe.tuning.path == "tune/apart.json"
    assert recipe.feeding == Feeding(order="sets", attention_over_attention=False)


def test_inference_is_learnt_from_a_folder_of_its_own(root: Path) -> None:
    with pytest.raises(CaveatError, match="inference has no data file"):
        recipe_for("experts", root, 10)
    (root / "inference").mkdir()
    (root / "inference" / "pairs.jsonl").write_text("", encoding="utf-8")
    recipe = recipe_for("experts", root, 10)
    assert recipe.auxiliary is not None
    assert recipe.auxiliary.inference is not None
    assert [data.path for data in recipe.auxiliary.inference.data] == ["inference/pairs.jsonl"]


@pytest.mark.torch
def test_a_row_a_method_and_none_twice(root: Path, encoder_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")

    def rows(*methods: str, questions: int = 4) -> dict[str, tuple[Cell, ...]]:
        measured = bench_methods(
            root,
            budget=8,
            questions=questions,
            methods=methods,
            overrides=[
                f"encoder={encoder_folder}", "threads=1", "max_question_tokens=24",
                "phases=[{window=64, stride=24, batch_size=4, epochs=1.0}]", "tuning.window=64", "tuning.stride=24",
            ],
            out=tmp_path / "runs",
        )  # fmt: skip
        assert all(len(row) == len(measured.columns) for row in measured.rows)
        return {str(row[0]): row for row in measured.rows}

    first = rows("multitask", "frozen")
    assert list(first) == ["multitask", "frozen"]
    assert all(0 <= float(cell) <= 100 for row in first.values() for cell in row[1:5])  # type: ignore[arg-type]
    assert all(float(cell) > 0 for row in first.values() for cell in row[5:])  # type: ignore[arg-type]
    by_file = json.loads((tmp_path / "runs" / "frozen" / "figures.json").read_text("utf-8"))["groups"]
    assert by_file.keys() == {"in-domain", "out-of-domain"}
    assert by_file["out-of-domain"]["en"]["f1"] == first["frozen"][4]
    # The ensemble needs both of its members; what was measured already has the very same seconds.
    then = rows("ensemble")
    assert list(then) == ["multitask", "multitask-again", "ensemble"]
    assert then["multitask"] == first["multitask"]
    assert then["ensemble"][5] == pytest.approx(
        float(then["multitask"][5]) + float(then["multitask-again"][5])
    )  # type: ignore[arg-type]
    # Measured on fewer questions it is another row, of the same run.
    fewer = rows("multitask", questions=1)
    assert fewer["multitask"][5] == first["multitask"][5]
    assert fewer["multitask"][6] != first["multitask"][6]


@pytest.mark.torch
def test_what_is_missing_is_told(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    with pytest.raises(CaveatError, match="the folders train, in-domain and out-of-domain"):
        bench_methods(tmp_path)
    with pytest.raises(CaveatError, match=r"no method 'magic'.*multitask"):
        bench_methods(tmp_path, methods=["magic"])
