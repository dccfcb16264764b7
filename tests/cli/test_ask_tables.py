"""`caveat ask` on tables, as a user types it; no model is loaded for them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from caveat.cli import ask
from caveat.core.errors import CaveatError
from caveat.core.records import Reply, from_json

app = typer.Typer()
app.command()(ask.command)

BRIDGES = """Bridge,River,Built,Length (m)
Green Bridge,Clear River,1872,46
Iron Bridge,Old Moor Canal,1899,31
Long Bridge,Clear River,1931,210
Low Bridge,Clear River,1950,12
Mill Bridge,Clear River,1811,9
Stone Bridge,Clear River,1702,28
Toll Bridge,Clear River,1844,77
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("bridges.csv").write_text(BRIDGES, encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, arguments)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def without_scores(text: str) -> list[str]:
    """The lines of the answer, without its certainty and without the way to more."""
    shown = [line for line in lines(text) if "--top" not in line]
    return [line.partition("  ")[0] if line.endswith("%") else line for line in shown]


def test_a_cell(run: Any) -> None:
    result = run("Which bridge was built in 1899?", "bridges.csv", "--top", "1")
    assert result.exit_code == 0, result.output
    assert without_scores(result.stdout) == [
        "Iron Bridge",
        "├── Bridge where Built is 1899",
        "├── Bridge          Built",
        "│   ─────────────────────",
        "│   «Iron Bridge»   1899",
        "└── bridges.csv",
    ]
    assert result.stderr == ""


def test_what_was_computed(run: Any) -> None:
    result = run("How many bridges cross the Clear River?", "bridges.csv", "--top", "1")
    assert without_scores(result.stdout) == [
        "6",
        "├── count of rows where River is Clear River",
        "├── Bridge         River",
        "│   ──────────────────────────",
        "│   Green Bridge   Clear River",
        "│   Long Bridge    Clear River",
        "│   Low Bridge     Clear River",
        "│   Mill Bridge    Clear River",
        "│   Stone Bridge   Clear River",
        "├── … 1 more row",
        "└── bridges.csv",
    ]


def test_a_row_alone_is_shown_with_its_headers(run: Any) -> None:
    result = run("Why is there a Toll Bridge?", "bridges.csv", "--top", "1")
    assert lines(result.stdout)[1:5] == [
        "├── the table alone",
        "├── Bridge        River         Built   Length (m)",
        "│   ──────────────────────────────────────────────",
        "│   Toll Bridge   Clear River   1844    77",
    ]


def test_not_answered(run: Any) -> None:
    result = run("Who wrote Hamlet?", "bridges.csv")
    assert lines(result.stdout)[0] == "Not found in this source  sure, 100%"
    Path("more.csv").write_text(BRIDGES, encoding="utf-8")
    result = run("Who wrote Hamlet?", "bridges.csv", "more.csv")
    assert lines(result.stdout)[0] == "Not found in these sources  sure, 100%"


def test_json(run: Any) -> None:
    result = run("Which bridge is the longest?", "bridges.csv", "--json", "--top", "1")
    reply = from_json(result.stdout, Reply)
    (answer,) = json.loads(result.stdout)["answers"]
    assert answer["kind"] == "table"
    assert answer["place"] == {"source": "bridges.csv"}
    assert answer["score"] == pytest.approx(reply.answers[0].score)
    assert answer["cells"]["caption"] == "bridges"
    assert 0 <= reply.unanswerable <= 1 - answer["score"]


@pytest.mark.usefixtures("run")
def test_standard_input_that_is_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = io.BufferedReader(io.BytesIO(BRIDGES.encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    ask.command("Which bridge was built in 1899?", ["-"], top=1)
    printed = capsys.readouterr().out
    assert without_scores(printed)[0] == "Iron Bridge"
    assert without_scores(printed)[-1] == "└── standard input"


def test_odd_tables_are_read_and_remarked_upon(run: Any) -> None:
    Path("odd.csv").write_text("Arvo,340\nRauma,5100\nLindholm\n", encoding="utf-8")
    result = run("What about Rauma?", "odd.csv")
    assert result.exit_code == 0
    assert "Rauma" in result.stdout
    assert result.stderr == (
        "caveat: odd.csv: no row names the columns, so they are called column 1, column 2 and so on; "
        "1 row has more or fewer cells than there are columns.\n"
    )


def test_gbk(run: Any) -> None:
    Path("城镇.csv").write_bytes("城镇,人口\n青石,1200\n柳河,3400\n".encode("gbk"))
    result = run("人口最多的城镇是哪个？", "城镇.csv", "--top", "1")
    assert without_scores(result.stdout)[:2] == ["柳河", "├── 2行中人口最大的城镇"]


def test_text_that_a_terminal_would_obey(run: Any) -> None:
    Path("a.csv").write_text("Name,Code\nAnn,\x1b[2Jx\nBob,[bold]y[/bold]\n", encoding="utf-8")
    result = run("What is the code of Bob?", "a.csv")
    assert "[bold]y[/bold]" in result.stdout
    assert "\x1b" not in run("What is the code of Ann?", "a.csv").stdout


def test_long_cells_are_cut(run: Any) -> None:
    Path("a.csv").write_text(f"Name,Story\nAnn,{'word ' * 60}\nBob,short\n", encoding="utf-8")
    result = run("What is the story of Ann?", "a.csv", "--top", "1")
    assert max(map(len, lines(result.stdout)[1:])) < 100


def test_the_page_has_the_table_with_its_cells_marked(run: Any) -> None:
    result = run("Which bridge was built in 1899?", "bridges.csv", "--html", "page.html")
    assert result.exit_code == 0, result.output
    page = LexborHTMLParser(Path("page.html").read_text("utf-8"))
    assert [mark.text() for mark in page.css("td mark.plain")] == ["Iron Bridge"]
    assert [mark.text() for mark in page.css("td mark.evidence")] == ["1899"]
    link = page.css_first(".tree .node")
    assert link is not None
    assert page.css_first(link.attributes["href"] or "") is not None
    assert page.css_first(".tree .where").text() == "Bridge where Built is 1899"  # type: ignore[union-attr]


def test_a_table_is_not_overwritten(run: Any) -> None:
    result = run("Which bridge?", "bridges.csv", "--html", "bridges.csv")
    assert isinstance(result.exception, CaveatError)
    assert Path("bridges.csv").read_text("utf-8") == BRIDGES


def test_what_cannot_be_read(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("empty.csv").write_text("", encoding="utf-8")
    assert str(run("Which?", "empty.csv").exception) == "empty.csv: is empty"
    Path("book.xlsx").write_bytes(b"PK\x03\x04 xl/")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "pip install python-calamine" in str(run("Which?", "book.xlsx").exception)
