"""Results of short texts are kept, those of long ones are not."""

from __future__ import annotations

from caveat.core.cache import LONGEST, cache_short


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
