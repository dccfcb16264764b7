"""Settings of the user's, help by groups, and names that the shell completes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from caveat.cli.commands import completing, model_names, recipes, tasks
from caveat.cli.config import default_library, defaults, template
from caveat.cli.main import app
from caveat.cli.settings import config_file, settings
from caveat.core.errors import InputError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAVEAT_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config.toml"


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CAVEAT_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file() == tmp_path / "caveat" / "config.toml"
    monkeypatch.setenv("CAVEAT_CONFIG", "off")
    assert config_file() is None
    assert defaults() == {"ask": {}, "search": {}}


def test_what_the_file_says_is_the_default(file: Path) -> None:
    file.write_text('top = 3\nlanguage = "zh"\nmodel = "mine"\nlibrary = "~/office"\n', encoding="utf-8")
    assert defaults() == {
        "ask": {"top": 3, "language": "zh", "model": ["mine"]},
        "search": {"language": "zh"},
    }
    assert default_library() == str(Path("~/office").expanduser())


def test_the_template_sets_nothing_and_explains_every_setting(file: Path) -> None:
    file.write_text(template(), encoding="utf-8")
    assert defaults()["ask"] == {}
    uncommented = template().replace("# library =", "library =").replace("# top =", "top =")
    uncommented = uncommented.replace("# model =", "model =").replace("# language =", "language =")
    file.write_text(uncommented, encoding="utf-8")
    assert None not in (settings().library, settings().model, settings().top, settings().language)


@pytest.mark.parametrize("text", ["tap = 3\n", "top = 0\n", 'language = "xx"\n', "top\n"])
def test_what_is_wrong_is_said(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.toml"):
        settings()


def test_the_command_writes_it_once(file: Path) -> None:
    assert "not there" in CliRunner().invoke(app, ["config"]).stdout
    assert CliRunner().invoke(app, ["config", "--init"]).exit_code == 0
    assert file.read_text("utf-8") == template()
    again = CliRunner().invoke(app, ["config", "--init"])
    assert "is there already" in str(again.exception)


def test_an_option_comes_before_the_file(file: Path) -> None:
    Path("a.csv").write_text("Boat,Seats\nArvo,180\nSound,60\n", encoding="utf-8")
    file.write_text('language = "zh"\n', encoding="utf-8")
    asked = ("ask", "How many seats has the Arvo?", "a.csv")
    assert "确定" in CliRunner().invoke(app, [*asked]).stdout
    assert "sure" in CliRunner().invoke(app, [*asked, "--language", "en"]).stdout


def test_help_is_grouped_and_names_no_types() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"}).stdout
    for group in ("Ask", "Sources and libraries", "Data and scores", "Models and training", "Serve"):
        assert f"─ {group} ─" in shown
    shown += CliRunner().invoke(app, ["ask", "--help"], env={"COLUMNS": "100"}).stdout
    assert "<bool>" not in shown
    assert "range>" not in shown


@pytest.mark.parametrize(("command", "name"), [("eval", "cmrc2018"), ("train", "reader-zh")])
def test_a_missing_name_lists_what_there_is(command: str, name: str) -> None:
    result = CliRunner().invoke(app, [command], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert "There are: " in result.output
    assert name in result.output


def test_names_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "readings").mkdir()
    (tmp_path / "readme.md").touch()
    assert completing(tasks)("squ") == ["squad", "squad2"]
    assert completing(recipes, files=True)("read")[-2:] == ["readings/", "readme.md"]
    assert set(completing(model_names)("")) == set(model_names())
    assert completing(list, files=True)("nowhere/") == []


def test_where_types_come_from_stays_what_the_commands_take(file: Any) -> None:
    result = CliRunner().invoke(app, ["search", "Arvo", "a.csv", "--top", "many"])
    assert result.exit_code == 2
