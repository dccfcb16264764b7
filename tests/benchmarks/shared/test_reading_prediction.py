"""Predictions in the benchmarks' submission formats, as a function and as typed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import typer

from caveat.benchmarks.shared.scores import read_answers, read_probabilities
from caveat.benchmarks.verbs import evaluate, predict
from caveat.cli.predict import command
from caveat.core.errors import CaveatError, UnknownNameError

TEXT = "The dog. color red. size ten."


def squad(path: Path) -> Path:
    questions = [
        {"id": "1", "question": "color?", "answers": [{"text": "red", "answer_start": 15}]},
        {"id": "2", "question": "size?", "answers": [{"text": "ten", "answer_start": 25}]},
        {"id": "3", "question": "name?", "answers": [], "is_impossible": True},
        {"id": "4", "question": "", "answers": [], "is_impossible": True},
    ]
    path.write_text(
        json.dumps({"data": [{"title": "d", "paragraphs": [{"context": TEXT, "qas": questions}]}]})
    )
    return path


def test_squad2(reader_folder: Path, tmp_path: Path) -> None:
    data, out, none = squad(tmp_path / "data.json"), tmp_path / "out.json", tmp_path / "none.json"
    done = predict("squad2", data, out, model=reader_folder, na_prob_out=none)
    assert (done.task, done.model, done.questions, done.unanswered) == ("squad2", "tiny", 4, 2)
    assert read_answers(out) == {"1": "red", "2": "ten", "3": "", "4": ""}
    probabilities = read_probabilities(none)
    assert probabilities["1"] < 0.1
    assert probabilities["3"] > 0.4
    assert probabilities["4"] == 1.0
    assert evaluate("squad2", data, out).scores["exact_match"] == 100


def test_squad_always_answers(reader_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    predict("squad", squad(tmp_path / "data.json"), out, model=reader_folder)
    answers = read_answers(out)
    assert answers["1"] == "red"
    assert answers["3"]
    assert answers["4"] == ""
    with pytest.raises(CaveatError, match="The task squad does not take --na-prob-out"):
        predict("squad", tmp_path / "data.json", out, model=reader_folder, na_prob_out=out)


def test_mrqa(reader_folder: Path, tmp_path: Path) -> None:
    lines = [
        {"header": {"dataset": "d", "split": "dev"}},
        {"context": TEXT, "qas": [{"qid": "a", "question": "color", "answers": ["red"], "id": "x"}]},
        # Gold answers are for scorers; a test file has none.
        {"context": "color blue", "qas": [{"qid": "b", "question": "color"}]},
        {"context": "", "qas": [{"qid": "c", "question": "color"}]},
    ]
    data = tmp_path / "data.jsonl.gz"
    data.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    predict("mrqa", data, tmp_path / "out.json.gz", model=reader_folder)
    assert read_answers(tmp_path / "out.json.gz") == {"a": "red", "b": "blue", "c": ""}
    data.write_bytes(b'{"context": "color blue"}\n')
    with pytest.raises(CaveatError, match="line 1: object missing required field `qas`"):
        predict("mrqa", data, tmp_path / "out.json", model=reader_folder)
    assert not (tmp_path / "out.json").exists()


def test_cmrc2018(reader_folder: Path, tmp_path: Path) -> None:
    query = {"query_id": "Q", "query_text": "颜？", "answers": ["红"]}
    record = {"context_id": "C", "context_text": "小颜红。", "title": "", "qas": [query]}
    (tmp_path / "data.json").write_text(json.dumps([record], ensure_ascii=False))
    predict("cmrc2018", tmp_path / "data.json", tmp_path / "out.json", model=reader_folder)
    assert read_answers(tmp_path / "out.json") == {"Q": "红"}


def test_the_predictions_go_through_what_is_given(reader_folder: Path, tmp_path: Path) -> None:
    seen = []

    def through(items: Any) -> Any:
        for item in items:
            seen.append(item.id)
            yield item

    out = tmp_path / "out.json"
    predict("squad", squad(tmp_path / "data.json"), out, model=reader_folder, through=through)
    assert seen == ["1", "2", "3", "4"]


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="squad2"):
        predict("squad3", "data", "out")
    with pytest.raises(CaveatError, match="There is no model 'nothing'"):
        predict("squad", squad(tmp_path / "data.json"), "out", model="nothing")


def test_as_typed(
    reader_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    app = typer.Typer()
    app.command()(command)
    arguments = ["squad2", "--data", str(squad(tmp_path / "data.json")), "--model", str(reader_folder)]
    run = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out.json"), "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["questions"] == 4
    assert "4 predictions written to" in run.stderr
    assert "questions a second" in run.stderr
    run = CliRunner().invoke(
        app, [*arguments, "--out", "-", "--window", "96", "--stride", "32", "--threads", "1"]
    )
    assert json.loads(run.stdout)["1"] == "red"
