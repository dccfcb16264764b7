"""Recipes of taggers: the shipped ones, their modes, and what is said about a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.core.errors import CaveatError
from caveat.training.kinds.tagger.data import TaggerRecipe
from caveat.training.recipe import load_recipe


def tagger(name: str, *overrides: str) -> TaggerRecipe:
    recipe = load_recipe(name, overrides)
    assert isinstance(recipe, TaggerRecipe)
    return recipe


def test_the_modes_of_the_paper_are_layers() -> None:
    assert tagger("cmqa-spans").layers == (("condition",), ("coarse", "fine"))
    assert tagger("cmqa-spans", 'layers=[["condition", "coarse", "fine"]]').layers == (
        ("condition", "coarse", "fine"),
    )
    for kind in ("condition", "coarse", "fine"):
        alone = tagger("cmqa-spans", f'layers=[["{kind}"]]')
        assert alone.layers == ((kind,),)
        assert alone.clausal == (("condition",) if kind == "condition" else ())


def test_a_fold_and_a_start_can_be_chosen() -> None:
    recipe = tagger("cmqa-spans", "fold=3", "start=")
    assert (recipe.fold, recipe.folds, recipe.start) == (3, 5, "")
    assert tagger("multispan-en", "fold=-1").fold == -1


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("layers=[]", "a tagger needs layers"),
        ('layers=[["fine"], []]', "a tagger needs layers"),
        ('layers=[["condition"], ["condition", "fine"]]', "belongs to one layer"),
        ('clause_kinds=["colour"]', "clause_kinds names 'colour', which is in no layer"),
        ("fold=5", r"fold must be from 0 to below folds \(5\), or -1"),
        ("folds=1", r"fold must be from 0 to below folds \(1\)"),
        ("data.2.span_kind=", "cail2021_multispan.json.gz needs span_kind"),
        ("data.2.span_kind=sentence", "has spans of the kind 'sentence', which is in no layer"),
        ('layers=[["answer"]]', "none of the data sets has spans of a kind that is in a layer"),
        ("data.2.held_out=true", "its format is not that of the metric 'cmqa'"),
        ("negatives=0.1", "no recipe key 'negatives'"),
        ("kind=reader", "nvalid enum value 'reader'"),
        ("phases.0.window=40", "a window of 40 leaves no room"),
        (
            "data=[{path='a', format='cmqa'}]",
            "tuning needs a path, or a data set of which a fold is held out",
        ),
    ],
)
def test_a_wrong_override_is_told_in_a_sentence(override: str, message: str) -> None:
    with pytest.raises(CaveatError, match=message):
        load_recipe("cmqa-spans", [override])


def test_an_unknown_kind(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('kind = "oracle"\n', encoding="utf-8")
    with pytest.raises(CaveatError, match=r"no kind of recipe 'oracle'.*reader, .*tagger"):
        load_recipe(str(path))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["cmqa-spans", "multispan-en"])
def test_the_files_of_the_embedded_taggers_are_there(name: str, shared: Path) -> None:
    for data in tagger(name).data:
        assert (shared / "data" / data.path).is_file()
