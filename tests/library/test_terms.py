"""What texts are searched by."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.library.terms import question_terms, terms


def test_words_have_no_endings_and_numbers_no_commas() -> None:
    assert terms("Wins, winning 1,234 games") == ["win", "win", "1234", "game"]


def test_chinese_has_characters_and_pairs_and_other_words_beside_them() -> None:
    assert terms("北京有NBA") == ["nba", "北", "京", "有", "北京", "京有"]


def test_both_scripts_have_the_same_terms() -> None:
    assert terms("臺灣的鐵路") == terms("台湾的铁路")


def test_what_every_question_has_is_left_out() -> None:
    assert question_terms("What is the height of the tower?") == ["height", "tower"]


def test_a_question_of_nothing_else_keeps_it() -> None:
    assert question_terms("What is it?") == ["what", "is", "it"]


@given(st.text())
def test_terms_have_no_blanks_in_them(text: str) -> None:
    """They are joined with blanks when they are searched."""
    assert all(term and not any(map(str.isspace, term)) for term in terms(text))
