from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.core.errors import CaveatError, InputError, UnknownNameError, one_line


def test_the_place_comes_first() -> None:
    error = InputError("expected a label", path="a.tsv", line=7, id="q1")
    assert str(error) == "a.tsv, line 7, id q1: expected a label"
    assert str(InputError("is empty", path="-")) == "standard input: is empty"
    assert str(InputError("is empty")) == "is empty"


def test_whatever_the_data_holds_the_sentence_is_one_line_and_short() -> None:
    error = InputError("got 'x\ny'", path="a", id="one\ntwo" + "x" * 5000)
    assert len(str(error)) < 200
    assert str(error).startswith(r"a, id one\ntwo")
    assert str(error).endswith(r"got 'x\ny'")
    assert len(str(CaveatError("a\nb" * 5000))) < 1500


def test_an_unknown_name_lists_the_known_ones() -> None:
    error = UnknownNameError("task", "sqaud", ["mrqa", "squad"])
    assert str(error) == "There is no task 'sqaud'. Did you mean 'squad'? There are: mrqa, squad."


def test_control_characters_are_escaped() -> None:
    assert one_line("a\nb\r\x1b[31m\u2028\x7f 一", 100) == r"a\nb\r\x1b[31m\u2028\x7f 一"


def test_what_turns_the_order_of_a_text_around_is_escaped() -> None:
    assert one_line("name\u202efdp.exe \u2066x", 100) == r"name\u202efdp.exe \u2066x"


def test_a_long_text_keeps_its_ends() -> None:
    assert one_line("a" * 50 + "b" * 50, 12) == "aaaaaa … bbbb"
    assert one_line("a" * 12, 12) == "a" * 12


@given(st.text())
def test_any_text_becomes_one_line(text: str) -> None:
    assert len(one_line(text, 1000).splitlines()) <= 1
