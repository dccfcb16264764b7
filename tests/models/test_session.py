"""Threads that follow the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caveat.models.session import Session, available_cores


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)


@pytest.mark.usefixtures("eight_cores")
@pytest.mark.parametrize(
    ("limit", "cores"),
    [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("9900000 100000", 8), ("garbage", 8)],
)
def test_cores_of_a_container(tmp_path: Path, limit: str, cores: int) -> None:
    (tmp_path / "cpu.max").write_text(limit + "\n")
    assert available_cores(tmp_path) == cores


@pytest.mark.usefixtures("eight_cores")
def test_cores_of_an_older_container(tmp_path: Path) -> None:
    assert available_cores(tmp_path) == 8
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    for quota, cores in (("-1", 8), ("300000", 3)):
        (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(quota + "\n")
        assert available_cores(tmp_path) == cores


def test_making_one_is_light(tmp_path: Path) -> None:
    assert Session(tmp_path / "no-such-model.onnx").threads == available_cores()
    assert Session(tmp_path / "no-such-model.onnx", threads=3).threads == 3


_FORKED = """
import os, sys
from caveat.models.reader import Reader, ReadRequest
reader = Reader.load(sys.argv[1], threads=2)
def answer():
    [found] = reader.read([ReadRequest("color", "color red")])
    return found.candidates[0].text
assert answer() == "red"
child = os.fork()
if not child:
    os._exit(0 if answer() == "red" else 1)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_answers_too(reader_folder: Path) -> None:
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
    subprocess.run(
        [sys.executable, "-c", _FORKED, str(reader_folder)], check=True, timeout=120, env=environment
    )
