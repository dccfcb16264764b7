"""Tables on the page of a reply: what is marked in them, and what is left out."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from caveat.core.answers import Answer, Cells, Place
from caveat.core.records import Document, Question, Reply, Table
from caveat.render.page import reply_page

ROWS = tuple((f"Town {number}", str(100 + number), "North") for number in range(100))
TOWNS = Table(("Town", "People", "County"), ROWS, "Towns & villages", "towns.csv")


def found(text: str, kind: str, columns: tuple[int, ...], rows: tuple[int, ...], **more: object) -> Answer:
    cells = Cells(
        kind,  # type: ignore[arg-type]
        columns,
        rows,
        tuple(TOWNS.headers[column] for column in columns),
        tuple(tuple(ROWS[row][column] for column in columns) for row in rows),
        TOWNS.caption,
        "" if kind == "table" else "done <so>",
    )
    return Answer(text, "table", 0.5, Place("towns.csv"), cells=cells)


def page_of(
    *answers: Answer, documents: dict[str, Document] | None = None, none: float = 0.1
) -> LexborHTMLParser:
    reply = Reply(Question("Which town?"), answers, none)
    return LexborHTMLParser(reply_page(reply, documents or {}, {"towns.csv": TOWNS}))


def texts(page: LexborHTMLParser, selector: str) -> list[str]:
    return [node.text() for node in page.css(selector)]


def test_the_rows_around_the_answer() -> None:
    page = page_of(found("Town 50", "cell", (0, 1), (50,)))
    assert texts(page, "th") == ["Town", "People", "County"]
    assert texts(page, "tbody tr td:first-child") == [
        "… 49 rows left out …",
        "Town 49",
        "Town 50",
        "Town 51",
        "… 48 rows left out …",
    ]
    assert texts(page, "mark.plain.first")[-1:] == ["Town 50"]
    assert texts(page, "mark.evidence") == ["150"]
    assert texts(page, ".tree .where") == ["done <so>"]
    assert texts(page, "caption") == ["Towns & villages"]


def test_links_both_ways() -> None:
    page = page_of(found("Town 50", "cell", (0, 1), (50,)), found("3", "computed", (1,), (2, 3, 4)))
    ids = {node.attributes["id"] for node in page.css("[id]")}
    links = [node.attributes["href"] or "" for node in page.css("a[href]")]
    assert len(links) == 4
    assert all(link[1:] in ids for link in links)
    # What no cell says has its number where it was computed from.
    assert [mark.attributes["data-label"] for mark in page.css("td mark[data-label]")] == ["2", "1"]


def test_a_table_alone_is_marked_in_its_caption() -> None:
    page = page_of(found("Towns & villages", "table", (0, 1, 2), (7,)))
    assert texts(page, "caption mark") == ["Towns & villages"]
    assert texts(page, ".tree .where") == ["the table alone"]
    assert "Town 7" in texts(page, "td")
    assert texts(page, "td mark") == []


def test_a_count_of_none() -> None:
    page = page_of(found("0", "computed", (1,), ()))
    assert [mark.attributes["data-label"] for mark in page.css("caption mark")] == ["1"]


def test_texts_and_tables_the_better_first() -> None:
    documents = {"a.txt": Document("Town 9 is small.")}
    span = Answer("Town 9", "span", 0.5, Place("a.txt", 0, 6))
    town = found("Town 50", "cell", (0, 1), (50,))
    assert texts(page_of(span, town, documents=documents), "h3") == ["a.txt", "towns.csv"]
    assert texts(page_of(town, span, documents=documents), "h3") == ["towns.csv", "a.txt"]
    assert texts(page_of(town, documents=documents), ".others li") == ["a.txt"]


@pytest.mark.parametrize(
    ("documents", "sentence"), [({}, "this source"), ({"a.txt": Document("x")}, "these sources")]
)
def test_not_answered(documents: dict[str, Document], sentence: str) -> None:
    page = page_of(documents=documents, none=0.9)
    assert texts(page, ".none") == [f"Not found in {sentence} sure, 90%"]


def test_of_many_columns_those_that_matter() -> None:
    wide = Table(tuple(f"c{number}" for number in range(40)), (tuple(map(str, range(40))),), "Wide", "w")
    cells = Cells("cell", (33,), (0,), ("c33",), (("33",),), "Wide", "c33")
    reply = Reply(Question("?"), (Answer("33", "table", 1.0, Place("w"), cells=cells),))
    page = LexborHTMLParser(reply_page(reply, {}, {"w": wide}))
    assert texts(page, "th") == [*(f"c{number}" for number in range(11)), "c33", "… 28 columns left out"]
    assert texts(page, "td mark") == ["33"]


def test_hostile_cells() -> None:
    table = Table(("<b>",), (("<script>x</script>\x00",),), "</table>", "t")
    cells = Cells("cell", (0,), (0,), ("<b>",), (("<script>x</script>\x00",),), operation="<i>")
    answer = Answer("<script>x</script>\x00", "table", 1.0, Place("t"), cells=cells)
    html = reply_page(Reply(Question("?"), (answer,)), {}, {"t": table})
    assert html.count("<script>") == 1
    assert "&lt;script&gt;x&lt;/script&gt;" in html
    assert "\x00" not in html
