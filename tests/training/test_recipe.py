"""Recipes: the shipped ones, overrides, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from caveat.core.errors import CaveatError
from caveat.training.kinds import kind_of
from caveat.training.recipe import load_recipe, recipe_names


def test_every_shipped_recipe_loads() -> None:
    names = recipe_names()
    assert {"reader-zh", "reader-en", "cmrc2018-bert", "mrqa-bert-base", "mrqa-bert-large"} <= set(names)
    for name in names:
        recipe = load_recipe(name)
        assert recipe.data or recipe.texts


def test_the_published_settings_are_as_published() -> None:
    cmrc = load_recipe("cmrc2018-bert")
    (phase,) = cmrc.phases
    assert (cmrc.learning_rate, phase.batch_size, phase.epochs) == (3e-5, 32, 2.0)
    assert (phase.window, phase.stride, cmrc.max_question_tokens) == (512, 128, 64)
    assert (cmrc.negatives, cmrc.no_answer) == (0.0, False)
    for name in ("mrqa-bert-base", "mrqa-bert-large"):
        mrqa = load_recipe(name)
        assert len(mrqa.data) == 6
        assert {data.cap for data in mrqa.data} == {75_000}
        assert (mrqa.negatives, mrqa.no_answer) == (0.0, False)


def test_the_multilingual_baseline_differs_in_the_encoder_alone() -> None:
    chinese, many = load_recipe("cmrc2018-bert"), load_recipe("cmrc2018-bert-multilingual")
    assert (many.encoder, many.lower_case) == ("bert-base-multilingual-cased", False)
    assert msgspec.structs.replace(many, encoder=chinese.encoder, lower_case=True) == chinese


def test_an_empty_value_takes_the_recipe_s_away() -> None:
    assert load_recipe("mrqa-multitask").dropout == 0.0
    # The encoder's own dropout then holds.
    assert load_recipe("mrqa-multitask", ["dropout="]).dropout is None
    assert load_recipe("mrqa-multitask", ["tuning="]).tuning is None
    assert load_recipe("mrqa-multitask", ["weight_decay= "]).weight_decay == 0.01
    # What a recipe does not say cannot be taken away, but need not be: the default holds.
    assert load_recipe("mrqa-multitask", ["lower_case="]).lower_case is None
    with pytest.raises(CaveatError, match="`encoder`"):
        load_recipe("mrqa-multitask", ["encoder="])
    with pytest.raises(CaveatError, match="no recipe key 'drop'"):
        load_recipe("mrqa-multitask", ["drop="])
    with pytest.raises(CaveatError, match="an entry of a list"):
        load_recipe("mrqa-multitask", ["data.0="])


def test_no_shipped_recipe_trains_on_what_it_is_tuned_on() -> None:
    for recipe in map(load_recipe, recipe_names()):
        if kind_of(recipe).fit is not None:
            # Measured on what is held out, or on files of their own.
            measured = {(data.path, getattr(data, "part", "")) for data in getattr(recipe, "measured", ())}
            assert measured.isdisjoint((data.path, getattr(data, "part", "")) for data in recipe.data)
            continue
        assert recipe.tuning is not None
        tuned_on = getattr(recipe.tuning, "files", (recipe.tuning,))
        assert {data.path for data in tuned_on}.isdisjoint(data.path for data in recipe.data)


def test_every_value_can_be_overridden() -> None:
    recipe = load_recipe(
        "reader-zh",
        [
            "learning_rate=1e-4",
            "phases.1.epochs=0.5",
            "data.0.cap=10",
            "encoder=some/encoder",
            "tuning.every=0",
        ],
    )
    assert recipe.learning_rate == 1e-4
    assert recipe.phases[1].epochs == 0.5
    assert recipe.data[0].cap == 10
    assert recipe.encoder == "some/encoder"
    assert recipe.tuning is not None
    assert recipe.tuning.every == 0


def test_a_list_can_be_replaced_as_a_whole() -> None:
    recipe = load_recipe("reader-zh", ['data=[{path="a.json", weight=0.5}]'])
    assert [(data.path, data.weight) for data in recipe.data] == [("a.json", 0.5)]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("learning_rat=1", r"no recipe key 'learning_rat'. Did you mean 'learning_rate'.*There are: .*seed"),
        ("phases.0.width=1", r"no recipe key in phases.0 'width'.*batch_size, epochs, stride, window"),
        ("tuning.colour=red", r"no recipe key in tuning 'colour'"),
        ("phases.7.epochs=1", r"phases has the entries 0 to 1, there is no '7'"),
        ("seed.first=1", r"seed is a single value"),
        ("seed", r"key=value, got 'seed'"),
        ("seed=high", r"expected `int`, got `str` at seed"),
        ("learning_rate=0", r"learning_rate must be above 0"),
        ("phases.0.window=40", r"a window of 40 leaves no room"),
        ("phases.0.epochs=0", r"epochs must be above 0"),
        ("ema=1", r"ema must be from 0 to below 1"),
        ("data=[]", r"at least one data set"),
        ("threads=-3", r"threads must not be below 0, got -3"),
        ("seed=-1", r"a seed is from 0 to below 4,294,967,296, got -1"),
        ("seed=100000000000000000000000", r"a seed is from 0 to below|nteger|int"),
    ],
)
def test_a_wrong_override_is_told_in_a_sentence(override: str, message: str) -> None:
    with pytest.raises(CaveatError, match=message):
        load_recipe("reader-zh", [override])


def test_a_missing_recipe_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match=r"no recipe 'reader-fr'.*reader-en, reader-zh"):
        load_recipe("reader-fr")
    with pytest.raises(CaveatError, match="no such recipe file"):
        load_recipe(str(tmp_path / "mine.toml"))


def test_a_broken_file_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("encoder = \n", encoding="utf-8")
    with pytest.raises(CaveatError, match=r"mine\.toml: broken TOML: .*line 1"):
        load_recipe(str(path))
    path.write_text('encoder = "x"\n', encoding="utf-8")
    with pytest.raises(CaveatError, match=r"mine\.toml: object missing required field `data`"):
        load_recipe(str(path))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xff\xfee\x00n\x00c\x00")
    with pytest.raises(CaveatError, match=r"mine\.toml, line 1: not UTF-8 text"):
        load_recipe(str(path))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["reader-en", "reader-zh"])
def test_the_files_of_the_embedded_readers_are_there(name: str, shared: Path) -> None:
    recipe = load_recipe(name)
    assert recipe.tuning is not None
    for path in (recipe.tuning.path, *(data.path for data in recipe.data)):
        assert (shared / "data" / path).is_file()


def test_a_recipe_extends_another(tmp_path: Path) -> None:
    base = load_recipe("mrqa-multitask")
    adversarial = load_recipe("mrqa-adversarial", ["tuning.every=7"])
    assert adversarial.data == base.data
    assert adversarial.adversarial is not None
    assert base.adversarial is None
    assert (adversarial.tuning.every, adversarial.tuning.window) == (7, base.tuning.window)
    # A file beside it, whose tables are merged and whose lists are replaced.
    (tmp_path / "mine.toml").write_text(
        'extends = "mrqa-feeding"\nfeeding.order = "sets"\n', encoding="utf-8"
    )
    (tmp_path / "more.toml").write_text(
        'extends = "mine.toml"\ndata = [{path = "x.json"}]\n', encoding="utf-8"
    )
    more = load_recipe(str(tmp_path / "more.toml"))
    assert (more.feeding.order, more.feeding.attention_over_attention) == ("sets", True)
    assert [data.path for data in more.data] == ["x.json"]


def test_a_recipe_that_extends_itself_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('extends = "b.toml"\n', encoding="utf-8")
    (tmp_path / "b.toml").write_text('extends = "a.toml"\n', encoding="utf-8")
    with pytest.raises(CaveatError, match=r"a\.toml: the recipe extends itself"):
        load_recipe(str(tmp_path / "a.toml"))
