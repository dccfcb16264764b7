"""The version to release, which is that of pyproject.toml, and its section of CHANGELOG.md: `release.py version|notes`.

Fails unless CHANGELOG.md has the version with the date of its release, and no tag has it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path


def version_of(project: str) -> str:
    return str(tomllib.loads(project)["project"]["version"])


def notes_of(version: str, changelog: str) -> str:
    """What the changelog says of a version that has a date."""
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}\n(.*?)(?=^## |\Z)"
    found = re.search(heading, changelog, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no heading `## [{version}] - YYYY-MM-DD`: set it, then release.")
    return found[1].strip() + "\n"


def main() -> None:
    root = Path(__file__).resolve().parents[1]
    version = version_of((root / "pyproject.toml").read_text("utf-8"))
    notes = notes_of(version, (root / "CHANGELOG.md").read_text("utf-8"))
    tags = subprocess.run(["git", "tag"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    if f"v{version}" in tags:
        raise SystemExit(f"v{version} is released already: raise the version in pyproject.toml.")
    match sys.argv[1:]:
        case ["version"]:
            print(version)
        case ["notes"]:
            print(notes, end="")
        case _:
            raise SystemExit("usage: release.py version|notes")


if __name__ == "__main__":
    main()
