"""Fitting weights of evidence, measured on lists that were not fitted to."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from caveat.answerers.ranking.combination import Combination, read_combinations
from caveat.answerers.ranking.evidence import CandidateList
from caveat.answerers.ranking.features import Features
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.cli.train import command
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.training.kinds.ranker.data import RankDataSet, fold_of_list, read_ranked, sentence_lists
from caveat.training.kinds.ranker.lexical import Featured, cross_validated, figures_of, fit
from caveat.training.recipe import load_recipe, recipe_names


def lists(count: int, seed: int = 0) -> list[Featured]:
    """Lists of four: `telling` is higher for the right one, `noise` is nothing, `constant` the same for all."""
    random = np.random.default_rng(seed)
    made: list[Featured] = []
    for number in range(count):
        right = random.integers(4)
        telling = random.normal(size=4) + 3 * (np.arange(4) == right)
        values = np.stack([telling, random.normal(size=4), np.full(4, float(number)), -telling], axis=1)
        of = CandidateList(
            f"question {number}",
            tuple(f"{number} {place}" for place in range(4)),
            tuple(np.arange(4) == right),
        )
        made.append((of, Features(("telling", "noise", "constant", "overlap"), values)))
    return made


def test_what_tells_gets_the_weight() -> None:
    fitted = fit(lists(200), l2=1.0).weights
    # What is the same for all candidates of a question cannot count; plain overlap must not.
    assert set(fitted) == {"telling", "noise"}
    assert fitted["telling"] > 1
    assert abs(fitted["noise"]) < 0.3
    assert fit(lists(200), l2=1e6).weights["telling"] < 0.01


def test_a_logit_of_two_by_hand() -> None:
    # The right one has 1 more in three lists, 1 less in one: odds of three to one, so a weight of ln 3.
    made = [
        (CandidateList("q", ("a", "b"), (True, False)), Features(("x",), np.array([[sign], [0.0]])))
        for sign in (1.0, 1.0, 1.0, -1.0)
    ]
    assert fit(made, l2=1e-9).weights["x"] == pytest.approx(np.log(3), abs=1e-3)
    # The last list counts three times: even.
    assert fit(made, l2=1e-9, weights=[1, 1, 1, 3]).weights.get("x", 0.0) == pytest.approx(0, abs=1e-3)


def test_lists_that_tell_nothing() -> None:
    all_right = (CandidateList("q", ("a",), (True,)), Features(("x",), np.array([[1.0]])))
    none_right = (CandidateList("q", ("a", "b"), (False, False)), Features(("x",), np.array([[1.0], [2.0]])))
    with pytest.raises(InputError, match="nothing to fit"):
        fit([all_right, none_right], l2=1.0)
    assert fit([*lists(20), all_right, none_right][:20], l2=1.0).weights


def test_no_list_is_scored_by_weights_that_have_seen_it() -> None:
    made = lists(60)
    scores = cross_validated(made, l2=1.0, folds=3)
    alone = fit(made, l2=1.0)
    assert len(scores) == 60
    assert all(
        not np.allclose(mine, alone.scores(features))
        for mine, (_, features) in zip(scores, made, strict=True)
    )
    figures = figures_of([of for of, _ in made], scores)
    assert figures["questions"] == 60
    assert figures["mrr"] > 85


def test_figures_by_hand() -> None:
    made = [CandidateList("a", ("x", "y"), (False, True)), CandidateList("b", ("x", "y"), (True, False))]
    found = figures_of(made, [np.array([2.0, 1.0]), np.array([2.0, 1.0])])
    assert found == {"mrr": 75.0, "map": 75.0, "accuracy@1": 50.0, "questions": 2}
    assert Combination({}).weights == {}


RECIPE = """
kind = "lexical"
l2 = 1.0
folds = 2
data = [{path = "pairs.tsv", format = "dbqa"}, {path = "tables.tsv", format = "tbqa"}]
measured = [{path = "pairs.tsv", format = "dbqa", cap = 3}]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    pairs, tables = [], []
    for number in range(12):
        for place in range(3):
            text = f"第{number}座桥全长{number}米。" if place == number % 3 else f"第{number}处的茶园很老。"
            pairs.append(f"第{number}座桥有多长？\t{text}\t{int(place == number % 3)}")
            cells = f"bridge {number} _|_ {number}" if place == number % 3 else "mill _|_ old"
            tables.append(
                f"{int(place == number % 3)}\thow long is bridge {number}?\tList\tName _|_ Length\t{cells}"
            )
    (folder / "pairs.tsv").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    (folder / "tables.tsv").write_text("\n".join(tables) + "\n", encoding="utf-8")
    (folder / "mine.toml").write_text(RECIPE, encoding="utf-8")
    return folder


def test_fitted_measured_and_written(root: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    out = tmp_path / "run"
    typed = [str(root / "mine.toml"), "--data-root", str(root), "--out", str(out)]
    ran = CliRunner().invoke(app, typed, catch_exceptions=False)
    assert ran.exit_code == 0
    assert "pairs.tsv, by cross-validation in 2 parts" in ran.stdout
    assert "pairs.tsv: 3 questions, 9 over the cap" in ran.stderr
    scores = json.loads((out / "scores.json").read_text())
    assert list(scores) == [
        "pairs.tsv, by cross-validation in 2 parts",
        "pairs.tsv",
        "tables.tsv, by cross-validation in 2 parts",
    ]
    for figures in scores.values():
        assert list(figures) == ["overlap", "bm25", "fitted"]
        assert figures["fitted"]["mrr"] == 100
    written = read_combinations(out / "ranking.json")
    assert written.sentences
    assert written.tables
    with pytest.raises(UsageError, match="fitted in one go"):
        CliRunner().invoke(app, [*typed, "--export-only"], catch_exceptions=False)


def test_shipped_recipes_are_sound() -> None:
    assert {"rank-zh-lexical", "rank-en-lexical", "nlpcc-dbqa", "nlpcc-tbqa"} <= set(recipe_names())
    for name in ("rank-zh-lexical", "rank-en-lexical", "nlpcc-dbqa", "nlpcc-tbqa"):
        load_recipe(name)


@pytest.mark.parametrize(
    ("recipe", "override", "problem"),
    [
        ("rank-zh-lexical", "l2=0", "l2 must be above 0"),
        ("rank-zh-lexical", "folds=1", "folds must be 0 or at least 2"),
        ("rank-zh-lexical", "data=[]", "at least one data set"),
        ("rank-zh-lexical", "data.0.cap=0", "a cap and a weight above 0"),
        ("rank-zh-lexical", 'measured=[{path="a", format="tbqa"}]', "which nothing is fitted to"),
        ("nlpcc-dbqa", "hard=2", "hard is a share"),
        ("nlpcc-dbqa", "neighbours=-1", "neighbours must not be below 0"),
        ("nlpcc-dbqa", "loss=pairwise", "Invalid enum value|invalid enum value"),
        ("nlpcc-dbqa", "tuning.folds=1", "at least 2 folds"),
        ("nlpcc-tbqa", "wrong=0", "one of them must be above"),
        ("nlpcc-tbqa", "data.0.weight=0", "a cap and a weight above 0"),
    ],
)
def test_wrong_values(recipe: str, override: str, problem: str) -> None:
    with pytest.raises(CaveatError, match=problem):
        load_recipe(recipe, [override])


def test_sentences_of_a_passage() -> None:
    text = "The mill is old. It was built in 1820. Ada lives there."
    spans = (GoldSpan("1820", text.index("1820")),)
    passage = Passage(
        text,
        (
            PassageQuestion("a", "When was it built?", (spans,)),
            PassageQuestion("b", "Who?", (), {"is_impossible": True}),
        ),
    )
    first, second = sentence_lists([passage])
    assert first.candidates == ("The mill is old.", "It was built in 1820.", "Ada lives there.")
    assert first.right == (False, True, False)
    assert second.right == (False, False, False)
    # All questions on a passage are in one fold.
    assert fold_of_list(first, 97) == fold_of_list(second, 97)


def test_lists_that_cannot_be_learnt_from(tmp_path: Path) -> None:
    data = RankDataSet(path="pairs.tsv", format="dbqa")
    (tmp_path / "pairs.tsv").write_text("q\ta\t0\nq\tb\t0\nr\ta\t1\n")
    left_out: Counter[str] = Counter()
    assert [each.question for each in read_ranked(data, tmp_path, 1, left_out)] == ["r"]
    assert left_out == {"without a right candidate": 1}
    (tmp_path / "pairs.tsv").write_text("q\ta\t0\n")
    with pytest.raises(InputError, match="no question with a right candidate"):
        read_ranked(data, tmp_path, 1, left_out)
    (tmp_path / "pairs.tsv").write_text("q\ta\n")
    with pytest.raises(InputError, match="has no labels"):
        read_ranked(data, tmp_path, 1, left_out)
