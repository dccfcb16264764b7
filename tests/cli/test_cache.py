"""`caveat cache` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_a_folder_is_kept_shown_and_cleared(
    caveat: Any, tmp_path: Path, reader_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "kept"
    monkeypatch.setenv("CAVEAT_CACHE", str(place))
    (tmp_path / "texts").mkdir()
    for number in range(20):
        (tmp_path / "texts" / f"{number}.txt").write_text(f"the city and the dog {number}\n")
    (tmp_path / "texts" / "size.txt").write_text("size ten\n")
    ask = ("ask", "size", "texts", "--model", reader_folder, "--json")
    without = caveat(*ask, "--no-cache")
    assert not place.exists()
    assert [caveat(*ask).stdout for _ in range(2)] == [without.stdout] * 2
    shown = json.loads(caveat("cache", "--json").stdout)
    assert (shown["folder"], len(shown["indexes"])) == (str(place), 1)
    assert shown["indexes"][0]["inputs"] == [str(tmp_path / "texts")]
    assert shown["bytes"] == shown["indexes"][0]["bytes"] > 0
    assert caveat("cache").stdout.splitlines()[-1] == f"{place}: 1 index, {shown['bytes']:,} bytes."
    assert caveat("cache", "clear").stdout == "1 index removed.\n"
    assert caveat("cache").stdout == f"{place}: 0 indexes, 0 bytes.\n"
