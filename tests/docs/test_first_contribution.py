"""The walk-through of a first contribution gives what it says, followed in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "first-contribution.md").read_text("utf-8")
STEP = re.compile(
    r"^<!-- (?:new file: ([^\n]+)|([^\n]+), before: ([^\n]+)) -->\n```\w+\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ASKED = re.compile(r"^(printf .*\ncaveat ask .*)$", re.MULTILINE)


def follow(folder: Path) -> list[str]:
    """Write the page's files and lines; the names of the files."""
    for new, old, anchor, code in STEP.findall(PAGE):
        path = folder / (new or old)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = code
        if not new:
            before, found, after = path.read_text("utf-8").partition(f"\n{anchor}")
            assert found, f"{old} has no line that begins with {anchor!r}"
            between = "\n\n\n" if anchor.startswith("def ") else "\n"
            text = f"{before}\n{code.rstrip()}{between}{found[1:]}{after}"
        path.write_text(text, "utf-8")
    return [new or old for new, old, _, _ in STEP.findall(PAGE)]


@pytest.mark.slow
def test_the_steps_lead_to_a_green_test_and_an_answer(tmp_path: Path) -> None:
    package = ROOT / "src" / "caveat"
    shutil.copytree(
        package, tmp_path / "src" / "caveat", ignore=shutil.ignore_patterns("weights", "__pycache__")
    )
    (tmp_path / "src" / "caveat" / "models" / "weights").symlink_to(package / "models" / "weights")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def run(*command: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "NO_COLOR": "1"}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    files = follow(tmp_path)
    run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/sources/test_contacts.py")
    run(sys.executable, "-m", "ruff", "check", "--no-cache", *files)
    run(sys.executable, "-m", "ruff", "format", "--no-cache", "--check", *files)
    (asked,) = ASKED.findall(PAGE)
    printed = run("sh", "-c", f'caveat() {{ "{sys.executable}" -m caveat "$@"; }}; {asked}')
    assert "030 789" in printed
