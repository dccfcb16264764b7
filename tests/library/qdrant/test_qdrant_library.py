"""A library on a real server is as one in a folder: what it has, what it finds, what comes and goes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path

import pytest

from caveat.answerers.engine import load
from caveat.core.errors import CaveatError
from caveat.library.indexing import ask_library
from caveat.library.library import Library, copy_library
from caveat.library.search import Kind
from caveat.serve.start import library_of

Run = Callable[..., "subprocess.CompletedProcess[str]"]

BRIDGE = "# Bridges\n\n## The old bridge\n\nThe old bridge over the Tarn was built in 1480 of red stone.\n"
FERRY = "# 渡船\n\n冬天第一班渡船早上七点开船。\n\n夏天第一班渡船早上五点开船。\n"
PRICES = "ticket,price\nadult,12\nchild,5\n"


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "texts"
    (folder / "more").mkdir(parents=True)
    (folder / "bridge.md").write_text(BRIDGE, encoding="utf-8")
    (folder / "more" / "ferry.md").write_text(FERRY, encoding="utf-8")
    (folder / "more" / "prices.csv").write_text(PRICES, encoding="utf-8")
    return folder


def names(library: Library) -> list[str]:
    return sorted(entry.source for entry in library.entries())


def points(library: Library) -> int:
    store = library._store
    return store._collection.count(None)


def test_what_is_in_it_is_what_a_folder_has(address: str, texts: Path) -> None:
    ours, theirs = Library.create("folder"), Library.create(address)
    assert ours.add(["texts"]).added == theirs.add(["texts"]).added == 3
    assert sorted(ours.entries(), key=lambda entry: entry.source) == list(theirs.entries())
    for entry in theirs.entries():
        assert theirs.document(entry.source) == ours.document(entry.source)
    assert theirs.kinds == ours.kinds
    for question in ("old bridge", "冬天的渡船", "price of a ticket"):
        assert [hit.source for hit in ours.search(question)] == [
            hit.source for hit in theirs.search(question)
        ]
        assert [hit.text for hit in ours.search(question)] == [hit.text for hit in theirs.search(question)]
    assert theirs.verify() == ()
    with pytest.raises(CaveatError, match=r"no source in the library 'texts/bridge'. Did you mean"):
        theirs.document("texts/bridge")


def test_what_has_changed_takes_the_place_of_what_it_was(address: str, texts: Path) -> None:
    library = Library.create(address)
    library.add(["texts"])
    before = points(library)
    again = library.add(["texts"])
    assert (again.unchanged, again.added, points(library)) == (3, 0, before)
    (texts / "bridge.md").write_text("The new bridge was built in 1990.\n")
    os.utime(texts / "more" / "ferry.md")
    (texts / "more" / "prices.csv").unlink()
    changed = library.add(["texts"])
    assert (changed.replaced, changed.unchanged, changed.removed) == (1, 1, 1)
    assert names(library) == ["texts/bridge.md", "texts/more/ferry.md"]
    assert [hit.text for hit in library.search("bridge")] == ["The new bridge was built in 1990."]
    assert library.verify() == ()
    assert library.remove(["texts/more"]) == 1
    assert names(library) == ["texts/bridge.md"]
    # A file's own point, its record and its passage.
    assert points(library) == 3


def test_what_is_put_under_a_name_can_be_taken_out(address: str, texts: Path) -> None:
    library = Library.create(address)
    library.put("note.txt", b"The weir is closed.")
    library.put("note.txt", b"The weir is open again.")
    assert [hit.text for hit in library.search("weir")] == ["The weir is open again."]
    with pytest.raises(CaveatError, match=r"no source in the library 'note'\..*There are: note.txt\."):
        library.remove(["note"])
    assert library.remove(["note.txt"]) == 1
    assert (names(library), library.search("weir"), points(library)) == ([], [], 0)


def test_triples_are_refused_in_a_sentence(address: str, texts: Path) -> None:
    (texts / "mayors.kb").write_text("Tarn ||| mayor ||| Ida Vale\n")
    library = Library.create(address)
    added = library.add(["texts"])
    assert [(each.source, each.text) for each in added.unread] == [
        (
            "texts/mayors.kb",
            "triples are not kept on servers: `caveat index` makes an index of them in a folder",
        )
    ]
    with pytest.raises(CaveatError, match="triples are not kept on servers"):
        library.add(["texts/mayors.kb"])
    assert len(names(library)) == 3


def test_questions_are_answered_as_from_a_folder(address: str, tmp_path: Path, reader_folder: Path) -> None:
    engine = load(reader_folder)
    ours, theirs = Library.create(tmp_path / "folder"), Library.create(address)
    for number in range(12):
        ours.put(f"{number}.txt", f"the city and the dog {number}".encode())
    ours.put("size.txt", b"size ten")
    copy_library(tmp_path / "folder", address)
    reply = ask_library(engine, theirs, "size")
    expected = ask_library(engine, ours, "size")
    assert reply.answers[0].text == "ten"
    assert reply.answers[0].place == expected.answers[0].place
    assert reply.answers[0].score == pytest.approx(expected.answers[0].score, rel=1e-4)


def test_a_library_goes_to_a_server_and_back_without_its_sources(address: str, texts: Path) -> None:
    Library.create("folder").add(["texts"])
    shutil.rmtree(texts)
    assert copy_library("folder", address).added == 3
    assert copy_library("folder", address).unchanged == 3
    assert copy_library(address, "back").added == 3
    ours, back = Library.open("folder"), Library.open("back")
    assert names(back) == names(ours)
    assert set(back.entries()) == set(ours.entries())
    assert [back.document(name) for name in names(back)] == [ours.document(name) for name in names(ours)]
    assert {hit.text for hit in back.search("渡船")} == {hit.text for hit in ours.search("渡船")}
    with pytest.raises(CaveatError, match="are the same library"):
        copy_library("folder", "folder")


WRITER = """
import sys
from caveat.library.library import Library
Library.create(sys.argv[1]).add([sys.argv[2]], processes=1)
"""


def articles(folder: Path, number: int) -> None:
    folder.mkdir()
    for each in range(number):
        paragraphs = [
            f"Heron {each} stands at weir {each * 7 % 11}, seen {part} times. " * 20 for part in range(30)
        ]
        (folder / f"{each:03}.txt").write_text("\n\n".join(paragraphs))


def write(address: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, address, str(folder)])


def test_a_writer_that_is_killed_is_gone_on_from(address: str, tmp_path: Path) -> None:
    articles(tmp_path / "articles", 60)
    expected = Library.create(tmp_path / "folder").add([tmp_path / "articles"]).passages
    library = Library.create(address)
    child = write(address, tmp_path / "articles")
    while child.poll() is None and (library._store._collection.averages() is None or points(library) < 500):
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    done = library.add([tmp_path / "articles"])
    assert done.unchanged + done.added + done.replaced == 60
    assert library.verify() == ()
    assert library.state().passages == expected


def test_two_writers_of_the_same_files_write_them_once(address: str, tmp_path: Path) -> None:
    articles(tmp_path / "articles", 20)
    writers = [write(address, tmp_path / "articles") for _ in range(2)]
    assert [each.wait() for each in writers] == [0, 0]
    library = Library.open(address)
    assert library.verify() == ()
    expected = Library.create(tmp_path / "folder").add([tmp_path / "articles"]).passages
    # Beside passages a file has its own point and its record.
    assert (library.state().passages, points(library)) == (expected, expected + 40)


def test_a_search_can_be_kept_to_some_sources(address: str, texts: Path) -> None:
    (texts / "more" / "bridge.md").write_text("Another bridge, of wood, was built in 1700.")
    ours, theirs = Library.create("folder"), Library.create(address)
    for library in (ours, theirs):
        library.add(["texts"])
        found = library.search("bridge", sources=["texts/more"])
        assert [hit.source for hit in found] == ["texts/more/bridge.md"]
        (other,) = library.search("bridge", sources=["texts/bridge.md"])
        (whole,) = [hit for hit in library.search("bridge") if hit.source == "texts/bridge.md"]
        assert (other.text, other.score) == (whole.text, pytest.approx(whole.score))
        assert library.search("bridge", sources=["nowhere"]) == []


# Words of Latin letters and of Chinese characters, drawn so that a few are frequent and most are rare.
LETTERS = ("ba", "ko", "ri", "tu", "me", "na", "sol", "ven", "dar", "pim")


def generated(folder: Path, files: int, seed: int, lengths: tuple[int, int]) -> list[str]:
    """Files of fifty passages in each language by turns; questions of words of one of them."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(LETTERS, k=draw.randint(1, 4))) for _ in range(6_000)]
    signs = [chr(0x4E00 + draw.randrange(3_000)) for _ in range(3_000)]
    often = list(accumulate(1 / (rank + 2) for rank in range(6_000)))
    folder.mkdir(parents=True)
    questions = []
    for number in range(files):
        sizes = [draw.randint(*lengths) for _ in range(50)]
        if number % 2:
            texts = ["".join(draw.choices(signs, cum_weights=often[:3_000], k=2 * size)) for size in sizes]
            start = draw.randrange(60)
            questions.append(texts[7][start : start + 12])
        else:
            texts = [" ".join(draw.choices(words, cum_weights=often, k=size)) for size in sizes]
            questions.append(" ".join(draw.sample(texts[7].split(), 8)))
        title = " ".join(draw.choices(words, cum_weights=often, k=4))
        (folder / f"{number:03}.md").write_text("\n\n".join((f"# {title}", *texts)), encoding="utf-8")
    return questions


def same_but_for_ties(ours: Library, theirs: Library, questions: Sequence[str], kind: Kind) -> None:
    for question in questions:
        state, other = ours.state(), theirs.state()
        expected = [
            (state.name(each.source), each.start, each.score) for each in state.find(question, kind, 30)
        ]
        found = [(other.name(each.source), each.start, each.score) for each in other.find(question, kind, 30)]
        scores = [score for *_, score in expected]
        assert [score for *_, score in found] == pytest.approx(scores, rel=1e-5)
        # What is not as good as another has the same place; at the end ties are cut.
        for (name, start, score), (other_name, other_start, _) in zip(expected, found, strict=True):
            ties = sum(abs(score - each) <= 1e-5 * score for each in scores)
            if ties == 1 and score > scores[-1] * (1 + 1e-5):
                assert (name, start) == (other_name, other_start)


def test_the_ranking_of_5000_passages_is_the_folders(address: str, tmp_path: Path) -> None:
    questions = generated(tmp_path / "a", 80, 3, (60, 190))
    ours, theirs = Library.create(tmp_path / "folder"), Library.create(address)
    ours.add([tmp_path / "a"])
    theirs.add([tmp_path / "a"])
    same_but_for_ties(ours, theirs, questions, "document")
    # Short ones come to them: the average length is another now, and the passages that are there were weighed with it.
    more = generated(tmp_path / "b", 20, 4, (61, 75))
    (tmp_path / "b" / "prices.csv").write_text(
        "\n".join(["ticket,price", *(f"{question.split()[0]},{len(question)}" for question in questions)])
    )
    ours.add([tmp_path / "b"])
    theirs.add([tmp_path / "b"])
    assert ours.state().passages == theirs.state().passages >= 5_000
    same_but_for_ties(ours, theirs, [*more, *questions], "document")
    same_but_for_ties(ours, theirs, [question.split()[0] for question in questions[::2]], "table")
    state, other = ours.state(), theirs.state()
    words = [*questions[0].split(), "nowhere"]
    assert other._searcher.weights("document", words) == pytest.approx(
        state._searcher.weights("document", words), rel=1e-5
    )


def test_commands_take_an_address(address: str, texts: Path, caveat: Run) -> None:
    done = caveat("index", "texts", "--out", address)
    assert (done.returncode, done.stderr) == (0, "")
    copied = json.loads(caveat("library", "copy", address, "folder", "--json").stdout)
    assert (copied["added"], copied["unchanged"]) == (3, 0)
    listed = caveat("library", "list", address, "--json")
    assert [entry["source"] for entry in json.loads(listed.stdout)] == [
        *("texts/bridge.md", "texts/more/ferry.md", "texts/more/prices.csv")
    ]
    question = "When was the old bridge built?"
    theirs = json.loads(caveat("ask", question, "--library", address, "--json").stdout)
    ours = json.loads(caveat("ask", question, "--library", "folder", "--json").stdout)
    assert theirs["answers"][0]["text"] == ours["answers"][0]["text"] == "1480"
    assert caveat("library", "verify", address).stdout == "Sound.\n"
    with library_of(address) as library:
        assert library is not None
        assert len(library.entries()) == 3
    assert caveat("index", "texts", "--out", address, "--skip-bad").returncode == 2
