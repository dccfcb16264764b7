from __future__ import annotations

import json
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "report"
GIVEN = ("report", "mrqa", "--gold", EXAMPLES / "gold", "--pred", f"small={EXAMPLES / 'small'}")


def test_json_is_the_whole_report(caveat: Any, tmp_path: Path) -> None:
    done = caveat(*GIVEN, "--pred", f"large={EXAMPLES / 'large'}", "--json", "--seed", 1, "--resamples", 50)
    assert done.returncode == 0
    made = json.loads(done.stdout)
    assert made["averages"]["small"]["in-domain dev"] == {"value": 72.5, "sets": 2, "of": 6}
    assert [one["set"] for one in made["comparisons"]] == ["SQuAD dev", "NewsQA dev", ""]
    assert "caveat: small has no predictions for BioASQ dev." in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_paths_are_said(caveat: Any, tmp_path: Path) -> None:
    done = caveat(*GIVEN, "--out", "out", "--encoder", "small=MiniLM")
    assert done.returncode == 0
    assert "72.50 (2 of 6)" in done.stdout
    assert "written: out/report.html, out/sets.png, out/sets.svg" in done.stderr
    assert (tmp_path / "out" / "report.html").read_text("utf-8").count("MiniLM") == 1


def test_what_is_wrong_is_one_sentence(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "SQuAD.json").write_text('{"mill-1": ', encoding="utf-8")
    done = caveat("report", "mrqa", "--gold", EXAMPLES / "gold", "--pred", f"broken={tmp_path}")
    assert (done.returncode, done.stdout) == (1, "")
    assert "SQuAD.json" in done.stderr
    assert "Traceback" not in done.stderr
    for wrong in ("small", "=folder", "small="):
        assert caveat("report", "mrqa", "--gold", EXAMPLES / "gold", "--pred", wrong).returncode == 2
    assert caveat(*GIVEN, "--pred", f"small={EXAMPLES / 'small'}").returncode == 2
