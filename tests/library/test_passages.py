"""Documents and tables cut into passages, and what passages are searched by."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from caveat.core.records import Document, Table
from caveat.library.passages import document_passages, passage_text, question_terms, table_passages, terms
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text


def texts(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    return [(passage_text(document, each), each.headings) for each in document_passages(document)]


def test_short_paragraphs_of_a_section_go_together_under_their_headings() -> None:
    page = parse_markdown(
        "# Park\n\nOpen daily.\n\n- dogs\n- cats\n\n## Fines\n\nIt costs £5.\n\n# Zoo\n\nClosed.\n"
    )
    assert texts(page) == [
        ("Open daily.\ndogs\ncats", ("Park",)),
        ("It costs £5.", ("Park", "Fines")),
        ("Closed.", ("Zoo",)),
    ]


def test_a_heading_with_nothing_under_it_is_a_passage() -> None:
    page = parse_markdown("# Park\n\n## Opens at nine\n\n## Fines\n\nIt costs £5.\n\n## No dogs\n")
    assert [text for text, _ in texts(page)] == ["Opens at nine", "It costs £5.", "No dogs"]


def test_paragraphs_that_are_long_together_are_apart() -> None:
    long = " ".join(["word"] * 100)
    assert [text for text, _ in texts(parse_plain_text(f"{long}\n\nshort\n\n{long}"))] == [
        f"{long}\n\nshort",
        long,
    ]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = " ".join(["Word"] * 60) + "."
    found = texts(parse_plain_text(" ".join([sentence] * 4)))
    assert [text for text, _ in found] == [f"{sentence} {sentence}"] * 2


def test_chinese_is_counted_by_characters() -> None:
    sentence = "春" * 100 + "。"
    assert len(texts(parse_plain_text(sentence * 6))) == 3


def test_a_text_without_elements_is_plain_text() -> None:
    assert texts(Document("One.\n\nTwo.")) == [("One.\n\nTwo.", ())]


def test_rows_go_together() -> None:
    table = Table(("city", "people"), tuple((f"city {number}", "1 2 3 4") for number in range(100)), "Cities")
    found = list(table_passages(table))
    assert [(each.start, each.end) for each in found] == [(0, 60), (60, 100)]
    assert found[0].headings == ("Cities", "city", "people")
    assert passage_text(table, found[0]).startswith("city 0 | 1 2 3 4\ncity 1 |")


def test_a_table_without_rows_is_still_found() -> None:
    assert [(each.start, each.end) for each in table_passages(Table(("a",), ()))] == [(0, 0)]


@given(
    st.lists(
        st.sampled_from(["# Head", "## Sub", "text one", "- item", "春天来了。", "word " * 150]), max_size=12
    )
)
def test_every_paragraph_is_in_one_passage(blocks: list[str]) -> None:
    page = parse_markdown("\n\n".join(blocks))
    passages = list(document_passages(page))
    assert all(first.end <= second.start for first, second in pairwise(passages))
    for element in page.elements:
        if element.tag in ("p", "li") and element.text.strip():
            inside = [each for each in passages if each.start < element.end and element.start < each.end]
            assert inside


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
