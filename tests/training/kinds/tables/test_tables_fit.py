from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.answerers.tables import choice, confidence
from caveat.benchmarks.nlpcc import tbqa_format as tbqa
from caveat.core.errors import InputError
from caveat.core.json_files import read_json
from caveat.core.records import Table
from caveat.training.kinds.tables.data import TablesRecipe
from caveat.training.kinds.tables.fit import train_tables
from caveat.training.recipe import load_recipe


def write_questions(path: Path) -> None:
    """Look-ups have the right answer, counts a wrong one."""
    tables = [
        {
            "headers": ["Farm", "County"],
            "rows": [[f"Skerry {number}", "West"], [f"Carrow {number}", "East"]],
            "caption": f"Farms {number}",
            "questions": [
                [f"Which county is Carrow {number} in?", ["East"]],
                ["How many farms are in the county West?", ["7"]],
            ],
        }
        for number in range(20)
    ]
    path.write_text("".join(json.dumps(table) + "\n" for table in tables), encoding="utf-8")


def write_lists(path: Path) -> None:
    """Each question has all of its words in the right table, and one in the wrong one."""
    pairs = [
        tbqa.TbqaPair(
            f"How large is the {farm} farm?",
            Table(("farm", "large"), ((other if label else "mill", "40"),), f"list {number}"),
            label,
        )
        for number, farm in enumerate(("skerry", "carrow", "skeld", "lindholm"))
        for label, other in ((1, farm), (0, farm))
    ]
    tbqa.write(path, pairs)


def test_a_run_writes_what_is_read_again(tmp_path: Path) -> None:
    write_questions(tmp_path / "farms.jsonl")
    write_lists(tmp_path / "lists.tsv")
    data = 'data=[{path="farms.jsonl", format="questions"}]'
    lists = 'lists=[{path="lists.tsv", sizes=[2]}]'
    recipe = load_recipe(
        "tables-confidence",
        [data, lists, f"measured_{lists}", "measured=[]", "folds=3", "l2=0.1"],
    )
    assert isinstance(recipe, TablesRecipe)
    figures, of_lists = train_tables(recipe, tmp_path / "out", data_root=tmp_path).values()
    assert of_lists["fitted"]["right table first"] == 100
    assert figures["prior"]["questions"] == figures["fitted"]["questions"] == 40
    assert figures["fitted"]["log_loss"] < figures["prior"]["log_loss"]
    assert figures["fitted"]["answered_right"] == 100
    weights = confidence.read_weights(tmp_path / "out" / "confidence.json")
    assert weights.confidence.weights["count"] < recipe.prior.weights["count"]
    chosen = read_json(tmp_path / "out" / "choice.json", choice.ChoiceWeights)
    assert chosen.answerable.weights["share"] > 0 < chosen.temperature
    scores = json.loads((tmp_path / "out" / "scores.json").read_text(encoding="utf-8"))
    assert [weights.about["figures"], chosen.about["figures"]] == [{title: scores[title]} for title in scores]


def test_wrong_values_are_named() -> None:
    with pytest.raises(InputError, match="above 0"):
        load_recipe("tables-confidence", ["l2=0"])
    with pytest.raises(InputError, match="sizes of at least 2"):
        load_recipe("tables-confidence", ["lists.0.sizes=[1]"])
    with pytest.raises(InputError, match="needs a weight above 0"):
        load_recipe("tables-confidence", ["data.0.weight=0"])


def test_the_weights_of_the_package() -> None:
    weights = confidence.embedded_weights()
    assert weights.confidence.weights["ratio or change"] < 0
    assert {"recipe", "figures"} <= weights.about.keys()
    chosen = choice.embedded_weights()
    assert chosen.answerable.weights["share"] > 0
    assert {"recipe", "figures"} <= chosen.about.keys()
