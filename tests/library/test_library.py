"""A library: what comes in, stays, changes and leaves; what is found in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.records import Document, KnowledgeBase, Table
from caveat.library.library import Library
from caveat.library.triples.build import build_index

# As a page shows it.
SHOWN = "The Alder\nThe Alder rises near Holm.\nBridges\nThe oldest bridge was built in 1612."
RIVER = "# The Alder\n\nThe Alder rises near Holm.\n\n## Bridges\n\nThe oldest bridge was built in 1612.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources of each kind in a folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    texts = Path("texts")
    (texts / "deep").mkdir(parents=True)
    (texts / "river.md").write_text(RIVER)
    (texts / "deep" / "桥.txt").write_text("青石桥长46米，建于明代。", encoding="utf-8")
    (texts / "towns.csv").write_text("town,people\nHolm,1200\nFarby,300\n")
    (texts / "mayors.kb").write_text("Holm ||| mayor ||| Ada Brook\n")
    return texts


@pytest.fixture
def library(folder: Path) -> Library:
    library = Library.create("library")
    library.add([folder])
    return library


def names(library: Library) -> list[str]:
    return [entry.source for entry in library.entries()]


def test_what_is_in_it(library: Library) -> None:
    found = [(entry.source, entry.kind, entry.passages, entry.title) for entry in library.entries()]
    assert found == [
        ("texts/deep/桥.txt", "document", 1, ""),
        ("texts/mayors.kb", "knowledge", 0, ""),
        ("texts/river.md", "document", 2, "The Alder"),
        ("texts/towns.csv", "table", 1, "towns"),
    ]
    assert library.entries()[2].bytes == len(SHOWN)
    assert library.verify() == ()


def test_sources_are_there_without_their_files(library: Library, folder: Path) -> None:
    (folder / "river.md").unlink()
    document = library.document("texts/river.md")
    assert isinstance(document, Document)
    assert (document.text, document.url, document.title) == (SHOWN, "texts/river.md", "The Alder")
    assert document.elements[0].text == "The Alder"
    table = library.document("texts/towns.csv")
    assert isinstance(table, Table)
    assert table.rows == (("Holm", "1200"), ("Farby", "300"))
    assert isinstance(library.document("texts/mayors.kb"), KnowledgeBase)


def test_search(library: Library) -> None:
    [hit] = library.search("When was the oldest bridge built?", 1)
    assert (hit.source, hit.text) == ("texts/river.md", "The oldest bridge was built in 1612.")
    assert hit.headings == ("The Alder", "Bridges")
    assert (hit.start, hit.end) == (SHOWN.index("The oldest"), len(SHOWN))
    assert library.search("青石橋有多長？")[0].source == "texts/deep/桥.txt"
    assert library.search("people of Farby")[0].text == "Holm | 1200\nFarby | 300"
    assert library.search("zeppelin") == []


def test_headings_are_searched(library: Library) -> None:
    assert library.search("bridges alder", 1)[0].headings == ("The Alder", "Bridges")


def test_the_same_text_is_found_once(library: Library, folder: Path) -> None:
    (folder / "copy.md").write_text(RIVER)
    library.add([folder])
    assert len([hit for hit in library.search("oldest bridge") if "1612" in hit.text]) == 1


def test_unchanged_files_are_not_read_again(library: Library, folder: Path) -> None:
    before = os.listdir("library")
    added = library.add([folder])
    assert (added.added, added.replaced, added.unchanged, added.removed) == (0, 0, 4, 0)
    assert os.listdir("library") == before


def test_a_file_with_another_time_is_told_by_its_checksum(library: Library, folder: Path) -> None:
    os.utime(folder / "river.md", (1, 1))
    assert library.add([folder]).unchanged == 4
    assert library.add([folder]).unchanged == 4


@pytest.mark.parametrize("days", [-4000, -1, 0, 1, 4000])
def test_a_change_is_seen_whatever_the_clock_says(library: Library, folder: Path, days: int) -> None:
    path = folder / "river.md"
    read_at = path.stat().st_mtime_ns
    path.write_text(RIVER.replace("1612", "1749"))
    # Of the same size, and with a time before the index, after it, or just the one that the file had.
    moved = read_at + days * 24 * 3600 * 10**9
    os.utime(path, ns=(moved, moved))
    added = library.add([folder])
    assert (added.replaced, added.unchanged) == (1, 3)
    assert "1749" in library.search("oldest bridge")[0].text
    assert library.add([folder]).unchanged == 4


def test_a_changed_file_takes_its_place(library: Library, folder: Path) -> None:
    (folder / "river.md").write_text("# The Alder\n\nThe new bridge was built in 1999.\n")
    added = library.add([folder])
    assert (added.added, added.replaced, added.unchanged) == (0, 1, 3)
    assert library.search("When was the bridge built?")[0].text == "The new bridge was built in 1999."
    assert not any("1612" in hit.text for hit in library.search("oldest bridge built in 1612"))


def test_what_a_folder_has_lost_leaves(library: Library, folder: Path) -> None:
    (folder / "river.md").unlink()
    (folder / "mayors.kb").unlink()
    assert library.add([folder]).removed == 2
    assert names(library) == ["texts/deep/桥.txt", "texts/towns.csv"]
    assert library.state().bases() == {}


def test_a_file_by_itself_leaves_the_others(library: Library) -> None:
    Path("note.txt").write_text("A note on weirs.")
    assert library.add(["note.txt"]).added == 1
    assert len(names(library)) == 5


def test_removing(library: Library) -> None:
    assert library.remove(["texts/river.md", "texts/deep"]) == 2
    assert names(library) == ["texts/mayors.kb", "texts/towns.csv"]
    with pytest.raises(UsageError, match="There is no source in the library"):
        library.remove(["texts/river.md"])


def test_what_a_page_gives_is_one(library: Library) -> None:
    Path("page.md").write_text("Prices.\n\n| thing | price |\n|---|---|\n| boat | 12 |\n| oar | 3 |\n")
    library.add(["page.md"])
    assert [entry.kind for entry in library.entries() if entry.source.startswith("page.md")] == [
        "document",
        "table",
    ]
    page, table = library.document("page.md"), library.document("page.md#1")
    assert isinstance(page, Document)
    assert isinstance(table, Table)
    assert table.id == "page.md#1"
    with pytest.raises(UsageError, match=r"page.md#1 is a part of page.md"):
        library.remove(["page.md#1"])
    library.remove(["page.md"])
    assert len(names(library)) == 4


def test_a_bad_file_of_a_folder_is_listed(library: Library, folder: Path) -> None:
    (folder / "empty.txt").write_text("")
    (folder / "picture.bin").write_bytes(b"\0")
    added = library.add([folder])
    assert [(Path(left.source).name, left.text) for left in added.unread] == [
        ("picture.bin", "is of a kind that is not read (.bin)"),
        ("empty.txt", "is empty"),
    ]
    assert len(names(library)) == 4


def test_a_bad_file_that_is_named_is_an_error_and_nothing_changes(library: Library) -> None:
    Path("empty.txt").write_text("")
    Path("good.txt").write_text("Good.")
    before = names(library)
    with pytest.raises(InputError, match="is empty"):
        library.add(["good.txt", "empty.txt"])
    assert names(library) == before
    assert library.verify() == ()


def test_strict(library: Library, folder: Path) -> None:
    (folder / "empty.txt").write_text("")
    with pytest.raises(InputError, match="is empty"):
        library.add([folder], strict=True)


def test_triples_that_are_no_triples(library: Library, folder: Path) -> None:
    (folder / "bad.kb").write_text("no triples here\n")
    added = library.add([folder])
    assert [Path(left.source).name for left in added.unread] == ["bad.kb"]
    with pytest.raises(InputError, match="has no triples in its first lines"):
        library.add([folder / "bad.kb"])


def test_an_index_of_triples_is_taken_as_it_is(library: Library) -> None:
    Path("more.kb").write_text("Farby ||| mayor ||| Ben Reed\n")
    build_index(["more.kb"], "more")
    library.add(["more"])
    assert list(library.state().bases()) == ["texts/mayors.kb", "more"]


def test_content_without_a_file(library: Library) -> None:
    library.put("memo.md", b"# Memo\n\nThe weir is closed.\n")
    assert library.search("weir")[0].source == "memo.md"
    assert library.put("memo.md", b"# Memo\n\nThe lock is closed.\n").replaced == 1
    assert library.search("weir") == []
    with pytest.raises(InputError, match="is empty"):
        library.put("bad.md", b"")
    assert library.remove(["memo.md"]) == 1


def test_a_library_inside_of_its_folder_is_not_read(folder: Path) -> None:
    library = Library.create(folder / "library")
    library.add([folder])
    added = library.add([folder])
    assert (added.unchanged, added.unread) == (4, ())


def test_two_files_of_one_name(folder: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("other/texts").mkdir(parents=True)
    Path("other/texts/river.md").write_text("Another river.")
    monkeypatch.chdir("other")
    library.add(["texts/river.md"])
    assert len(names(library)) == 5
    assert names(library).count("texts/river.md") == 1


def test_several_processes_read_the_same(folder: Path, library: Library) -> None:
    other = Library.create("other")
    other.add([folder], processes=2)
    assert other.entries() == library.entries()
    assert other.search("oldest bridge") == library.search("oldest bridge")


def test_progress(folder: Path) -> None:
    seen: list[int] = []

    def through(tasks):  # type: ignore[no-untyped-def]
        seen.append(len(tasks))
        return tasks

    Library.create("library").add([folder], through=through)
    assert seen == [4]


def test_many_changes_leave_few_files(library: Library) -> None:
    for number in range(20):
        library.put(f"{number % 3}.txt", f"Text {number} on weirs.".encode() * 50)
    assert len(list(library.folder.rglob("records-*"))) <= 17
    assert len(names(library)) == 7
    assert library.verify() == ()
    assert [hit.source for hit in library.search("weirs")] != []


def test_another_process_sees_what_was_written(library: Library, folder: Path) -> None:
    other = Library.open("library")
    assert len(names(other)) == 4
    library.remove(["texts/river.md"])
    assert len(names(other)) == 3
    assert other.search("oldest bridge") == []


def test_what_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no library: `caveat index"):
        Library.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a file: a library is a folder"):
        Library.create(tmp_path / "file")
    (tmp_path / "x.kb").write_text("a ||| b ||| c\n")
    build_index([tmp_path / "x.kb"], tmp_path / "index")
    with pytest.raises(InputError, match="is an index of triples"):
        Library.open(tmp_path / "index")


def test_standard_input_has_no_name(library: Library) -> None:
    with pytest.raises(UsageError, match="Standard input has no name"):
        library.add(["-"])


def test_an_unknown_source(library: Library) -> None:
    with pytest.raises(CaveatError, match="There is no source in the library 'x'"):
        library.document("x")


def test_an_empty_library_finds_nothing(tmp_path: Path) -> None:
    library = Library.create(tmp_path / "library")
    assert (library.entries(), library.search("anything"), library.verify()) == ((), [], ())
