"""NLPCC KBQA's questions answered from triples, as a function and as typed."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from caveat.benchmarks.nlpcc.kbqa_format import read_predictions
from caveat.benchmarks.verbs import evaluate, predict
from caveat.cli.predict import command
from caveat.core.errors import CaveatError, InputError, UsageError

app = typer.Typer()
app.command()(command)

TRIPLES = """\
青石桥 ||| 长度 ||| 46米
青石桥 ||| 横跨 ||| 清水河
青石桥 ||| 设计者 ||| 秦婉，王蓉
清水河 ||| 源头 ||| 白云山
清水河 ||| 支流 ||| 小清河
清水河 ||| 支流 ||| 北沟
"""
QUESTIONS = """\
<question id=1>\t青石桥的长度是多少？
<triple id=1>\t青石桥 ||| 长度 ||| 46米
<answer id=1>\t46米
==================================================
<question id=2>\t谁设计了青石桥？
<triple id=2>\t青石桥 ||| 设计者 ||| 秦婉，王蓉
<answer id=2>\t秦婉，王蓉
==================================================
<question id=3>\t清水河有哪些支流？
<answer id=3>\t小清河 | 北沟
==================================================
<question id=4>\t红石桥的长度是多少？
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bridges.kb").write_text(TRIPLES, encoding="utf-8")
    (tmp_path / "questions.kbqa").write_text(QUESTIONS, encoding="utf-8")
    return tmp_path


def test_answers_in_the_tasks_format(folder: Path) -> None:
    out = folder / "mine.kbqa"
    done = predict("nlpcc-kbqa", folder / "questions.kbqa", out, kb=folder / "bridges.kb")
    assert (done.task, done.questions, done.unanswered) == ("nlpcc-kbqa", 4, 1)
    # A value that holds several stays one; several objects are several answers; what is not there is empty.
    assert out.read_text(encoding="utf-8").splitlines()[:8] == [
        "<question id=1>\t青石桥的长度是多少？",
        "<answer id=1>\t46米",
        "=" * 50,
        "<question id=2>\t谁设计了青石桥？",
        "<answer id=2>\t秦婉，王蓉",
        "=" * 50,
        "<question id=3>\t清水河有哪些支流？",
        "<answer id=3>\t小清河\t北沟",
    ]
    assert [prediction.answers for prediction in read_predictions(out)][3] == ()
    scores = evaluate("nlpcc-kbqa", folder / "questions.kbqa", out).scores
    assert scores["average_f1"] == pytest.approx(75.0)


def test_a_value_with_a_tab_is_one_answer(folder: Path) -> None:
    (folder / "tab.kb").write_text("青石桥 ||| 长度 ||| 46\t米\n", encoding="utf-8")
    out = folder / "mine.kbqa"
    predict("nlpcc-kbqa", folder / "questions.kbqa", out, kb=folder / "tab.kb")
    assert next(read_predictions(out)).answers == ("46 米",)


def test_a_file_without_questions_is_told_and_leaves_nothing(folder: Path) -> None:
    (folder / "empty.kbqa").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no questions"):
        predict("nlpcc-kbqa", folder / "empty.kbqa", folder / "mine.kbqa", kb=folder / "bridges.kb")
    assert not (folder / "mine.kbqa").exists()


def typed(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    return result.output


def test_as_typed_from_a_file_and_from_its_index(folder: Path) -> None:
    from caveat.library.triples.build import build_index

    build_index([folder / "bridges.kb"], folder / "index")
    for number, base in enumerate((folder / "bridges.kb", folder / "index")):
        data, out = folder / "questions.kbqa", folder / f"mine{number}.kbqa"
        said = typed("nlpcc-kbqa", "--data", data, "--kb", base, "--out", out)
        assert "4 predictions written" in said
        assert "1 of them empty" in said
    assert (folder / "mine0.kbqa").read_bytes() == (folder / "mine1.kbqa").read_bytes()


def test_what_is_missing_or_not_for_the_task_is_said(folder: Path) -> None:
    data, out = folder / "questions.kbqa", folder / "mine.kbqa"
    with pytest.raises(UsageError, match="--kb names"):
        typed("nlpcc-kbqa", "--data", data, "--out", out)
    with pytest.raises(UsageError, match="does not take --tables"):
        typed("nlpcc-kbqa", "--data", data, "--kb", folder / "bridges.kb", "--tables", data, "--out", out)
    with pytest.raises(UsageError, match="does not take --kb"):
        typed("nlpcc-dbqa", "--data", data, "--kb", folder / "bridges.kb", "--out", out)
    with pytest.raises(CaveatError):
        typed("nlpcc-kbqa", "--data", data, "--kb", folder / "nowhere", "--out", out)
    assert not out.exists()


def test_alternatives_follow_the_best_answer(folder: Path) -> None:
    questions, kb = folder / "questions.kbqa", folder / "bridges.kb"
    predict("nlpcc-kbqa", questions, folder / "one.kbqa", kb=kb)
    predict("nlpcc-kbqa", questions, folder / "two.kbqa", kb=kb, alternatives=2)
    one, two = (
        {found.id: found.answers for found in read_predictions(folder / f"{name}.kbqa")}
        for name in ("one", "two")
    )
    assert one["1"] == ("46米",)
    # Another predicate of the bridge follows; where nothing is answered nothing follows.
    assert two["1"][0] == "46米"
    assert len(two["1"]) == 2
    assert one["4"] == two["4"] == ()
    found = [evaluate("nlpcc-kbqa", questions, folder / f"{name}.kbqa").scores for name in ("one", "two")]
    assert found[0]["accuracy@1"] == found[1]["accuracy@1"]
    # What follows costs precision, and with it F1.
    assert found[0]["average_f1"] > found[1]["average_f1"]
