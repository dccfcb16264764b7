from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.answerers.tables.confidence import embedded_weights, read_weights
from caveat.core.errors import InputError
from caveat.core.records import Table
from caveat.training.kinds.tables import TableQuestion, TablesRecipe, cloze, is_right, train_tables
from caveat.training.recipe import load_recipe

FARMS = Table(("farm", "county", "cows"), (("old mill", "north", "40"), ("skerry", "west", "15")), "farms")


def test_a_statement_becomes_a_question() -> None:
    assert cloze("the farm have 2 barn", FARMS) == TableQuestion("the farm have how many barn ?", ("2",))
    assert cloze("the most cow be at old mill", FARMS) == TableQuestion(
        "the most cow be at which farm ?", ("old mill",), open=True
    )
    assert cloze("it close in 1998", FARMS) is None


@pytest.mark.parametrize(
    ("text", "answers", "right"),
    [
        ("1,200", ("1200",), True),
        ("$3.5", ("3.50",), True),
        ("Ann; Bob", ("bob", "Ann"), True),
        ("Ann", ("bob", "Ann"), False),
        ("Ann; Bob", ("Ann",), False),
    ],
)
def test_what_is_right(text: str, answers: tuple[str, ...], right: bool) -> None:
    assert is_right(text, TableQuestion("", answers)) is right


def test_more_cells_than_the_one_that_is_known() -> None:
    question = TableQuestion("which farm ?", ("skerry",), open=True)
    assert is_right("old mill; skerry", question) is None
    assert is_right("skerry", question) is True
    assert is_right("old mill", question) is False


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


def test_a_run_writes_what_is_read_again(tmp_path: Path) -> None:
    write_questions(tmp_path / "farms.jsonl")
    data = 'data=[{path="farms.jsonl", format="questions"}]'
    recipe = load_recipe("tables-confidence", [data, "measured=[]", "folds=3", "l2=0.1"])
    assert isinstance(recipe, TablesRecipe)
    (figures,) = train_tables(recipe, tmp_path / "out", data_root=tmp_path).values()
    assert figures["prior"]["questions"] == figures["fitted"]["questions"] == 40
    assert figures["fitted"]["log_loss"] < figures["prior"]["log_loss"]
    assert figures["fitted"]["answered_right"] == 100
    weights = read_weights(tmp_path / "out" / "confidence.json")
    assert weights.confidence.weights["count"] < recipe.prior.weights["count"]
    assert weights.about["figures"] == json.loads(
        (tmp_path / "out" / "scores.json").read_text(encoding="utf-8")
    )


def test_wrong_values_are_named() -> None:
    with pytest.raises(InputError, match="above 0"):
        load_recipe("tables-confidence", ["l2=0"])
    with pytest.raises(InputError, match="needs a weight above 0"):
        load_recipe("tables-confidence", ["data.0.weight=0"])


def test_the_weights_of_the_package() -> None:
    weights = embedded_weights()
    assert weights.confidence.weights["ratio or change"] < 0
    assert {"recipe", "figures"} <= weights.about.keys()
