"""Scores for candidates, one a line, as a function and as typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from caveat.answerers.ranking.combination import COMBINATION, Combination, write_combinations
from caveat.benchmarks.nlpcc import ranked_predict as module
from caveat.benchmarks.nlpcc.ranked_predict import METHODS, predict_ranked
from caveat.benchmarks.verbs import evaluate, predict
from caveat.cli.predict import command
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError

app = typer.Typer()
app.command()(command)

SENTENCES = """\
石桥有多长？	石桥在清水河上。	0
石桥有多长？	石桥全长46米。	1
渡船什么时候开？	渡船在北岸，渡船很大。	0
渡船什么时候开？	每天早上7点开。	1
渡船什么时候开？	渡船在北岸，渡船很大。	0
谁？	只有一句。	1
"""
TABLES = """\
t1	Ferries	Ferry _|_ Port	Gannet _|_ Lindholm _||_ Tern _|_ Old Harbour
t2	Mills	Mill _|_ Year	Low Mill _|_ 1820
"""
PAIRS = """\
0	which port has the tern?	t2
1	which port has the tern?	t1
1	when was low mill built?	t2
0	when was low mill built?	t1
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "pairs.tsv").write_text(SENTENCES, encoding="gb18030")
    (tmp_path / "tables.tsv").write_text(TABLES)
    (tmp_path / "cand.tsv").write_text(PAIRS)
    return tmp_path


def scores_in(path: Path) -> list[float]:
    return list(map(float, path.read_text().splitlines()))


@pytest.fixture(autouse=True)
def no_embedded_ranker(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later release carries does not matter here."""
    monkeypatch.setattr(module, "embedded", dict)


def test_the_lexical_combination_without_any_ranker(data: Path) -> None:
    out = data / "out.txt"
    done = predict_ranked("nlpcc-dbqa", data / "pairs.tsv", out)
    assert (done.method, done.model, done.questions, done.candidates, done.alone) == ("lexical", "", 3, 6, 1)
    scores = evaluate("nlpcc-dbqa", data / "pairs.tsv", out).scores
    assert (scores["mrr"], scores["tied_questions"]) == (100, 0)
    done = predict_ranked("nlpcc-tbqa", data / "cand.tsv", out, tables=data / "tables.tsv")
    assert (done.method, done.questions, done.candidates) == ("lexical", 2, 4)
    assert evaluate("nlpcc-tbqa", data / "cand.tsv", out).scores["accuracy@1"] == 100


@pytest.mark.parametrize("method", METHODS[2:])
def test_no_two_scores_are_alike(data: Path, method: str) -> None:
    predict_ranked("nlpcc-dbqa", data / "pairs.tsv", data / "out.txt", method=method)
    found = scores_in(data / "out.txt")
    assert len(set(found)) == len(found) == 6
    # Of two sentences that are the same, the first stays ahead where nothing but words counts.
    if method != "lexical":
        assert found[2] > found[4] > found[2] - 1e-6


def test_with_a_ranker(data: Path, ranker_folder: Path, tmp_path: Path) -> None:
    (data / "en.tsv").write_text("color red?\tdog\ncolor red?\tred red color\ncolor red?\tred\n")
    done = predict_ranked("nlpcc-dbqa", data / "en.tsv", data / "out.txt", model=ranker_folder)
    # Without a ranking.json in its folder the ranker alone decides.
    assert (done.method, done.model) == ("combined", "tiny-ranker")
    assert scores_in(data / "out.txt") == [-2, 1, -1]


def test_the_combination_in_the_ranker_s_folder(data: Path, ranker_folder: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(ranker_folder, tmp_path / "model"))
    write_combinations(folder / COMBINATION, {"sentences": Combination({"ranker": -1.0, "first": 10.0})}, {})
    (data / "en.tsv").write_text("color red?\tdog\ncolor red?\tred red color\ncolor red?\tred\n")
    predict_ranked("nlpcc-dbqa", data / "en.tsv", data / "out.txt", model=folder)
    assert scores_in(data / "out.txt") == [12, -1, 1]
    predict_ranked("nlpcc-dbqa", data / "en.tsv", data / "out.txt", model=folder, method="ranker")
    assert scores_in(data / "out.txt") == [-2, 1, -1]


def test_as_typed(data: Path, ranker_folder: Path) -> None:
    out = data / "out.txt"
    typed = ["nlpcc-dbqa", "--data", str(data / "pairs.tsv"), "--out", str(out)]
    ran = CliRunner().invoke(app, [*typed, "--json"], catch_exceptions=False)
    assert ran.exit_code == 0
    assert '"candidates":6' in ran.stdout
    assert "1 question with one candidate only" in ran.stderr
    assert "6 scores for 3 questions written to" in ran.stderr
    ran = CliRunner().invoke(
        app,
        [*typed, "--model", str(ranker_folder), "--method", "ranker", "--threads", "1"],
        catch_exceptions=False,
    )
    assert "by ranker (tiny-ranker)" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nlpcc-dbqa", "--method", "bm26"], "no method 'bm26'"),
        (["nlpcc-dbqa", "--method", "bm25", "--model", "x"], "uses no model"),
        (["nlpcc-dbqa", "--method", "ranker"], "none came with this installation"),
        (["nlpcc-dbqa", "--method", "embedding"], "--method embedding and --encoder go together"),
        (["nlpcc-dbqa", "--encoder", "x"], "--method embedding and --encoder go together"),
        (["nlpcc-dbqa", "--tables", "x"], "does not take --tables"),
        (["nlpcc-dbqa", "--window", "9"], "does not take --window"),
        (["nlpcc-tbqa"], "the file with the tables is needed too"),
        (["squad", "--tables", "x"], "does not take --tables"),
        (["squad", "--method", "bm25"], "does not take --method"),
    ],
)
def test_what_does_not_go_together(data: Path, arguments: list[str], problem: str) -> None:
    file = "cand.tsv" if arguments[0] == "nlpcc-tbqa" else "pairs.tsv"
    typed = [*arguments, "--data", str(data / file), "--out", str(data / "out.txt")]
    with pytest.raises(CaveatError, match=problem):
        CliRunner().invoke(app, typed, catch_exceptions=False)
    assert not (data / "out.txt").exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "has no candidates"),
        ("q\ta\t0\nq\tb\n", "line 2: expected 3 tab-separated columns"),
        ("q\ta\tb\n", "expected a label"),
        ("q\n", "found 1 columns"),
    ],
)
def test_files_that_are_not_pairs(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "pairs.tsv").write_text(content)
    with pytest.raises(InputError, match=problem):
        predict_ranked("nlpcc-dbqa", tmp_path / "pairs.tsv", tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


def test_unknown_names(data: Path) -> None:
    with pytest.raises(UnknownNameError, match="There are: nlpcc-dbqa, nlpcc-tbqa"):
        predict_ranked("squad", data / "pairs.tsv", data / "out.txt")
    with pytest.raises(UsageError, match="does not take --tables"):
        predict("nlpcc-dbqa", data / "pairs.tsv", data / "out.txt", tables="x")


def test_odd_tables(tmp_path: Path) -> None:
    """No headers, ragged rows, column names twice, nothing at all."""
    rows = [
        "0\twhich port?\tFerries\t\tGannet _|_ Lindholm",
        "1\twhich port?\t\tPort _|_ Port\tOld Harbour",
        "0\twhich port?\tx\ta _|_ b\t1 _||_ 2 _|_ 3 _|_ 4",
        "0\twhich port?\t\t\t",
    ]
    (tmp_path / "cand.tsv").write_text("\n".join(rows) + "\n")
    done = predict_ranked("nlpcc-tbqa", tmp_path / "cand.tsv", tmp_path / "out.txt")
    assert done.candidates == 4
    assert scores_in(tmp_path / "out.txt")[1] == max(scores_in(tmp_path / "out.txt"))


@pytest.mark.shared
def test_figures_on_the_published_lists(shared: Path, tmp_path: Path) -> None:
    data: Any = shared / "data" / "nlpcc" / "dbqa" / "valid_part.tsv.gz"
    predict_ranked("nlpcc-dbqa", data, tmp_path / "out.txt", method="bm25")
    assert evaluate("nlpcc-dbqa", data, tmp_path / "out.txt").scores["mrr"] == pytest.approx(70.36, abs=0.05)
