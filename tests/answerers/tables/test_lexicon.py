from __future__ import annotations

from typing import get_args

import pytest

from caveat.answerers.tables.lexicon import Cue, lexicon
from caveat.answerers.tables.question import ParsedQuestion


def test_every_cue_has_words() -> None:
    assert set(lexicon().cues) == set(get_args(Cue))


@pytest.mark.parametrize(
    ("question", "cue", "words"),
    [
        ("how many ships are there", "count", "how many"),
        ("the total number of ships", "count", "total number of"),
        ("茶园有多少家", "count", "有多少家"),
        ("who came right after the castor", "next", "right after"),
        ("which is next to it", "next", "next to"),
        ("除了青石镇还有哪些", "except", "除了"),
        ("除青石镇外", "except", "除"),
        ("is it large", "yes or no", "is"),
        ("what is it", "yes or no", None),
        ("总部在哪里", "sum", None),
        ("the percentage change in sales", "ratio or change", "percentage"),
    ],
)
def test_cues(question: str, cue: Cue, words: str | None) -> None:
    span = ParsedQuestion(question).cue(cue)
    assert (span and question[slice(*span)]) == words


def test_words_that_begin_alike() -> None:
    (found,) = ParsedQuestion("the least expensive plan").superlatives
    assert (found.meaning.largest, found.meaning.about[0]) == (False, "pric")
    assert ParsedQuestion("at least 3 plans").superlatives == []


def test_superlatives_are_about_columns_that_the_file_names() -> None:
    pattern, meanings = lexicon().superlatives[0]
    assert all(pattern.fullmatch(word) for word in meanings)
    assert meanings["fastest"].reversed_in
    assert lexicon().comparatives[0][1]["taller"] == meanings["tallest"]


def test_synonyms_are_stems() -> None:
    assert lexicon().synonyms["person"] == ("popul", "inhabit", "resid", "attend", "nam")
