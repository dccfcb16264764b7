"""`caveat bench knowledge`: sizes, growth, what the task's knowledge base would take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.bench.knowledge import generate_kb, on_a_line
from caveat.cli.bench import _sizes
from caveat.core.errors import UsageError
from caveat.sources.triple_lines import read_triples


def test_the_generated_triples(tmp_path: Path) -> None:
    asked = generate_kb(tmp_path / "a", 6_600)
    triples = list(read_triples(tmp_path / "a"))
    assert len(triples) == 6_600
    entities = {triple.subject for triple in triples}
    assert 800 < len(entities) < 1_200
    assert {each.entity for each in asked} <= entities
    assert all(each.entity.startswith(each.name) for each in asked)
    generate_kb(tmp_path / "b", 6_600)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
def test_two_sizes(caveat: Any) -> None:
    done = caveat("bench", "knowledge", "--triples", "3000,1000", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["columns"] == ["", "1,000 triples", "3,000 triples", "growth", "43,063,796 on paper"]
    names = [row[0] for row in found["rows"]]
    assert names[:5] == ["build", "triples a second", "peak memory of building", "index", "bytes a triple"]
    assert "mentions, 95th percentile" in names
    assert all(len(row) == 5 for row in found["rows"])


def test_on_paper() -> None:
    # From 1 to 10 million 9 seconds more: a second a million.
    assert on_a_line([1_000_000, 10_000_000], [3.0, 12.0]) == pytest.approx(12 + 33.063796)


@pytest.mark.parametrize("sizes", ["", "a", "0", "1,,2", "-5"])
def test_sizes_that_are_none(sizes: str) -> None:
    with pytest.raises(UsageError, match="--triples takes whole numbers"):
        _sizes("--triples", sizes)
