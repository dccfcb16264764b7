"""The room looks only into those above it."""

from __future__ import annotations

import ast
from pathlib import Path

import caveat.answerers.documents.conditions

ALLOWED = ("caveat.core.", "caveat.language.", "caveat.sources.", "caveat.answerers.documents.conditions.")


def test_conditions_import_nothing_below_them() -> None:
    files = sorted(Path(caveat.answerers.documents.conditions.__path__[0]).glob("*.py"))
    assert {"clause.py", "rules.py", "follow_up.py"} <= {file.name for file in files}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("caveat."):
                    assert f"{name}.".startswith(ALLOWED), f"{file.name}: {name}"
