"""Quotations are found where they stand, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.language_model.quotations import find_quotation

TEXT = "The fee is £20 (“twenty”) — paid  once.\nChildren under 5 pay nothing. 儿童免费，成人十元。"


@pytest.mark.parametrize(
    ("quotation", "found"),
    [
        ("£20", "£20"),
        ("the FEE is £20", "The fee is £20"),
        ('"twenty" - paid once', "twenty”) — paid  once"),
        ("paid once.", "paid  once."),
        ("once. Children", "once.\nChildren"),
        ("“Children under 5”", "Children under 5"),
        ("成人 十元", "成人十元"),
        ("儿童免费,成人", "儿童免费，成人"),
        ("免费", "免费"),
    ],
)
def test_a_quotation_is_found_with_other_marks_blanks_and_case(quotation: str, found: str) -> None:
    place = find_quotation(quotation, TEXT)
    if quotation == '"twenty" - paid once':
        # A bracket is part of what is said.
        assert place is None
        return
    assert place is not None
    assert TEXT[slice(*place)].strip(".") == found.strip(".")


@pytest.mark.parametrize("quotation", ["", "  ", "...", "£2", "hild", "£30", "5 pay something", "儿童收费"])
def test_what_does_not_stand_there_is_not_found(quotation: str) -> None:
    assert find_quotation(quotation, TEXT) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_a_place_is_within_the_text_and_says_what_was_quoted(text: str, start: int, end: int) -> None:
    quotation = text[start:end]
    place = find_quotation(quotation, text)
    if place is not None:
        low, high = place
        assert 0 <= low < high <= len(text)
        assert find_quotation(text[low:high], text) is not None


@given(st.lists(st.sampled_from(["red", "blue", "deep", "42", "sky"]), min_size=1, max_size=8), st.data())
def test_words_of_a_text_are_always_found(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    text = " ".join(words)
    place = find_quotation("  ".join(words[first : last + 1]).upper(), text)
    assert place is not None
    assert text[slice(*place)] == " ".join(words[first : last + 1])
