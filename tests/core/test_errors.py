from __future__ import annotations

from caveat.core.errors import CaveatError, InputError, UnknownNameError


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
