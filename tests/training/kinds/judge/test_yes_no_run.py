from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from caveat.benchmarks.conditionalqa.format import ConditionalQuestion
from caveat.core.errors import InputError
from caveat.models.logit import embedded_weights, read_weights
from caveat.training.fitting import fit_logit
from caveat.training.kinds.judge.recipe import TextData, YesNoData, YesNoRecipe
from caveat.training.kinds.judge.yes_no import fit_yes_no, pooled
from caveat.training.recipe import load_recipe


def asked(id: str, url: str, *evidences: str) -> ConditionalQuestion:
    return ConditionalQuestion(
        id=id, url=url, scenario="", question="Can I?", not_answerable=False, answers=(), evidences=evidences
    )


def test_evidences_stand_for_their_page() -> None:
    pages = pooled([asked("1", "a", "x", "z"), asked("2", "a", "y", "z"), asked("3", "b", "q")])
    assert set(pages["a"].contents) == {"x", "y", "z"}
    assert len(pages["a"].contents) == 3
    assert pages["a"].contents.index("x") < pages["a"].contents.index("z")
    assert pages["b"].contents == ("q",)


def test_a_feature_that_tells_gets_its_weight() -> None:
    logit = fit_logit([{"a": 1.0}, {"a": 1.0}, {"b": 1.0}, {"b": 1.0}], [1, 1, 0, 0], [1, 1, 1, 1], 0.01)
    assert logit.probability({"a": 1.0}) > 0.9 > 0.1 > logit.probability({"b": 1.0})
    assert logit.probability({"unknown": 5.0}) == pytest.approx(0.5, abs=0.01)


def test_a_run_writes_what_is_read_again(tmp_path: Path) -> None:
    questions = [
        {
            "id": str(number),
            "url": f"page {number}",
            "scenario": "",
            "question": "Can I keep bees?",
            "not_answerable": False,
            "answers": [["no" if number % 2 else "yes", []]],
            "evidences": ["<p>You cannot keep bees.</p>" if number % 2 else "<p>You can keep bees.</p>"],
        }
        for number in range(12)
    ]
    (tmp_path / "train.json").write_text(json.dumps(questions), encoding="utf-8")
    pair = {"question": "Can hens fly?", "passage": "Hens can fly a little.", "answer": "yes"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair), encoding="utf-8")
    recipe = load_recipe("conditions-en", ["texts=[]", "pages=[]", "folds=3", "l2=0.1"])
    assert isinstance(recipe, YesNoRecipe)
    recipe = msgspec.structs.replace(
        recipe, data=(YesNoData(path="train.json"),), words=(TextData(path="pairs.jsonl"),)
    )
    tables = fit_yes_no(recipe, tmp_path / "out", data_root=tmp_path)
    figures = tables["train.json, by cross-validation in 3 parts"]["yes or no, on pages that speak to it"]
    assert figures == {"right": 100, "always yes": 50, "questions": 12}
    weights = read_weights(tmp_path / "out" / "conditions.json")
    assert weights.yes.weights["best: lean"] > 0
    assert weights.asked


def test_wrong_values_are_named() -> None:
    with pytest.raises(InputError, match="above 0"):
        load_recipe("conditions-en", ["l2=0"])


def test_the_weights_of_the_package() -> None:
    for weights in (embedded_weights("en"), embedded_weights("zh")):
        assert weights.yes.probability({"best: lean": -4.0, "all: lean": -4.0, "loudest: lean": -4.0}) < 0.5
        assert weights.yes.probability({"best: lean": 4.0, "all: lean": 4.0, "loudest: lean": 4.0}) > 0.5
        assert weights.about
