"""The published scores of real prediction files, to 1e-9, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLD = {
    "cmrc2018": "data/cmrc2018/trial.json.gz",
    "conditionalqa": "data/conditionalqa/dev_part.json",
    "mrqa": "data/mrqa/SQuAD_dev.jsonl.gz",
    "squad2": "data/squad/dev-v2.0.json.gz",
    "cmqa": "data/cmqa/dev.jsonl.gz",
    "nlpcc-dbqa": "data/nlpcc/dbqa/valid_part.tsv.gz",
    "nlpcc-kbqa": "data/nlpcc/kbqa/nlpcc2016.kbqa.train.gz",
}
# The published scorers' own names, and scales.
NAMES = {"exact": "exact_match", "skipped": "missing"}
FRACTIONS = {"conditionalqa", "nlpcc-dbqa", "nlpcc-kbqa"}
COUNTS = {"total", "skipped", "samples", "questions"}


def entries() -> list[str]:
    path = Path(__file__).resolve().parents[3] / "shared" / "parity" / "EXPECTED.json"
    return sorted(json.loads(path.read_text())) if path.is_file() else ["absent"]


def compare(task: str, expected: Any, found: Any) -> int:
    compared = 0
    for name, value in expected.items():
        if name == "first_questions":
            continue
        ours = found[NAMES.get(name, name.lower() if task == "conditionalqa" else name)]
        if isinstance(value, dict):
            compared += compare(task, value, ours)
        else:
            scale = 100 if task in FRACTIONS and name not in COUNTS else 1
            assert ours == pytest.approx(scale * value, rel=1e-9), name
            compared += 1
    return compared


@pytest.mark.shared
@pytest.mark.parametrize("entry", entries())
def test_published_score(entry: str, caveat: Any, shared: Path) -> None:
    expected = json.loads((shared / "parity" / "EXPECTED.json").read_text())[entry]
    task, name = entry.split("/")
    (pred,) = (shared / "parity" / task).glob(f"{name}.*")
    first = ["--first", expected["first_questions"]] if "first_questions" in expected else []
    done = caveat("eval", task, "--gold", shared / GOLD[task], "--pred", pred, "--official", "--json", *first)
    assert done.returncode == 0, done.stderr
    assert compare(task, expected, json.loads(done.stdout)) >= 2
