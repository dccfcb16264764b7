from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.bench.metrics import _normal as plain_normal
from caveat.language.normalise import normalise_cmrc, normalise_squad, squad_tokens


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The U.S.-based firm", "usbased firm"),  # punctuation is deleted, not replaced
        ("3-4", "34"),
        ("a.n", ""),  # "an" once the period is gone, and then an article
        ("the–best", "–best"),  # an en dash survives and is a word boundary
        ("“A” test", "“ ” test"),
        ("An  apple\tand\n the pear", "apple and pear"),
        ("theory of a the", "theory of"),
        ("The", ""),
    ],
)
def test_squad(text: str, normal: str) -> None:
    assert normalise_squad(text) == normal
    assert squad_tokens(text) == normal.split()


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (" 《红楼梦》 ", "红楼梦"),
        ("2018-05-03", "20180503"),
        ("等等……", "等等……"),  # the list's item has two characters and so never matches one
        ("‘a’", "‘a"),  # only the right quote is listed
        ("A, B.", "a, b."),  # ASCII comma and period are not
    ],
)
def test_cmrc(text: str, normal: str) -> None:
    assert normalise_cmrc(text) == normal


@given(st.text(alphabet=st.sampled_from("aAnNtThHeE .,-_'–’é中\t\n\x00")))
def test_squad_equals_the_plain_form(text: str) -> None:
    assert normalise_squad(text) == plain_normal(text)
