"""Fixtures: the real data beside the project, where it is present."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine must not fail a property: no test is about absolute time.
settings.register_profile("caveat", deadline=None)
settings.load_profile("caveat")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data and the published scores."""
    if not (SHARED / "parity" / "EXPECTED.json").is_file():
        pytest.skip("the real data (../shared) is not beside this checkout")
    return SHARED


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def caveat(tmp_path: Path) -> Run:
    """Run `caveat …` in an empty folder, as a user would type it."""

    def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "caveat", *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        )

    return run
