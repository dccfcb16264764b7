"""The benchmarks are found by their folders, and one from outside the package by its entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import caveat
from caveat.benchmarks.registry import BRIDGES, DATA_SETS, FORMATS, RULES, SPAN_TASKS, TASKS, built_in, task
from caveat.core.errors import UnknownNameError

# A benchmark of sums, one `question<TAB>answer` a line; a prediction is one line a question.
TOY = """
import msgspec

from caveat.benchmarks.registry import Benchmark
from caveat.benchmarks.registry import Format, records_of, records_to
from caveat.benchmarks.shared.count_tables import Tables
from caveat.benchmarks.shared.checks import Place
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Predicted, Prediction, Task
from caveat.core.files import read_lines, write_lines

BENCHMARK = Benchmark(
    tasks={"toy-sums": "toy_sums:TASK"},
    formats=("toy_sums:FORMATS",),
    rules=("toy_sums:RULES",),
)
RULES = {"no-sum": "A question has nothing to add up."}


def read(path):
    return [tuple(line.split("\\t")) for _, line in read_lines(path)]


def write(path, pairs):
    write_lines(path, ("\\t".join(pair) for pair in pairs))


def score(gold, pred, options):
    golds = read(gold)
    given = [line for _, line in read_lines(pred)]
    right = sum(answer == said for (_, answer), said in zip(golds, given))
    return Scored({"accuracy": 100 * right / len(golds), "total": len(golds), "missing": len(golds) - len(given)})


def check(files):
    for number, (question, _) in enumerate(read(files.data), 1):
        if "+" not in question:
            yield Place(str(files.data), number).finding("no-sum", "nothing is added")


class Options(msgspec.Struct, frozen=True):
    threads: int | None = None


def run(data, out, options, through):
    answers = [str(sum(map(int, question.split("+")))) for question, _ in through(read(data))]
    write_lines(out, answers)
    return Predicted("toy-sums", "addition", len(answers), 0, 0.5)


TASK = Task(
    name="toy-sums",
    summary="sums",
    gold="question and answer",
    predictions="an answer a line",
    read=lambda files: read(files.data),
    score=score,
    score_official=score,
    statistics=lambda files: Tables("toy-sums", {"questions": len(read(files.data))}),
    check=check,
    predict=lambda: Prediction(Options, run),
)
FORMATS = (
    Format("toy-sums", "sums with their answers", "sums", records_of(read), records_to(write), questions=True),
    Format("toy-answers", "the answers alone", "sums", None,
           lambda path, records: write_lines(path, (answer for _, answer in records.items))),
)
"""


@pytest.fixture
def outside(tmp_path: Path) -> Any:
    """`caveat` as typed, beside an installed package that declares a benchmark."""
    site, work = tmp_path / "site", tmp_path / "work"
    info = site / "toy_sums-1.0.dist-info"
    info.mkdir(parents=True)
    work.mkdir()
    (site / "toy_sums.py").write_text(TOY, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-sums\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[caveat.benchmarks]\ntoy = toy_sums:BENCHMARK\n")
    (work / "gold.tsv").write_text("1+2\t3\n2+2\t5\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "caveat", *arguments],
            cwd=work,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_benchmark_from_outside(outside: Any, tmp_path: Path) -> None:
    done = outside("predict", "toy-sums", "--data", "gold.tsv", "--out", "mine.txt", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "addition"
    assert "2 predictions written to mine.txt" in done.stderr
    assert (tmp_path / "work" / "mine.txt").read_text() == "3\n4\n"
    done = outside("eval", "toy-sums", "--gold", "gold.tsv", "--pred", "mine.txt", "--json")
    assert json.loads(done.stdout) == {"accuracy": 50.0, "total": 2, "missing": 0, "unknown": 0}
    done = outside("stats", "toy-sums", "--data", "gold.tsv", "--json")
    assert json.loads(done.stdout)["counts"] == {"questions": 2}
    assert outside("check", "toy-sums", "--data", "gold.tsv").returncode == 0
    (tmp_path / "work" / "bad.tsv").write_text("7\t7\n")
    done = outside("check", "toy-sums", "--data", "bad.tsv", "--rule", "no-sum")
    assert (done.returncode, done.stdout) == (1, "bad.tsv:1: nothing is added [no-sum]\n")
    done = outside("convert", "toy-sums", "gold.tsv", "--to", "toy-answers", "--out", "answers.txt")
    assert "2 records written to answers.txt as toy-answers." in done.stderr
    assert (tmp_path / "work" / "answers.txt").read_text() == "3\n5\n"


def test_it_is_listed_and_refuses_what_it_does_not_take(outside: Any) -> None:
    done = outside("predict", "toy-sums", "--data", "gold.tsv", "--out", "mine.txt", "--kb", "x")
    assert (done.returncode, done.stderr) == (2, "caveat: The task toy-sums does not take --kb.\n")
    assert "nlpcc-tbqa, toy-sums." in outside("eval", "sums", "--gold", "a", "--pred", "b").stderr
    assert "toy-answers" in outside("convert", "--list").stdout


def test_an_entry_point_that_is_no_benchmark(outside: Any, tmp_path: Path) -> None:
    info = tmp_path / "site" / "toy_sums-1.0.dist-info"
    (info / "entry_points.txt").write_text("[caveat.benchmarks]\ntoy = toy_sums:RULES\n")
    # What is built in does not depend on what else is installed.
    assert outside("stats", "squad", "--data", "none.json").stderr.startswith("caveat: none.json")
    done = outside("stats", "toy-sums", "--data", "gold.tsv")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == "caveat: The entry point toy = toy_sums:RULES of caveat.benchmarks is no Benchmark.\n"
    )


def test_what_the_folders_declare_is_there() -> None:
    assert list(TASKS) == [
        "mrqa", "squad", "squad2", "cmrc2018", "cmqa", "multispan", "conditionalqa",
        "nlpcc-kbqa", "nlpcc-dbqa", "nlpcc-tbqa",
    ]  # fmt: skip
    assert list(DATA_SETS) == ["nlpcc-kb", "nlpcc-mentions", "sharc", "subjqa"]
    for name, found in TASKS.items():
        assert (found.name, found.predict is None) == (name, False)
    for name, found in FORMATS.items():
        assert found.name == name
        assert found.read or found.write
    kinds = {found.kind for found in FORMATS.values()}
    assert {kind for pair in BRIDGES for kind in pair} <= kinds
    assert {name: found.name for name, found in SPAN_TASKS.items()} == {
        "cmqa": "cmqa",
        "multispan": "multispan",
    }
    assert RULES["no-span"]
    with pytest.raises(UnknownNameError, match="Did you mean 'squad'"):
        task("squad3")


def test_no_name_is_declared_twice() -> None:
    for part in ("tasks", "data_sets"):
        names = [name for benchmark in built_in() for name in getattr(benchmark, part)]
        assert len(names) == len(set(names))


def test_a_score_needs_neither_models_nor_what_is_installed() -> None:
    program = """
import sys
from caveat.benchmarks.registry import TASKS
TASKS["cmqa"], TASKS["nlpcc-dbqa"], TASKS["squad2"]
print(*sorted({"numpy", "onnxruntime", "importlib.metadata", "caveat.models"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_verb_of_the_package_is_there() -> None:
    for name in caveat.__all__:
        assert callable(getattr(caveat, name)), name
    assert set(caveat.__all__) <= set(dir(caveat))
    with pytest.raises(AttributeError, match="no attribute 'answer'"):
        caveat.answer  # noqa: B018
