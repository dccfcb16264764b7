"""The room looks only into those above it."""

from __future__ import annotations

import ast
from pathlib import Path

import caveat.answerers.documents.conditions

ALLOWED = {"conditions", "errors", "formats", "records", "text"}


def test_conditions_import_nothing_below_them() -> None:
    files = sorted(Path(caveat.answerers.documents.conditions.__path__[0]).glob("*.py"))
    assert len(files) > 10
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("caveat."):
                    assert name.split(".")[1] in ALLOWED, f"{file.name}: {name}"
