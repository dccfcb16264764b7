"""A small library, and what the small reader can answer from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caveat.library.library import Library

# No test of ours tells others that it runs.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"


@pytest.fixture(scope="session")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    texts = tmp_path_factory.mktemp("texts")
    (texts / "dog.md").write_text("# Dogs\n\nThe dog. color red.\n")
    (texts / "cat.md").write_text("# Cats\n\nThe cat. size ten.\n")
    Library.create(folder).add([texts])
    return folder
