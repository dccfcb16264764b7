"""`caveat predict` as typed: what each task takes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import caveat
from caveat.cli.predict import command
from caveat.core.errors import CaveatError, UnknownNameError, UsageError


def write_cmqa(path: Path) -> Path:
    lines: list[dict[str, Any]] = [
        {
            "context": "颜色，大小红蓝。",
            "question": "大小？",
            "condition": [["颜色", [0, 2]]],
            "coarse": [["大小", [3, 5]]],
            "fine": [["红蓝", [5, 7]]],
            "condition_coarse": [[["颜色", "大小"], [[0, 2], [3, 5]]]],
            "page": 7,
        },
        {"context": "的。", "question": "大小？"},
        {"context": "红", "question": ""},
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def write_multispan(path: Path) -> Path:
    examples = [
        {
            "id": "a",
            "question": ["who", "?"],
            "context": ["the", "red", "dog", "and", "blues", ",", "red"],
            "label": ["O", "B", "I", "O", "B", "O", "B"],
        },
        {"id": "b", "question": ["who", "?"], "context": ["city"]},
    ]
    path.write_text(json.dumps({"data": examples}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def english(make_tagger: Any) -> Path:
    tags = {"red": ["B-answer"], "dog": ["I-answer"], "blue": ["B-answer"], "##s": ["I-answer"]}
    folder: Path = make_tagger("tiny-multispan", [["answer"]], tags, language="en")
    return folder


def test_as_typed(tagger_folder: Path, english: Path, reader_folder: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)

    def typed(*arguments: object) -> Any:
        return CliRunner().invoke(app, list(map(str, arguments)))

    data = write_cmqa(tmp_path / "data.jsonl")
    run = typed("cmqa", "--data", data, "--model", tagger_folder, "--out", tmp_path / "out.jsonl", "--json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["questions"] == 3
    assert "3 predictions written to" in run.stderr
    run = typed("multispan", "--data", write_multispan(tmp_path / "m.json"), "--model", english, "--out", "-")
    assert json.loads(run.stdout)["b"] == []
    for arguments, message in [
        (["cmqa", "--model", reader_folder], "expected one for 'structure'"),
        (
            ["cmqa", "--model", tagger_folder, "--na-prob-out", "x"],
            "The task cmqa does not take --na-prob-out.",
        ),
        (["multispan", "--model", english, "--model", english], "does not take several models"),
        (["squad", "--model", reader_folder, "--relations", "x"], "does not take --relations"),
        (["squad", "--model", reader_folder, "--spans", "x"], "does not take --spans"),
        (["cmqa", "--model", tagger_folder, "--spans", data], "With --spans nothing is tagged"),
        (["cmqa", "--window", "9", "--spans", data], "With --spans nothing is tagged"),
        (["cmqb"], "There are: mrqa, squad, squad2, cmrc2018, cmqa, multispan"),
    ]:
        run = typed(*arguments, "--data", data, "--out", tmp_path / "out")
        assert isinstance(run.exception, CaveatError)
        assert message in str(run.exception)


def test_as_a_verb_of_the_package(tagger_folder: Path, reader_folder: Path, tmp_path: Path) -> None:
    data, out = write_cmqa(tmp_path / "data.jsonl"), tmp_path / "out.jsonl"
    seen: list[Any] = []

    def through(items: Any) -> Any:
        for item in items:
            seen.append(item)
            yield item

    done = caveat.predict("cmqa", data=data, out=out, model=tagger_folder, through=through)
    assert (done.task, done.questions, len(seen)) == ("cmqa", 3, 3)
    with pytest.raises(UsageError, match=r"The task cmqa does not take --kb\."):
        caveat.predict("cmqa", data, out, kb="x")
    with pytest.raises(UsageError, match=r"The task multispan does not take several models\."):
        caveat.predict("multispan", data, out, model=[reader_folder, reader_folder])
    with pytest.raises(UnknownNameError, match="There are: mrqa, squad, squad2, cmrc2018, cmqa, multispan"):
        caveat.predict("cmqb", data, out)


def test_several_readers_answer_together(reader_folder: Path, tmp_path: Path) -> None:
    question = {"id": "a", "question": "who?", "answers": [{"text": "red", "answer_start": 4}]}
    paragraph = {"context": "the red dog and blues, red", "qas": [question]}
    data = tmp_path / "data.json"
    data.write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}), encoding="utf-8")
    for out, models in (("one.json", [reader_folder]), ("two.json", [reader_folder, reader_folder])):
        caveat.predict("squad", data, tmp_path / out, model=models)
    # The mean of twice the same is the same.
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()
