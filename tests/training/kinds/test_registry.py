"""The registry of kinds of model: those of the package, and one that is added from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError
from caveat.training.kinds import BUILT_IN, find_kind, kind_names, kind_of
from caveat.training.recipe import load_recipe, recipe_names
from caveat.training.train import export_run, train

TOY = """
from typing import Literal

import msgspec

from caveat.core.json_files import write_json
from caveat.training.kinds import Kind


class ToyRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    kind: Literal["toy"]
    data: str
    times: int = 1


def problems_of(recipe):
    if recipe.times < 1:
        yield f"times must be above 0, got {recipe.times}"


def fit(recipe, out, *, data_root, note):
    words = (data_root / recipe.data).read_text().split()
    note(f"{len(words)} words")
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "toy.json", {"length": recipe.times * len(words)})
    return {"toy": {"fitted": {"words": len(words)}}}


KIND = Kind(name="toy", recipe=ToyRecipe, problems=problems_of, fit=fit, needs=())
NO_KIND = "a text"
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with a kind of its own, and a recipe for it."""
    installed = tmp_path / "site"
    about = installed / "toy_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (installed / "toy_kind.py").write_text(TOY)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[caveat.kinds]\ntoy = toy_kind:KIND\nbad = toy_kind:NO_KIND\n")
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, "toy_kind", raising=False)
    (tmp_path / "words.txt").write_text("the mill by the river")
    recipe = tmp_path / "toy.toml"
    recipe.write_text('kind = "toy"\ndata = "words.txt"\n')
    return recipe


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_kind_of_the_package_is_found_by_its_name(name: str) -> None:
    kind = find_kind(name)
    assert kind.name == name
    assert (kind.fit is None) != (kind.method is None)
    assert (kind.export is None) == (kind.method is None)


def test_every_shipped_recipe_is_of_a_kind_of_the_package() -> None:
    assert {kind_of(load_recipe(name)).name for name in recipe_names()} <= set(BUILT_IN)


def test_a_recipe_that_does_not_say_its_kind_is_a_reader_s(tmp_path: Path) -> None:
    recipe = tmp_path / "plain.toml"
    recipe.write_text(
        """
        encoder = "e"
        data = [{path = "d.json"}]
        phases = [{window = 96, stride = 32, batch_size = 4, epochs = 1}]
        """
    )
    assert kind_of(load_recipe(str(recipe))).name == "reader"


def test_a_kind_from_outside_is_read_checked_and_fitted(toy: Path, tmp_path: Path) -> None:
    assert kind_names() == [*BUILT_IN, "toy", "bad"]
    notes: list[str] = []
    result = train(toy, tmp_path / "out", overrides=["times=3"], data_root=tmp_path, note=notes.append)
    assert result.tables == {"toy": {"fitted": {"words": 5}}}
    assert notes == ["5 words"]
    assert "15" in (tmp_path / "out" / "toy.json").read_text()
    with pytest.raises(CaveatError, match="times must be above 0, got 0"):
        train(toy, tmp_path / "out", overrides=["times=0"], data_root=tmp_path)
    with pytest.raises(CaveatError, match="no recipe key 'time'"):
        train(toy, tmp_path / "out", overrides=["time=2"], data_root=tmp_path)
    with pytest.raises(CaveatError, match="fitted in one go"):
        export_run(toy, tmp_path / "out")


def test_what_is_no_kind(toy: Path) -> None:
    with pytest.raises(CaveatError, match=r"'bad' of 'caveat\.kinds' is not a Kind, but a str"):
        find_kind("bad")
    with pytest.raises(CaveatError, match=r"no kind of recipe 'reeder'.*reader"):
        find_kind("reeder")


def test_a_module_that_is_missing_is_told_before_anything_is_read(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy_kind = toy.parent / "site" / "toy_kind.py"
    toy_kind.write_text(TOY.replace("needs=()", 'needs=("a_module_of_the_moon",)'))
    with pytest.raises(CaveatError, match="needs a_module_of_the_moon, of the extra `train`"):
        train(toy, tmp_path / "out", data_root=tmp_path)
    assert not (tmp_path / "out").exists()


def test_recipes_are_checked_without_torch_or_scipy() -> None:
    code = (
        "import sys; from caveat.training.recipe import load_recipe, recipe_names;"
        "import caveat.training.train;"
        "[load_recipe(name) for name in recipe_names()];"
        "print(sorted({'torch', 'scipy', 'onnx', 'transformers', 'onnxruntime'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
