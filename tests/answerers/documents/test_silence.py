"""What tells a page that speaks to a question from one that does not."""

from __future__ import annotations

from caveat.answerers.documents.page import Page
from caveat.answerers.documents.silence import silence_features
from caveat.core.records import Document, Question

HERONS = "Herons nest in tall trees. A heron eats frogs and small fish. Their nests are made of sticks."


def test_what_is_missing_tells_more_the_rarer_it_is_asked() -> None:
    page = Page.of(Document(HERONS))
    asked = {"need": 0.1}
    common, rare = (
        silence_features(page, Question(f"Do {word} herons frogs?"), asked) for word in ("need", "otter")
    )
    assert common["page"] > rare["page"]
    assert (common["rarest word in page"], rare["rarest word in page"]) == (1.0, 0.0)
