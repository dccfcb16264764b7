"""Whether a text speaks of what a question is about."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.subject import spoken_of


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        # 药 is there, but a single character is no subject beside another.
        ("感冒吃什么药好", "多吃新鲜的蔬菜和水果，可以局部用药。", 0),
        ("吃什么药好？", "可以局部用药。", 1),
        ("感冒怎么办", "多吃新鲜的蔬菜和水果。", 0),
        ("口腔溃疡怎么办？", "口腔溃疡大多能自己愈合。", 1),
        ("口腔溃疡怎么办？", "这种溃疡大多能自己愈合。", 1 / 3),
        ("有什么？", "随便什么。", 1),
        ("What helps against hay fever?", "Hay keeps well in a dry barn.", 1 / 4),
        ("DNA是什么", "A text on dna.", 1),
        ("DNA是什么", "", 0),
        ("", "", 1),
    ],
)
def test_how_much(question: str, text: str, share: float) -> None:
    assert spoken_of(question, text) == pytest.approx(share)
