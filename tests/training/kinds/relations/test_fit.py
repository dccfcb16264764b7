"""A relation model fitted to a few invented samples, by itself and by a recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caveat.answerers.documents.structure.relations import read_model
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.predict import spans_of, with_relations
from caveat.core.errors import InputError
from caveat.training.kinds.relations.fit import cross_validated, fit, fit_relations, measure
from caveat.training.kinds.relations.recipe import RelationData, RelationRecipe, problems_of

PLANTS = ("月季", "兰花", "茉莉", "海棠", "芦荟", "吊兰")


def samples() -> list[CmqaSample]:
    """ "比如" leads from a coarse answer to its fine ones, "另外" away from it."""
    found = []
    for plant in PLANTS:
        for word, under in (("比如", True), ("另外", False)):
            sample = _marked(
                f"[condition:如果{plant}缺肥]，可以用[coarse:肥料]，{word}[fine:豆饼]、[fine:羊粪]等。",
                f"{plant}？",
            )
            condition, coarse, *fine = spans_of(sample)
            head = coarse if under else condition
            found.append(with_relations(sample, [(condition, coarse), *((head, one) for one in fine)]))
    return found


def _marked(text: str, question: str) -> CmqaSample:
    spans: dict[str, list[cmqa.LabelledSpan]] = {"condition": [], "coarse": [], "fine": []}
    context = ""
    for number, piece in enumerate(text.replace("]", "[").split("[")):
        if number % 2:
            kind, _, piece = piece.partition(":")
            spans[kind].append(cmqa.LabelledSpan(piece, len(context), len(context) + len(piece)))
        context += piece
    return CmqaSample(context, question, *map(tuple, spans.values()))


def predicted(model: Any, sample: CmqaSample) -> CmqaSample:
    return with_relations(sample, [one.pair for one in model.relate(sample.context, spans_of(sample))])


def test_a_fitted_model_gives_back_what_it_was_fitted_to() -> None:
    model = fit(samples(), l2=0.1, least=2)
    assert [predicted(model, sample) for sample in samples()] == samples()
    assert {"比如", "另外"} <= set(model.features["before 2 list"].worded)


def test_rare_words_are_not_learned() -> None:
    assert fit(samples(), l2=0.1, least=100).features["before 2 list"].worded == {}


def test_a_stronger_penalty_makes_smaller_weights() -> None:
    loose, tight = (fit(samples(), l2=l2, least=2).weights for l2 in (0.1, 10.0))
    assert np.linalg.norm(tight) < np.linalg.norm(loose) / 2


def test_every_fit_ends_alike() -> None:
    assert fit(samples(), l2=1.0, least=2).features == fit(samples(), l2=1.0, least=2).features


def test_data_without_answers_cannot_be_fitted() -> None:
    with pytest.raises(InputError, match="no answers"):
        fit([CmqaSample("甲。", "乙？")], l2=1.0, least=2)


def test_no_sample_is_measured_by_a_model_that_saw_its_context() -> None:
    # One context with contradicting heads elsewhere: what is learned from it must not help it.
    odd = _marked("[condition:忽冷忽热]则[coarse:搬家]，甚至[fine:换盆]。", "怎么办？")
    condition, coarse, fine = spans_of(odd)
    odd = with_relations(odd, [(coarse, fine)])
    recipe = RelationRecipe(kind="relations", data=(), l2=0.01, least=1, folds=4)
    everything = [*samples(), odd, odd]
    seen = fit(everything, l2=0.01, least=1)
    assert predicted(seen, odd) == odd
    *_, first, second = cross_validated(everything, recipe)
    assert first == second != odd
    assert condition in spans_of(first)


@pytest.fixture
def recipe(tmp_path: Path) -> RelationRecipe:
    cmqa.write(tmp_path / "train.jsonl", samples()[:8])
    cmqa.write(tmp_path / "dev.jsonl", samples()[8:])
    return RelationRecipe(
        kind="relations",
        data=(RelationData(path="train.jsonl"),),
        held_out=RelationData(path="dev.jsonl"),
        l2=0.1,
        least=2,
        folds=3,
    )


def test_a_recipe_measures_and_then_fits_to_all(recipe: RelationRecipe, tmp_path: Path) -> None:
    said: list[str] = []
    tables = fit_relations(recipe, tmp_path / "out", data_root=tmp_path, note=said.append)
    on_held_out, by_parts = tables.values()
    assert list(on_held_out) == ["nearest", "nearest, coarse first", "fitted"]
    # Nearest: the condition for the fine answers under a coarse one too (2 of 4 samples), the coarse one always.
    # Gold 3 × 2 + 1 × 2 = 8 condition pairs of 12 predicted; coarse-fine 4 of 8.
    assert on_held_out["nearest"] == {
        "condition-answer F1": pytest.approx(100 * 2 * 8 / (8 + 12)),
        "condition-answer EM": 50.0,
        "coarse-fine F1": pytest.approx(100 * 2 * 4 / (4 + 8)),
        "coarse-fine EM": 100.0,
    }
    assert set(on_held_out["fitted"].values()) == set(by_parts["fitted"].values()) == {100.0}
    assert said == ["dev.jsonl: measured.", "cross-validation in 3 parts: measured."]
    assert json.loads((tmp_path / "out" / "scores.json").read_text("utf-8")) == tables
    model = read_model(tmp_path / "out" / "relations.json")
    assert [predicted(model, sample) for sample in samples()] == samples()
    about = json.loads((tmp_path / "out" / "relations.json").read_text("utf-8"))["about"]
    assert (about["samples"], about["recipe"]["l2"]) == (12, 0.1)


def test_what_is_wrong_with_a_recipe() -> None:
    wrong = RelationRecipe(kind="relations", data=(), l2=0.0, folds=1, fold=1)
    assert [problem.split(",")[0] for problem in problems_of(wrong)] == [
        "a recipe needs at least one data set",
        "l2 must be above 0",
        "folds must be 0 or at least 2",
        "fold must be from 0 to below folds (1)",
    ]
    assert not list(problems_of(RelationRecipe(kind="relations", data=(RelationData(path="a"),), folds=0)))


@pytest.mark.shared
def test_a_fitted_model_beats_the_rules_on_the_published_data(shared: Path) -> None:
    folder = shared / "data" / "cmqa"
    train, dev = (
        [sample for _, sample in cmqa.read(folder / name)] for name in ("train_part.jsonl.gz", "dev.jsonl.gz")
    )
    model = fit(train, l2=6.0, least=8)
    found = [
        with_relations(
            sample, [one.pair for one in model.relate(sample.context, spans_of(sample), sample.question)]
        )
        for sample in dev
    ]
    figures = [figure or 0.0 for figure in measure(dev, found).values()]
    assert (np.array(figures) >= [95, 83, 89, 67]).all()


def test_as_a_user_types_it(caveat: Any, tmp_path: Path) -> None:
    cmqa.write(tmp_path / "train.jsonl", samples())
    (tmp_path / "mine.toml").write_text('kind = "relations"\ndata = [{path = "train.jsonl"}]\nleast = 2\n')
    done = caveat("train", "mine.toml", "--out", "run", "--set", "l2=0.5", "--set", "folds=2")
    assert done.returncode == 0, done.stderr
    assert "all samples, by cross-validation in 2 parts" in done.stdout
    assert "cross-validation in 2 parts: measured." in done.stderr
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["relations.json", "scores.json"]
    done = caveat("train", "mine.toml", "--out", "run", "--set", "folds=1")
    assert (done.returncode, done.stdout) == (1, "")
    assert "mine.toml: folds must be 0 or at least 2, got 1" in done.stderr
    done = caveat("train", "mine.toml", "--out", "run", "--export-only")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--export-only and --plot are not for it" in done.stderr
