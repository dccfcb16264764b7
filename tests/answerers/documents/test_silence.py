"""What tells a page that speaks to a question from one that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.page import Page
from caveat.answerers.documents.silence import absent_names, silence_features
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


PAGE = (
    "Ada Finch was born in Leeds, France's neighbour across the sea, in 1820. Her value added tax was paid by the "
    "Société Générale. Mr. O'Brien met Thomas Aitken at a well-known pub."
)


@pytest.mark.parametrize(
    ("question", "absent"),
    [
        ("Where was Marie Curie born?", ["Marie", "Curie"]),
        ("Where was Ada Finch born?", []),
        ("Where was Ada Quill's mother born?", ["Quill"]),
        ("Who paid the VAT?", []),  # its initials are there
        ("Who paid the NHS?", ["NHS"]),
        ("What did the French pay?", []),  # the country's name may stand for them
        ("What did the Spanish pay?", []),
        ("Who lives in Leedsham?", []),  # of the same family as Leeds
        ("Where was Ada Fnich born?", []),  # a slip
        ("Who is Aiken?", []),
        ("What did the Societe Generale pay?", []),
        ("Did Mrs Finch meet O’Brien?", []),
        ("Where can I go on a Monday in March?", []),  # days and months are no names
        ("What can I do if I'm late?", []),
        ("Where Was Marie Curie Born?", []),  # capitals everywhere tell nothing
        ("WHERE WAS MARIE CURIE BORN?", []),
        ("where was marie curie born?", []),
        ("Leeds is where? Berlin is where?", []),  # the first word has a capital, whatever it is
        ("", []),
    ],
)
def test_names_that_a_page_does_not_have(question: str, absent: list[str]) -> None:
    assert absent_names(question, [PAGE], PAGE) == absent


def test_a_name_may_stand_in_any_text_or_in_a_title() -> None:
    assert absent_names("Where was Marie Curie born?", [PAGE, "curie.md", "Marie"], PAGE) == []


def test_short_names_are_whole_words() -> None:
    assert absent_names("What does the UN say?", ["Under the sun."], "Under the sun.") == ["UN"]


@given(st.text(), st.text())
def test_no_text_is_too_strange(question: str, text: str) -> None:
    assert all(name in question for name in absent_names(question, [text], text))
