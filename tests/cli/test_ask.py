from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import caveat
from caveat.answerers.asking import Collection
from caveat.cli import ask
from caveat.core.answers import Answer, Place
from caveat.core.errors import CaveatError
from caveat.core.records import Question, Remark, Reply, from_json
from caveat.sources.outline import headings_at

app = typer.Typer()
app.command()(ask.command)


class FindsFigures:
    """An engine without a model: in each document the first figure is the answer."""

    prompted = None

    def ask(
        self,
        question: Question,
        collection: Collection,
        *,
        top: int = 5,
        structure: bool = True,
        through: Any = iter,
    ) -> Reply:
        answers = []
        for number, document in enumerate(list(collection.documents.values())[:top]):
            at = next(index for index, character in enumerate(document.text) if character.isdigit())
            where = Place(document.url or document.title, at, at + 1, headings_at(document, at))
            answers.append(Answer(document.text[at], "span", 0.5 / (number + 1), where))
        return Reply(question, tuple(answers), 0.25, unread=collection.unread, remarks=collection.remarks)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(caveat, "load", lambda models=None, **options: FindsFigures(), raising=False)
    monkeypatch.chdir(tmp_path)
    Path("fees.html").write_text(
        "<link rel=canonical href='https://example.org/'><h1>Fees</h1><p>It costs £5 a day.", encoding="utf-8"
    )
    Path("guide").mkdir()
    Path("guide/费用.txt").write_text("费用为8元。", encoding="utf-8")
    return lambda *arguments, input=None: CliRunner().invoke(app, arguments, input=input)


def test_files_and_folders(run: Any) -> None:
    result = run("How much?", "fees.html", "guide")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "5  likely, 50%",
        "├── It costs £«5» a day.",
        "└── fees.html › Fees",
        "1 further possibility: --top 2",
    ]
    assert run("How much?", "fees.html", "guide", "--top", "2").stdout.splitlines()[3:] == [
        "8  not sure, 25%",
        "├── 费用为«8»元。",
        f"└── {Path('guide', '费用.txt')}",
    ]


def test_rows_with_their_citation(run: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(run("How much?", "fees.html", "guide", "--format", "csv").stdout)))
    assert [(row["answer"], row["probability"], row["source"], row["headings"]) for row in rows] == [
        ("5", "0.5000", "fees.html", "Fees")
    ]
    markdown = run("How much?", "fees.html", "guide", "--format", "md").stdout
    assert "**5** (likely, 50%)" in markdown
    assert "— fees.html, Fees" in markdown


def test_many_questions(run: Any) -> None:
    Path("questions.txt").write_text("How much?\n\nHow much a day?\n", encoding="utf-8")
    result = run("fees.html", "guide", "--questions", "questions.txt", "--out", "answers.jsonl")
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in Path("answers.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["question"], row["answer"]) for row in rows] == [
        ("1", "How much?", "5"),
        ("2", "How much a day?", "5"),
    ]
    assert "2 questions asked: answers.jsonl" in result.stderr
    clash = run("fees.html", "--questions", "questions.txt", "--out", "questions.txt")
    assert "would overwrite questions.txt" in str(clash.exception)


def test_quiet_and_verbose(run: Any) -> None:
    Path("guide/letter.mp4").write_bytes(b"PK")
    assert run("How much?", "guide", "--quiet").stderr == ""
    said = run("How much?", "fees.html", "--verbose").stderr
    assert "caveat: 1 source read as it is" in said
    assert "caveat: answering: " in said


def test_json_is_the_reply_and_nothing_else(run: Any) -> None:
    result = run(
        "How?", "fees.html", "guide", "--scenario", "I am 20.", "--language", "en", "--top", "1", "--json"
    )
    assert from_json(result.stdout, Reply) == Reply(
        Question("How?", "I am 20.", "en"),
        (Answer("5", "span", 0.5, Place("fees.html", 15, 16, ("Fees",))),),
        0.25,
    )


def test_notes_are_in_the_language_of_the_question(run: Any) -> None:
    Path("guide/letter.xyz").write_bytes(b"PK")
    assert (
        f"caveat: 未读取：{Path('guide', 'letter.xyz')}：不支持这类文件（.xyz）。"
        in run("多少钱？", "guide").stderr
    )
    assert "caveat: not read: " in run("How much?", "guide").stderr


def test_what_of_a_folder_is_not_read_is_listed(run: Any) -> None:
    Path("guide/letter.mp4").write_bytes(b"PK")
    result = run("How much?", "guide")
    assert result.exit_code == 0
    letter = str(Path("guide", "letter.mp4"))
    assert result.stderr.splitlines() == [
        f"caveat: not read: {letter}: is of a kind that is not read (.mp4).",
        "caveat: 1 file read (1 plain text), 1 not (1 .mp4).",
    ]
    reply = from_json(run("How much?", "guide", "--json").stdout, Reply)
    assert reply.unread == (Remark(letter, "is of a kind that is not read (.mp4)"),)
    strict = run("How much?", "guide", "--strict")
    assert str(strict.exception) == f"{letter}: is of a kind that is not read (.mp4)"


def test_a_guessed_encoding_is_said(run: Any) -> None:
    Path("fees.txt").write_bytes("Die Gebühr beträgt 5 € für Schüler.".encode("cp1252"))
    result = run("How much?", "fees.txt", "--json")
    assert "fees.txt: its encoding is only guessed to be Windows-1252" in result.stderr
    assert [remark.source for remark in from_json(result.stdout, Reply).remarks] == ["fees.txt"]


@pytest.mark.usefixtures("run")
def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.BufferedReader(io.BytesIO(b"It is 7."))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    ask.command("How much?", ["-"])
    assert capsys.readouterr().out == "7  likely, 50%\n├── It is «7».\n└── standard input\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (" ", "fees.html"),
        ("How?", "fees.html", "--language", "fr"),
        ("How?", "-", "--top", "0"),
    ],
)
def test_wrong_usage(run: Any, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_what_cannot_be_read_is_said_before_models_are_loaded(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caveat, "load", None)
    result = run("How much?", "none.html")
    assert isinstance(result.exception, CaveatError)
    assert str(result.exception).startswith("none.html: cannot be opened: no such file")
