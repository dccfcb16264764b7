"""`caveat.answerers.ranking` stands beside the structure: it looks into the rooms above it and no others."""

from __future__ import annotations

import re
from pathlib import Path

import caveat.answerers.ranking

ALLOWED = {"errors", "formats", "ranking", "records", "runtime", "text"}


def test_who_is_imported() -> None:
    used = {
        (path.name, room)
        for path in Path(str(caveat.answerers.ranking.__file__)).parent.glob("*.py")
        for room in re.findall(
            r"^\s*(?:from|import) caveat\.(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert used
    assert {(name, room) for name, room in used if room not in ALLOWED} == set()
