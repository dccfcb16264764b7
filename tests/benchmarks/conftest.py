"""What the tests of the checks share: findings as short tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from caveat.benchmarks.shared.checks import Finding

Told = Callable[[Iterable[Finding], Path], list[tuple[str, int | None, str | None]]]


@pytest.fixture
def told() -> Told:
    """Findings as (rule, line, id), all of them in the file named."""

    def tell(findings: Iterable[Finding], path: Path) -> list[tuple[str, int | None, str | None]]:
        found = list(findings)
        assert {finding.file for finding in found} <= {str(path)}
        return [(finding.rule, finding.line, finding.id) for finding in found]

    return tell
