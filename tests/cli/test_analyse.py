"""`caveat analyse`, as a user would type it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "cmqa"
GOLD, PREDICTED = EXAMPLES / "gold.jsonl", EXAMPLES / "predictions.jsonl"


def test_tables_and_the_worst_samples(caveat: Any) -> None:
    done = caveat("analyse", "cmqa", "--gold", GOLD, "--pred", PREDICTED)
    assert (done.returncode, done.stderr) == (0, "")
    for title in ("Does a sample have such spans?", "Samples by their gravest error", "Worst samples"):
        assert title in done.stdout
    assert "有机肥 (coarse: distinction); 腐熟的羊粪 (fine: boundary)" in done.stdout
    assert "Worst samples" not in caveat("analyse", "cmqa", "-g", GOLD, "-p", GOLD).stdout


def test_json_has_the_same(caveat: Any) -> None:
    done = caveat(
        "analyse", "cmqa", "--gold", GOLD, "--pred", "-", "--json", stdin=PREDICTED.read_text("utf-8")
    )
    found = json.loads(done.stdout)
    assert found["presence"]["fine"] == {"accuracy": 100.0, "present": 2, "not_told": 0, "told_wrongly": 0}
    assert found["errors"]["coarse"]["distinction"] == found["errors"]["coarse"]["missed"] == 1
    (worst,) = found["worst"]
    assert (worst["sample"], len(worst["not_found"]), len(worst["not_gold"])) == (1, 2, 1)
    done = caveat("analyse", "cmqa", "--gold", GOLD, "--pred", PREDICTED, "--json", "--worst", 0)
    assert json.loads(done.stdout)["worst"] == []


def test_missing_predictions_are_said(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(PREDICTED.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    done = caveat("analyse", "cmqa", "--gold", GOLD, "--pred", "one.jsonl", "--json")
    assert json.loads(done.stdout)["missing"] == 1
    assert "no prediction for 1 sample: nothing counts as predicted there." in done.stderr


def test_what_cannot_be_analysed(caveat: Any, tmp_path: Path) -> None:
    done = caveat("analyse", "multispan", "--gold", GOLD, "--pred", PREDICTED)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "The task multispan has no analysis; these have: mrqa, squad, squad2, cmrc2018, cmqa" in done.stderr
    )
    done = caveat("analyse", "cmqa", "--gold", "-", "--pred", "-", stdin="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Only one of the gold and the prediction file can be standard input." in done.stderr
    lines = PREDICTED.read_text("utf-8").splitlines()
    (tmp_path / "turned.jsonl").write_text("\n".join(reversed(lines)), "utf-8")
    done = caveat("analyse", "cmqa", "--gold", GOLD, "--pred", "turned.jsonl")
    assert done.returncode == 1
    assert "turned.jsonl, line 1: the context is not that of sample 1 of the data" in done.stderr
