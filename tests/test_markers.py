"""The quick tests, `pytest -m "not slow"`, are those that need nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COLLECTING = """
import sys
import pytest
left = pytest.main(["--collect-only", "-qq", "-n", "0", "-p", "no:cacheprovider", *sys.argv[1:]])
print(left.value, "torch" in sys.modules, "transformers" in sys.modules)
"""
HERE = Path(__file__).parent


def collected(*arguments: str) -> list[str]:
    command = [sys.executable, "-c", COLLECTING, *arguments]
    return subprocess.run(
        command, cwd=HERE.parent, capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["not slow", "not torch"])
def test_collecting_the_quick_tests_of_training_does_not_load_torch(wanted: str) -> None:
    *files, last = collected("-m", wanted, "tests/training")
    assert last == "0 False False"
    assert any(line.startswith("tests/training/test_recipe.py: ") for line in files)


def test_what_a_test_needs_is_told_by_its_fixtures() -> None:
    assert collected("-m", "slow", "tests/test_privacy.py")[-1].startswith("0 ")
    files = collected("-m", "not slow", "tests/test_privacy.py", "tests/library/test_killed.py")
    assert not [line for line in files if "test_killed" in line]
