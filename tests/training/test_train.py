"""`caveat train`, as a user would type it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from caveat.cli.train import command, stopped_by_signals
from caveat.core.errors import CaveatError
from caveat.models.card import read_card

app = typer.Typer()
app.command()(command)


@pytest.mark.usefixtures("handlers")
def test_a_recipe_of_ones_own_is_trained_and_drawn(
    encoder_folder: Path, data_file: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        f"""
        encoder = {str(encoder_folder)!r}
        max_question_tokens = 24
        data = [{{path = "facts.json"}}]
        phases = [{{window = 64, stride = 32, batch_size = 4, epochs = 1}}]
        tuning = {{path = "facts.json", metric = "cmrc2018", window = 64}}
        """,
        encoding="utf-8",
    )
    out, picture = tmp_path / "run", tmp_path / "log.svg"
    ran = CliRunner().invoke(
        app,
        [
            str(recipe), "--out", str(out), "--data-root", str(data_file.parent), "--plot", str(picture),
            "--set", "phases.0.epochs=2", "-s", "seed=4",
        ],
        catch_exceptions=False,
    )  # fmt: skip
    assert ran.exit_code == 0
    assert "exact match" in ran.stdout
    assert "facts.json: 6 questions" in ran.stderr
    assert picture.exists()
    assert sorted(path.name for path in out.iterdir()) == [
        "checkpoint.pt", "fp32", "int8", "log.jsonl", "model",
    ]  # fmt: skip
    for precision in ("fp32", "int8"):
        assert read_card(out / precision).figures["cmrc2018"]["total"] == 6
        assert f"{out / precision}: exact match" in ran.stderr


@pytest.mark.usefixtures("handlers")
def test_a_run_is_exported_on_its_own(encoder_folder: Path, data_file: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        f"""
        encoder = {str(encoder_folder)!r}
        max_question_tokens = 24
        data = [{{path = "facts.json"}}]
        phases = [{{window = 64, stride = 32, batch_size = 4, epochs = 1}}]
        """,
        encoding="utf-8",
    )
    out = tmp_path / "run"
    shared = [str(recipe), "--out", str(out), "--data-root", str(data_file.parent)]
    CliRunner().invoke(app, [*shared, "--precision", "none"], catch_exceptions=False)
    assert sorted(path.name for path in out.iterdir()) == ["checkpoint.pt", "log.jsonl", "model"]
    CliRunner().invoke(app, [*shared, "--export-only", "--precision", "int8"], catch_exceptions=False)
    assert sorted(path.name for path in out.iterdir()) == ["checkpoint.pt", "int8", "log.jsonl", "model"]
    # Neither calibrated nor measured, for want of a tuning file.
    assert read_card(out / "int8").expected_calibration_error is None


def test_a_wrong_recipe_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="no recipe 'reader-xx'"):
        CliRunner().invoke(app, ["reader-xx", "--out", str(tmp_path / "run")], catch_exceptions=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("handlers")
def test_a_polite_kill_ends_the_run_after_its_step() -> None:
    stop = stopped_by_signals()
    assert not stop(1)
    os.kill(os.getpid(), signal.SIGTERM)
    assert stop(2)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL  # the next one is not polite
