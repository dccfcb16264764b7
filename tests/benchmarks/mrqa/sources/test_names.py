from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source, names, source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import UnknownNameError


def test_the_18_sources() -> None:
    sources = [source(name) for name in names()]
    assert [found.name for found in sources] == names()
    assert len({found.dataset for found in sources}) == 18
    assert all(found.reads for found in sources)


def test_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'race'.*mrqa-squad, newsqa, .*, trec"):
        source("racer")
    with pytest.raises(UnknownNameError):
        convert_source("racer", Path("x"), Drops())


def test_sources_are_imported_when_asked_for() -> None:
    program = """
import sys
from caveat.benchmarks.mrqa.sources import build
build.source("qast")
package = "caveat.benchmarks.mrqa.sources."
print(*sorted(name.removeprefix(package) for name in sys.modules if name.startswith(package)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["build", "trec"]
