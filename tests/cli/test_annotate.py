"""`caveat annotate` as a user types it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from caveat.cli.main import app
from caveat.core.errors import CaveatError, UsageError
from caveat.core.json_files import read_json, read_json_lines

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FIRST, SECOND = EXAMPLES / "cmqa" / "gold.jsonl", EXAMPLES / "cmqa" / "second_annotator.jsonl"


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object) -> CaveatError:
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)])
    assert isinstance(result.exception, CaveatError), result.output
    return result.exception


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "garden.sqlite"
    run("new", path, "--task", "cmqa", "--data", FIRST, "--overlap", 2)
    for name, file in (("Ada", FIRST), ("Bo", SECOND)):
        run("import", path, "--data", file, "--annotator", name)
    return path


def test_a_project_from_two_files_to_one(project: Path, tmp_path: Path) -> None:
    status = msgspec.json.decode(run("status", project, "--json"))
    assert (status["items"], status["disagreements"], status["gold"]) == (2, 2, 0)
    assert status["stages"] == {"annotate": {"wanted": 4, "taken": 4, "done": 4}}
    found = msgspec.json.decode(run("agreement", project, "--json", "--plot", tmp_path / "agreement.svg"))
    assert found["paper"]["spans"]["f1"] == pytest.approx(500 / 7)
    # With the relations six labels in common, of eleven each.
    assert found["paper"]["all"]["f1"] == pytest.approx(600 / 11)
    assert (tmp_path / "agreement.svg").read_bytes().startswith(b"<?xml")
    tokens = msgspec.json.decode(run("add", project, "Judy", "--role", "adjudicator", "--json"))
    assert list(tokens) == ["Judy"]
    run("adjudicate", project, "--by", "Judy", "--item", "1", "--take", "Bo")
    left = msgspec.json.decode(run("adjudicate", project, "--json"))
    assert [each["item"] for each in left] == ["2"]
    run("adjudicate", project, "--by", "Judy", "--take", "Ada")
    out = tmp_path / "out.jsonl"
    assert msgspec.json.decode(run("export", project, "--out", out, "--json"))["items"] == 2
    wanted = [
        next(line for _, line in read_json_lines(file, dict) if line["question"] == question)
        for file, question in ((SECOND, "君子兰叶子发黄怎么办？"), (FIRST, "绿萝多久浇一次水？"))
    ]
    written = [line for _, line in read_json_lines(out, dict)]
    assert [{key: value for key, value in line.items() if key in wanted[0]} for line in written] == wanted


def test_what_has_no_majority_stays_undecided(project: Path) -> None:
    run("add", project, "Judy", "--role", "adjudicator")
    assert len(msgspec.json.decode(run("adjudicate", project, "--by", "Judy", "--majority", "--json"))) == 2
    run("import", project, "--data", SECOND, "--annotator", "Cy")
    assert msgspec.json.decode(run("adjudicate", project, "--by", "Judy", "--majority", "--json")) == []


def test_tables_for_people(project: Path) -> None:
    assert "Ada" in run("annotators", project)
    assert "Krippendorff" in run("agreement", project)
    assert "save" in run("decisions", project, "--item", "1")
    assert "Undecided" in run("adjudicate", project)
    assert "annotate" in run("status", project)


def test_label_studio_comes_with_its_interface(project: Path, tmp_path: Path) -> None:
    out, interface = tmp_path / "tasks.json", tmp_path / "interface.xml"
    run("export", project, "--out", out, "--format", "label-studio", "--interface", interface)
    assert [len(task["annotations"]) for task in read_json(out, list)] == [2, 2]
    assert interface.read_text("utf-8").startswith("<View>")
    again = tmp_path / "again.sqlite"
    run("new", again, "--task", "cmqa", "--data", out, "--format", "label-studio")
    run("import", again, "--data", out, "--format", "label-studio")
    assert msgspec.json.decode(run("status", again, "--json"))["disagreements"] == 2


def test_who_lost_a_token_gets_another(project: Path) -> None:
    first = run("add", project, "Dee", "--json")
    assert run("add", project, "Dee", "--new-token", "--json") != first
    run("release", project, "Dee")


def test_what_cannot_be_done_is_said(project: Path, tmp_path: Path) -> None:
    assert isinstance(refused("adjudicate", project, "--majority"), UsageError)
    assert isinstance(refused("adjudicate", project, "--by", "Judy", "--item", "1"), UsageError)
    assert "already" in str(refused("add", project, "Ada"))
    assert "already" in str(refused("new", project, "--task", "cmqa", "--data", FIRST))
    assert "no question" in str(
        refused("new", tmp_path / "x", "--task", "cmqa", "--data", EXAMPLES / "allotment" / "rules.md")
    )
    assert not (tmp_path / "x").exists()
    assert "no annotator" in str(refused("export", project, "--out", tmp_path / "x", "--annotator", "Nobody"))
    assert "nothing is finished" in str(refused("export", project, "--out", tmp_path / "x"))
    assert "too little" in str(refused("train", project, "--out", tmp_path / "run"))
