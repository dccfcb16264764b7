from __future__ import annotations

import re
import tomllib
from pathlib import Path

from caveat.core.loading import needs_extra

ROOT = Path(__file__).resolve().parents[2]


def test_the_sentence_names_the_extra_and_what_to_type() -> None:
    assert needs_extra("--traces", "OpenTelemetry", "traces") == (
        '--traces needs OpenTelemetry, of the extra `traces`: pip install ".[traces]" in a clone of Caveat.'
    )


def test_every_extra_that_is_named_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.compile(r'(?:needs_extra\(.*|extra_command\()["\'](\w+)["\']\)')
    found = [name for path in (ROOT / "src").rglob("*.py") for name in named.findall(path.read_text("utf-8"))]
    assert len(found) >= 15
    assert set(found) <= set(extras)


def test_nobody_is_sent_to_an_index() -> None:
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for path in (*texts, *(ROOT / "src").rglob("*.py")):
        assert not re.search(r"pip install ['\"]?caveat", path.read_text("utf-8")), path
