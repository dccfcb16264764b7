"""Fits of lexical evidence by a recipe, as a function and as typed."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from caveat.answerers.ranking.combination import read_combinations
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.cli.train import command
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.training.kinds.ranker.data import RankDataSet, fold_of_list, read_ranked, sentence_lists
from caveat.training.recipe import load_recipe, recipe_names

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
