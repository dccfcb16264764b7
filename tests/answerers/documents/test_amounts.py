"""Items of a list that are a name and an amount."""

from __future__ import annotations

import pytest

from caveat.answerers.documents.amounts import named_quantities
from caveat.answerers.documents.page import Page
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


# How often questions have these words: they are ways of asking.
ASKED = dict.fromkeys(("much", "need", "how"), 0.05)


@pytest.mark.parametrize(
    ("page", "question", "found"),
    [
        (SOUP, "How much milk is in the pumpkin soup?", "300 ml"),
        (SOUP, "How much pumpkin do I need?", "1.5 kg"),
        # Of sugar nothing is said, and of the steps more than how much it is.
        (SOUP, "How much sugar is in the pumpkin soup?", None),
        (SOUP, "How long does the pumpkin roast?", None),
        (SOUP_ZH, "南瓜汤要多少牛奶？", "300 毫升"),
        (SOUP_ZH, "南瓜汤要多少盐？", None),
    ],
)
def test_where_the_amount_of_what_is_asked_for_stands(page: Page, question: str, found: str | None) -> None:
    spans = named_quantities(page, question, ASKED)
    assert [page.document.text[start:end] for start, end in spans] == ([] if found is None else [found])


def test_a_word_that_few_questions_have_must_be_there() -> None:
    question = "How much milk is needed in Lisbon?"
    assert named_quantities(SOUP, question, ASKED) == []
    assert named_quantities(SOUP, question, {**ASKED, "lisbon": 0.1}) != []
