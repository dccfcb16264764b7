"""`caveat.answerers.ranking` comes first among the answerers: it looks into the rooms before it and no others."""

from __future__ import annotations

import re
from pathlib import Path

import caveat.answerers.ranking

ALLOWED = ("core.", "language.", "sources.", "models.", "answerers.ranking.")


def test_who_is_imported() -> None:
    used = {
        (path.name, module)
        for path in Path(str(caveat.answerers.ranking.__file__)).parent.glob("*.py")
        for module in re.findall(
            r"^\s*(?:from|import) caveat\.([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert used
    assert {(name, module) for name, module in used if not module.startswith(ALLOWED)} == set()
