from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.core.one_line import one_line


def test_control_characters_are_escaped() -> None:
    assert one_line("a\nb\r\x1b[31m\u2028\x7f 一", 100) == r"a\nb\r\x1b[31m\u2028\x7f 一"


def test_a_long_text_keeps_its_ends() -> None:
    assert one_line("a" * 50 + "b" * 50, 12) == "aaaaaa … bbbb"
    assert one_line("a" * 12, 12) == "a" * 12


@given(st.text())
def test_any_text_becomes_one_line(text: str) -> None:
    assert len(one_line(text, 1000).splitlines()) <= 1
