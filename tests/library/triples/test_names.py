"""Names without brackets and quotes; aliases in an object; what a slip of the pen is."""

from __future__ import annotations

import pytest

from caveat.library.triples.names import aliases_in, has_other_names, is_slip, other_names


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("李娜（中国女子网球名将）", ["李娜"]),
        ("红尘_（歌曲）", ["红尘"]),
        ("Mercury (planet)", ["Mercury"]),
        ("《河边的日子》", ["河边的日子"]),
        ("《河边》（小说）(修订版)", ["《河边》（小说）", "《河边》", "河边"]),
        ("甲（乙（丙））", ["甲"]),
        ("（甲）", []),
        ("甲）", []),
        ("甲（乙", []),
        ("“", []),
        ("《》", []),
    ],
)
def test_other_names(name: str, others: list[str]) -> None:
    assert list(other_names(name)) == others
    assert has_other_names(name) or not others


@pytest.mark.parametrize(
    ("text", "aliases"),
    [
        ("微石", ["微石"]),
        ("大桥、老桥，石桥", ["大桥、老桥，石桥", "大桥", "老桥", "石桥"]),
        ("Stone, Ada; Ada S.", ["Stone, Ada; Ada S.", "Stone, Ada", "Ada S."]),
        ("《河边》", ["《河边》", "河边"]),
        ("暂无", []),
        ("长" * 201, []),
    ],
)
def test_aliases_in_an_object(text: str, aliases: list[str]) -> None:
    assert list(aliases_in(text)) == aliases


@pytest.mark.parametrize(
    ("written", "name", "slip"),
    [
        ("李小明", "李晓明", True),
        ("青石侨", "青石桥", True),
        ("barak obama", "barack obama", True),
        ("baracck obama", "barack obama", True),
        ("braack obama", "barack obama", True),
        ("newyork", "new york", True),
        ("is a", "isa", False),
        ("obam", "obama", True),  # the end of a long word in letters
        ("青石", "青石桥", False),  # another name
        ("大青石桥", "青石桥", False),
        ("青大石桥", "青石桥", True),
        ("2008", "2009", False),
        ("2008年", "208年", False),
        ("青石桥", "青石桥", False),
        ("abc", "abd", True),
        ("abc", "xyc", False),
        ("", "a", False),
    ],
)
def test_slips(written: str, name: str, slip: bool) -> None:
    assert is_slip(written, name) is slip


def test_a_name_of_nothing_but_brackets_has_no_others() -> None:
    """A subject of 30,000 quotation marks had 15,000 names, which filled the memory."""
    for name in ('"' * 30_000, "(a)" * 10_000, "《" * 9000 + "》" * 9000):
        assert list(other_names(name)) == []
        assert not has_other_names(name)
    assert len(list(other_names("(" * 50 + "a" + ")" * 50))) <= 50
