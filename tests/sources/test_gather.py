"""What files hold: which are documents, tables and knowledge bases, and what is said about odd ones."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from caveat.answerers.knowledge.index.build import build_index
from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document, KnowledgeBase, Table
from caveat.sources.gather import Given, gather, read_source, read_sources, sources_of

CSV = "Town,People\nArvo,340\nRauma,5100\n"
PAGE = "<h1>Towns</h1><p>There are two.</p><table><tr><th>Town<th>People<tr><td>Arvo<td>340</table>"
MARKDOWN = "# Towns\n\n| Town | People |\n|---|---|\n| Arvo | 340 |\n"
TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, content: str | bytes) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def kinds(*paths: str) -> list[tuple[str, str]]:
    return [(read.name, type(read.source).__name__) for read in read_sources(paths)]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", CSV, ["Table"]),
        ("a.csv.gz", gzip.compress(CSV.encode(), mtime=0), ["Table"]),
        ("a.tsv", CSV.replace(",", "\t"), ["Table"]),
        ("a.html", PAGE, ["Document", "Table"]),
        ("a.md", MARKDOWN, ["Document", "Table"]),
        ("b.md", "# No table\n\nhere", ["Document"]),
        ("a.txt", CSV, ["Document"]),
        ("a.kb", TRIPLES, ["KnowledgeBase"]),
        ("triples.txt", TRIPLES, ["KnowledgeBase"]),
        ("facts.csv", "subject,predicate,object\nArvo,people,340\n", ["KnowledgeBase"]),
        ("noending", CSV, ["Table"]),
        ("noending", PAGE, ["Document"]),
        ("page", f"<html>{PAGE}", ["Document", "Table"]),
        ("noending", MARKDOWN, ["Document", "Table"]),
        ("letter", "Dear Ann,\nwe met Bob, Cleo and Dan.\n", ["Document"]),
        ("gbk.csv", "城镇,人口\n青石,1200\n柳河,340\n".encode("gbk"), ["Table"]),
    ],
)
def test_kinds(name: str, content: str | bytes, expected: list[str]) -> None:
    assert kinds(write(name, content)) == [(name, kind) for kind in expected]


def test_an_index_is_a_knowledge_base(here: Path) -> None:
    build_index([write("a.kb", TRIPLES)], "index")
    assert kinds("index") == [("index", "KnowledgeBase")]
    assert gather("index") == Given(bases=(KnowledgeBase("index"),))


def test_a_folder_of_everything() -> None:
    files: dict[str, str | bytes] = {
        "all/a.csv": CSV,
        "all/sub/page.html": PAGE,
        "all/sub/facts.nt": '<http://e.org/Arvo> <http://e.org/people> "340" .\n',
        "all/notes.txt": "Arvo is an island.",
        "all/.hidden.csv": CSV,
        "all/~$book.xlsx": "lock",
        "all/picture.png": b"\x89PNG",
    }
    for name, content in files.items():
        write(name, content)
    found = [
        (str(Path(name).relative_to("all").as_posix()), kind) for name, kind in kinds("all", "all/a.csv")
    ]
    assert found == [
        ("a.csv", "Table"),
        ("notes.txt", "Document"),
        ("sub/facts.nt", "KnowledgeBase"),
        ("sub/page.html", "Document"),
        ("sub/page.html", "Table"),
    ]
    given = gather("all")
    assert [len(of_kind) for of_kind in given] == [2, 2, 1]
    assert given.documents[0].url == str(Path("all", "notes.txt"))


def test_records_and_paths_mixed() -> None:
    document, table, base = Document("text"), Table(("a",), (("1",),)), KnowledgeBase("x.kb")
    given = gather([table, write("a.csv", CSV), document, base])
    assert given.documents == (document,)
    assert [each.headers for each in given.tables] == [("a",), ("Town", "People")]
    assert given.bases == (base,)
    assert gather(table) == Given(tables=(table,))


def test_sources_are_in_the_order_given() -> None:
    table, page = Table(("a",), (("1",),)), write("a.md", MARKDOWN)
    found = sources_of([page, table, write("b.kb", TRIPLES)])
    assert [type(source) for source in found] == [Document, Table, Table, KnowledgeBase]
    assert found[2] is table
    assert found[:2] == read_source(page)


def test_a_file_is_read_once_for_many_questions() -> None:
    known: dict[str, tuple[Document | Table | KnowledgeBase, ...]] = {}
    path = write("a.csv", CSV)
    assert gather(path, known).tables[0] is gather(Path(path), known).tables[0]


@pytest.mark.parametrize(
    "content", [CSV, "Town,People\nArvo,340\nRauma\t,5100,1755\nLindholm,12\n", CSV.replace(",", ";")]
)
def test_a_table_on_standard_input(monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    stream = io.BufferedReader(io.BytesIO(content.encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    (read,) = read_sources(["-"])
    assert isinstance(read.source, Table)
    assert read.source.headers[:2] == ("Town", "People")
    assert read.source.id == "-"


def test_what_is_odd_about_a_table_is_said() -> None:
    def remark(content: str) -> str:
        (read,) = read_sources([write("a.csv", content)])
        return read.remark

    assert remark(CSV) == ""
    assert remark("Arvo,340\nRauma,5100\n") == (
        "no row names the columns, so they are called column 1, column 2 and so on"
    )
    assert remark(CSV + "Lindholm\n") == "1 row has more or fewer cells than there are columns"
    assert remark("1,2\n3,4\n5\n6,7,8\n").endswith(
        "so on; 2 rows have more or fewer cells than there are columns"
    )


def test_columns_of_one_name() -> None:
    (read,) = read_sources([write("a.csv", "Team,Score,Score\nReds,3,5\n")])
    assert isinstance(read.source, Table)
    assert read.source.headers == ("Team", "Score", "Score (2)")


def test_a_page_with_a_table_that_is_none_is_still_a_document() -> None:
    wide = "<tr>" + "<td>x" * 900
    page = f"<p>It costs 5.</p><table>{'<tr><td>a<td>b' * 50}{wide}</table>"
    assert kinds(write("a.html", page))[0] == ("a.html", "Document")


def test_what_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def problem(name: str, content: str | bytes) -> str:
        with pytest.raises(CaveatError) as caught:
            list(read_sources([write(name, content)]))
        return str(caught.value)

    assert problem("a.csv", "") == "a.csv: is empty"
    assert problem("a.csv", " \n") == "a.csv: is empty"
    assert problem("a.csv", ",,\n,,\n") == "a.csv: has no cells in it"
    assert problem("old.xls", b"\xd0\xcf\x11\xe0").startswith("old.xls: is an old Excel file")
    assert problem("a.docx", b"PK\x03\x04").startswith("a.docx: is a zip file")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert (
        problem("a.xlsx", b"PK\x03\x04 xl/")
        == 'Reading Excel files needs openpyxl: pip install "caveat[tables]"'
    )
    # A workbook is known by its content as well.
    assert problem("book", b"PK\x03\x04 xl/").startswith("Reading Excel files needs openpyxl")
    with pytest.raises(InputError, match=r"none\.csv: cannot be opened: no such file"):
        list(read_sources(["none.csv"]))
    with pytest.raises(InputError, match="there is no such file; a text itself is given as Document"):
        gather("It costs 5 euros.")
    with pytest.raises(InputError, match="no source"):
        gather([])
    Path("nothing").mkdir()
    with pytest.raises(InputError, match=r"nothing: has nothing in it to answer from: \.txt, "):
        list(read_sources(["nothing"]))
