"""What caches keep, and when a file has changed."""

from __future__ import annotations

import os
from pathlib import Path

from caveat.core.cache import LONGEST, LimitedCache, cache_short, state_of


def test_the_last_used_are_kept_as_far_as_they_fit() -> None:
    made: list[str] = []

    def make(value: str) -> str:
        made.append(value)
        return value

    kept: LimitedCache[str] = LimitedCache(10, len)
    for key in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb"):
        assert kept.get(key, lambda key=key: make(key)) == key  # type: ignore[misc]
    assert made == ["aaaa", "bbbb", "cccc", "bbbb"]
    # The newest stays, however large it is.
    for _ in range(2):
        kept.get("large", lambda: make("x" * 100))
    assert made[4:] == ["x" * 100]
    assert len(kept) == 1


def test_the_state_of_a_file_and_of_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "a.txt"
    file.parent.mkdir()
    file.write_text("one")
    before = state_of(file), state_of(tmp_path)
    assert before == (state_of(str(file)), state_of(str(tmp_path)))
    file.write_text("three")
    assert state_of(file) != before[0]
    assert state_of(tmp_path) != before[1]
    now = state_of(tmp_path)
    (tmp_path / "b.txt").write_text("")
    assert state_of(tmp_path) != now


def test_what_can_be_read_only_once_or_not_at_all(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in ("-", pipe, tmp_path / "missing", "x" * 5000, "a\0b"):
        assert state_of(name) is None


def test_short_texts_are_kept_and_long_ones_are_not() -> None:
    computed: list[str] = []

    @cache_short(2)
    def upper(text: str) -> str:
        computed.append(text)
        return text.upper()

    long = "a" * (LONGEST + 1)
    assert [upper("a"), upper("a"), upper(long), upper(long)] == ["A", "A", long.upper(), long.upper()]
    assert computed == ["a", long, long]
    upper("b")
    upper("c")
    upper("a")  # two others have come meanwhile
    assert computed[3:] == ["b", "c", "a"]
    upper.cache_clear()
    upper("a")
    assert computed[-2:] == ["a", "a"]
    assert upper.__name__ == "upper"
