"""Spans without the marks of markup languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.marks import is_markup, whole_literal, without_marks


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        ("**bold**", "bold"),
        ("**bold", "bold"),
        ("bold**", "bold"),
        ("*very* old", "*very* old"),
        ("`run it`", "run it"),
        ("``run it``", "run it"),
        ("[the form](https://a.example/f)", "the form"),
        ("[the form", "the form"),
        ("the form](https://a.example/f)", "the form"),
        ("the form](https:", "the form"),
        ("ask [the office](a.md) first", "ask [the office](a.md) first"),
        ("[**the form**](a.md)", "the form"),
        ("`Otters`_", "Otters"),
        ("`Otters <https://a.example>`_", "Otters"),
        (":doc:`the guide </guide>`", "the guide"),
        ("Otters_", "Otters"),
        ("Otters_.", "Otters"),
        ("`Otters`_,", "Otters"),
        ("[the form](a.md).", "the form"),
        ("made_up_", "made_up_"),
        ("__init__", "__init__"),
        ("_first", "_first"),
        ("_very old_", "very old"),
        ("{{ page.name }} is open", "is open"),
        ("at noon {% endif %}", "at noon"),
        ("3 * 4", "3 * 4"),
        ("(a) [1]", "(a) [1]"),
        ("**", "**"),
    ],
)
def test_marks_at_the_ends(span: str, shown: str) -> None:
    text = f"x {span} y"
    start, end = without_marks(text, 2, 2 + len(span))
    assert text[start:end] == shown


@given(st.text(alphabet="ab *_`[]()<>{}%:!~\n"))
def test_what_is_left_is_a_part(text: str) -> None:
    start, end = without_marks(text, 0, len(text))
    assert 0 <= start <= end <= len(text)
    assert without_marks(text, start, end) == (start, end)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("see [it](https://a.example/42) now", "42"),
        ('call <a href="tel:42">us</a>', "42"),
        ("open {{ site.hours }} daily", "hours"),
        ("{% if winter %}closed", "winter"),
    ],
)
def test_what_is_not_shown(text: str, word: str) -> None:
    start = text.index(word)
    assert is_markup(text, start, start + len(word))


@pytest.mark.parametrize(
    "text", ["if a <b and 42 c", "a [b] (42)", "f](x) 42", "{{ a }} 42", "see <https://x.example> 42"]
)
def test_what_is_shown(text: str) -> None:
    assert not is_markup(text, text.index("42"), text.index("42") + 2)


@pytest.mark.parametrize(
    ("text", "span", "whole"),
    [
        ("Run ``tidy.py sweep --all`` now.", "py", "tidy.py sweep --all"),
        ("Run `tidy.py sweep` now.", "sweep", "tidy.py sweep"),
        ("Use the :option:`sweep\n--all` option.", "--all", "sweep\n--all"),
        ("Run `tidy` or wait for `sweep`.", "wait", "wait"),
        ("It is 5` or so` long.", "so", "so"),
        ("See :doc:`the guide </guide/index>`.", "guide", "guide"),
    ],
)
def test_words_of_a_program_are_whole(text: str, span: str, whole: str) -> None:
    start = text.index(span)
    first, last = whole_literal(text, start, start + len(span))
    assert text[first:last] == whole


def test_the_target_of_a_reference_is_not_shown() -> None:
    text = "See :doc:`the guide </guide/index>` and 3 < 4 > 2 `so`."
    assert is_markup(text, text.index("index"), text.index("index") + 5)
    assert not is_markup(text, text.index("the guide"), text.index("the guide") + 9)
    assert not is_markup(text, text.index("4"), text.index("4") + 1)
