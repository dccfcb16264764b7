from __future__ import annotations

import re
from pathlib import Path

import msgspec

from caveat.core.limits import Limits


def test_the_page_lists_every_limit_with_its_default() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "security.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.MULTILINE)
    assert {name: int(value.replace(",", "")) for name, value in listed} == msgspec.structs.asdict(Limits())
