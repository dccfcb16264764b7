"""Answers from tables as records, and from documents and tables together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.engine import Engine, load
from caveat.answerers.tables.answerer import TableAnswerer, answer_cells
from caveat.core.answers import Answer, Place
from caveat.core.errors import CaveatError
from caveat.core.records import Document, KnowledgeBase, Question, Reply, Table, from_json, to_json

ROWS = (
    ("Green Bridge", "Clear River", "1872", "46"),
    ("Iron Bridge", "Old Moor Canal", "1899", "31"),
    ("Long Bridge", "Clear River", "1931", "210"),
)
BRIDGES = Table(("Bridge", "River", "Built", "Length (m)"), ROWS, "bridges", "data/bridges.csv")


def reply(*questions: str, tables: Sequence[Table] = (BRIDGES,)) -> Iterator[Reply]:
    answerer = TableAnswerer()
    prepared = tuple(map(answerer.prepare, tables))
    return answerer.answer([Asked(Question(question), prepared) for question in questions])


def first(question: str, *tables: Table) -> Answer:
    (found,) = reply(question, tables=tables or (BRIDGES,))
    assert sum(answer.score for answer in found.answers) + found.unanswerable == pytest.approx(1)
    return found.answers[0]


def test_a_cell_with_its_row_and_columns() -> None:
    answer = first("Which bridge was built in 1899?")
    assert (answer.text, answer.kind, answer.place) == ("Iron Bridge", "table", Place("data/bridges.csv"))
    cells = answer.cells
    assert cells is not None
    assert (cells.kind, cells.caption, cells.operation) == ("cell", "bridges", "Bridge where Built is 1899")
    assert (cells.columns, cells.names) == ((0, 2), ("Bridge", "Built"))
    assert (cells.rows, cells.texts) == ((1,), (("Iron Bridge", "1899"),))
    assert list(answer_cells(answer)) == [(0, 0)]


def test_what_was_computed_comes_with_all_that_went_into_it() -> None:
    answer = first("How many bridges cross the Clear River?")
    assert answer.text == "2"
    assert answer.cells is not None
    assert (answer.cells.kind, answer.cells.rows) == ("computed", (0, 2))
    # The rows are named, even if nothing was asked about their names.
    assert set(answer.cells.names) >= {"River", "Bridge"}
    assert list(answer_cells(answer)) == []
    longest = first("Which bridge has the largest length?")
    assert longest.text == "Long Bridge"
    assert longest.cells is not None
    assert longest.cells.operation == "Bridge of the row with the largest Length (m) among 3 rows"
    assert list(answer_cells(longest)) == [(0, 0)]


def test_where_only_the_row_is_sure_its_cells_are_the_answer() -> None:
    answer = first("Why was the Green Bridge painted green?")
    assert answer.cells is not None
    assert answer.text == "Bridge: Green Bridge; River: Clear River; Built: 1872; Length (m): 46"
    assert (answer.cells.kind, answer.cells.operation) == ("table", "")
    assert set(answer.cells.columns) == {0, 1, 2, 3}
    assert answer.cells.rows[0] == 0
    assert list(answer_cells(answer)) == []


def test_no_table_has_a_word_of_the_question() -> None:
    assert list(reply("Who wrote Hamlet?")) == [Reply(Question("Who wrote Hamlet?"), (), 1.0)]


def test_of_many_rows_the_numbers_are_all_there() -> None:
    rows = tuple((f"Town {number}", "North") for number in range(500))
    answer = first("How many towns are in the North?", Table(("Town", "County"), rows, id="towns.csv"))
    assert answer.text == "500"
    assert answer.cells is not None
    assert len(answer.cells.rows) == 500
    assert len(answer.cells.texts) == 20


def test_no_row_is_out_of_reach() -> None:
    rows = tuple((f"Farm {number}", "North" if number % 4 else "South") for number in range(100_000))
    farms = Table(("Farm", "County"), (*rows, ("Old Mill", "West")), id="farms.csv")
    county, count = reply(
        "Which county is the Old Mill in?", "How many farms are in the South?", tables=[farms]
    )
    answer = county.answers[0]
    assert (answer.text, answer.cells and answer.cells.rows) == ("West", (100_000,))
    assert count.answers[0].text == "25,000"


@pytest.mark.parametrize(
    ("id", "caption", "source", "headings"),
    [
        ("data/bridges.csv", "bridges", "data/bridges.csv", ()),
        ("data/bridges.csv.gz", "bridges", "data/bridges.csv.gz", ()),
        ("book.xlsx#Bridges", "book: Bridges", "book.xlsx#Bridges", ()),
        ("page.html#2", "Moorland: Bridges", "page.html#2", ("Moorland: Bridges",)),
        ("", "bridges", "bridges", ()),
        ("", "", "", ()),
    ],
)
def test_where_a_table_stands(id: str, caption: str, source: str, headings: tuple[str, ...]) -> None:
    answer = first("Which bridge was built in 1899?", Table(BRIDGES.headers, ROWS, caption, id))
    assert answer.place == Place(source, headings=headings)


def test_a_reply_with_cells_as_json() -> None:
    reply = Reply(Question("Which bridge was built in 1899?"), (first("Which bridge was built in 1899?"),))
    assert from_json(to_json(reply), Reply) == reply
    assert '"cells":{"kind":"cell","columns":[0,2],"rows":[1],"names":["Bridge","Built"]' in to_json(reply)


@pytest.fixture(scope="module")
def engine(reader_folder: Path) -> Engine:
    return load(reader_folder)


def test_tables_need_no_reader() -> None:
    reply = Engine([]).ask("Which bridge was built in 1899?", BRIDGES)
    assert reply.answers[0].text == "Iron Bridge"
    with pytest.raises(CaveatError, match="No model"):
        Engine([]).ask("color", Document("color red"))


def test_documents_and_tables_together(engine: Engine) -> None:
    document = Document("The dog is big. The color red is of the dog.", url="dog.txt")
    reply = engine.ask("color", document, BRIDGES)
    assert (reply.answers[0].text, reply.answers[0].kind) == ("red", "span")
    assert reply == engine.ask("color", BRIDGES, document)
    reply = engine.ask("Which bridge was built in 1899?", document, BRIDGES, top=1)
    assert [(answer.text, answer.kind) for answer in reply.answers] == [("Iron Bridge", "table")]


def test_many_questions_on_sources_of_all_kinds(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "bridges.csv"
    path.write_text("\n".join(map(",".join, (BRIDGES.headers, *ROWS))), encoding="utf-8")
    triples = tmp_path / "bridges.kb"
    triples.write_text("青石桥 ||| 长度 ||| 46米\n", encoding="utf-8")
    pairs = [
        ("color", [Document("color red"), BRIDGES]),
        ("Which bridge was built in 1931?", path),
        ("Which bridge was built in 1872?", str(path)),
        ("青石桥的长度是多少？", KnowledgeBase(str(triples))),
        ("color", Document("color blue")),
    ]
    replies = list(engine.ask_many(pairs))  # type: ignore[arg-type]
    assert [reply.answers[0].text for reply in replies] == [
        "red",
        "Long Bridge",
        "Green Bridge",
        "46米",
        "blue",
    ]
    assert [reply.answers[0].kind for reply in replies] == ["span", "table", "table", "entity", "span"]


def test_a_page_answers_once(engine: Engine, tmp_path: Path) -> None:
    page = tmp_path / "dogs.html"
    page.write_text(
        "<h1>Dogs</h1><p>The dog is big.</p><table><tr><th>Dog<th>Color<tr><td>Rex<td>red<tr><td>Bo<td>blue</table>",
        encoding="utf-8",
    )
    reply = engine.ask("What is the color of the dog Bo?", page)
    texts = [answer.text for answer in reply.answers]
    assert texts[0] == "blue"
    assert len(texts) == len(set(texts))
    assert reply.answers[0].cells is not None
    assert reply.answers[0].evidence == ()
