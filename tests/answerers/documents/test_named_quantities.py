"""Items of a list that are a name and an amount."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.named_quantities import with_named_quantities
from caveat.answerers.documents.page import Page
from caveat.models.decoding import Candidate
from caveat.models.reader import ReadResult
from caveat.sources.markdown import parse_markdown

SOUP = Page.of(
    parse_markdown(
        "# Pumpkin soup\n\nA soup for six.\n\n## Ingredients\n\n- Pumpkin: 1.5 kg\n- Milk (300 ml)\n- Salt\n\n"
        "## Steps\n\n1. Roast the pumpkin for 40 minutes.\n2. Add the milk, but keep 2 spoons.\n"
    )
)
SOUP_ZH = Page.of(
    parse_markdown("# 南瓜汤的做法\n\n## 用料\n\n- 南瓜 1500 克\n- 牛奶：300 毫升\n- 留 2 勺牛奶\n")
)


@pytest.mark.parametrize(
    ("page", "question", "found"),
    [
        (SOUP, "How much milk is in the pumpkin soup?", "300 ml"),
        (SOUP, "How much pumpkin do I need?", "1.5 kg"),
        # Of sugar nothing is said, and of the steps more than how much it is.
        (SOUP, "How much sugar is in the pumpkin soup?", None),
        (SOUP, "How long does the pumpkin roast?", None),
        (SOUP, "What is in the pumpkin soup?", None),
        (SOUP_ZH, "南瓜汤要多少牛奶？", "300 毫升"),
        (SOUP_ZH, "南瓜汤要多少盐？", None),
    ],
)
def test_the_amount_of_what_is_asked_for_comes_first(page: Page, question: str, found: str | None) -> None:
    before = ReadResult((Candidate("A soup", 0, 6, 1.5),))
    after = with_named_quantities(page, question, before)
    texts = [candidate.text for candidate in after.candidates]
    assert texts == (["A soup"] if found is None else [found, "A soup"])
    scores = [candidate.score for candidate in after.candidates]
    assert scores == sorted(scores, reverse=True)
    assert with_named_quantities(page, question, ReadResult(())) == ReadResult(())
