"""Threads that follow the machine."""

from __future__ import annotations

import os
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
