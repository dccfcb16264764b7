"""`caveat.answerers.tables` looks into the rooms before it, and among the answerers into `ranking` alone."""

from __future__ import annotations

import re
from pathlib import Path

import caveat.answerers.tables

ALLOWED = {"core", "language", "sources", "models", "answerers.ranking", "answerers.tables"}


def test_who_is_imported() -> None:
    used = {
        (path.name, room)
        for path in Path(str(caveat.answerers.tables.__file__)).parent.glob("*.py")
        for room in re.findall(
            r"^\s*(?:from|import) caveat\.(answerers\.\w+|\w+)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert used
    assert {(name, room) for name, room in used if room not in ALLOWED} == set()
