"""`caveat ask … --html FILE`: the reply as a page, beside what the terminal shows."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

import caveat
from caveat.answerers.asking import Collection
from caveat.cli import ask
from caveat.core.answers import Answer, Place
from caveat.core.errors import CaveatError, UsageError
from caveat.core.records import Question, Reply

app = typer.Typer()
app.command()(ask.command)


class FindsPound:
    """An engine without a model: the answer is what a pound sign begins, in the first text."""

    prompted = None

    def ask(self, question: Question, collection: Collection, **options: Any) -> Reply:
        first = next(iter(collection.documents.values()))
        start = first.text.index("£")
        end = first.text.index(" ", start)
        answer = Answer(first.text[start:end], "span", 0.5, Place(first.url, start, end))
        return Reply(question, (answer,), 0.25)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(caveat, "load", lambda models=None, **options: FindsPound(), raising=False)
    monkeypatch.chdir(tmp_path)
    Path("fees.html").write_text("<h1>Fees</h1><p>It costs £5 a day.", encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_page_and_terminal(run: Any) -> None:
    plain = run("How much?", "fees.html")
    result = run("How much?", "fees.html", "--scenario", "I am 20.", "--html", "page.html")
    assert (result.exit_code, result.stdout) == (0, plain.stdout)
    assert names() == ["fees.html", "page.html"]
    page = LexborHTMLParser(Path("page.html").read_text("utf-8"))
    assert [mark.text() for mark in page.css("main mark")] == ["£5"]
    assert page.css_first("h1").text() == "How much?"
    assert page.css_first(".scenario").text() == "The asker says: I am 20."


def test_json_stays_alone_on_standard_output(run: Any) -> None:
    plain = run("How much?", "fees.html", "--json")
    assert run("How much?", "fees.html", "--json", "--html", "page.html").stdout == plain.stdout
    assert Path("page.html").exists()


def test_a_page_that_cannot_be_written_is_told_before_anything_is_asked(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caveat, "load", None)
    result = run("How much?", "fees.html", "--html", "no/such/folder/page.html")
    assert isinstance(result.exception, CaveatError)
    assert str(result.exception) == "no/such/folder/page.html cannot be written: no such file or directory"
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("-", "The reply and --html would both write to standard output."),
        ("fees.html", "--html would overwrite fees.html, which is read."),
    ],
)
def test_never_over_something_else(run: Any, file: str, sentence: str) -> None:
    result = run("How much?", "fees.html", "--html", file)
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == sentence
    assert Path("fees.html").read_text("utf-8").startswith("<h1>")


def test_half_a_page_is_never_left(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("page.html").write_text("before", encoding="utf-8")
    monkeypatch.setattr(FindsPound, "ask", lambda *sources, **options: 1 / 0)
    assert isinstance(run("How much?", "fees.html", "--html", "page.html").exception, ZeroDivisionError)
    assert names() == ["fees.html", "page.html"]
    assert Path("page.html").read_text("utf-8") == "before"


def test_as_typed(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "fees.txt").write_text("It costs £5 a day.\n", encoding="utf-8")
    done: subprocess.CompletedProcess[str] = caveat(
        "ask", "How much?", "fees.txt", "--html", "none/page.html"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "caveat: none/page.html cannot be written: no such file or directory\n"
