from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.sources.documents import document_paths, read_document, read_documents


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def test_the_ending_tells_the_kind(tmp_path: Path) -> None:
    source = "# Fees\n<b>£5</b>"
    tags = {
        name: [element.tag for element in read_document(write(tmp_path / name, source)).elements]
        for name in ("a.txt", "a.md", "a.HTML", "a", "a.csv")
    }
    assert tags == {
        "a.txt": ["p", "p"],
        "a.md": ["h1", "p"],
        "a.HTML": ["p"],
        "a": ["p", "p"],
        "a.csv": ["p", "p"],
    }


def test_without_an_ending_the_content_tells(tmp_path: Path) -> None:
    for beginning in (
        "<!DOCTYPE html>",
        "\n<!-- a - b --><HTML>",
        '<?xml version="1.0"?>\n<html>',
        "\ufeff<html>",
    ):
        assert read_document(write(tmp_path / "page", beginning + "<p>£5</p>")).text == "£5"
    assert read_document(write(tmp_path / "page", "<html5 is a word")).text == "<html5 is a word"


def test_text_keeps_its_line_ends(tmp_path: Path) -> None:
    document = read_document(write(tmp_path / "a.txt", "\ufeffone\r\n\r\ntwo\r\n"))
    assert document.text == "one\r\n\r\ntwo\r\n"
    assert document.elements[1].start == 7


@pytest.mark.parametrize("declared", ["gbk", "gb2312"])
def test_a_chinese_page_in_gbk(tmp_path: Path, declared: str) -> None:
    page = (
        f"<html><head><meta charset={declared}><title>办事指南</title></head><body><ul><li>身份证</li></ul>"
    )
    document = read_document(write(tmp_path / "a.htm", page, "gbk"))
    assert (document.title, document.text) == ("办事指南", "身份证")


def test_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.md.gz"
    path.write_bytes(gzip.compress("# 费用".encode()))
    assert read_document(path).elements[0].tag == "h1"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BufferedReader(io.BytesIO(b"<html><p>It costs &pound;5."))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
    assert [(name, document.text) for name, document in read_documents(["-"])] == [("-", "It costs £5.")]


def test_folders(tmp_path: Path) -> None:
    for name in (
        "b.txt",
        "a/z.html",
        "a/c/d.md",
        ".hidden.txt",
        ".git/e.txt",
        "picture.png",
        "a.txt.gz",
        "f.MD",
    ):
        write(tmp_path / name, "text")
    folder = str(tmp_path)
    names = [path.removeprefix(folder).replace("\\", "/") for path in document_paths([tmp_path])]
    assert names == ["/a/c/d.md", "/a/z.html", "/a.txt.gz", "/b.txt", "/f.MD"]
    # Each file once, where it is named first; a file that is named may have any ending.
    once = list(
        document_paths(
            [tmp_path / "b.txt", tmp_path, tmp_path / "a" / ".." / "b.txt", tmp_path / "picture.png"]
        )
    )
    assert once[0] == str(tmp_path / "b.txt")
    assert once[-1] == str(tmp_path / "picture.png")
    assert len(once) == 6


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: cannot be opened: no such file"):
        read_document(tmp_path / "none.txt")
    with pytest.raises(InputError, match=r"none\.txt: cannot be opened: no such file"):
        list(read_documents([tmp_path / "none.txt"]))
    with pytest.raises(InputError, match=r"is a folder"):
        read_document(tmp_path)
    with pytest.raises(InputError, match=r"has no documents in it: \.txt, "):
        list(read_documents([tmp_path]))
    for content in ("", " \n\t"):
        with pytest.raises(InputError, match=r"a\.txt: is empty"):
            read_document(write(tmp_path / "a.txt", content))
    with pytest.raises(InputError, match=r"a\.html: has no text in it"):
        read_document(write(tmp_path / "a.html", "<p></p>"))
    with pytest.raises(InputError, match=r"a\.txt: is not text but binary data"):
        read_document(write(tmp_path / "a.txt", "a\0b"))
    with pytest.raises(
        InputError, match=r"a\.docx: is a zip file, such as Word and Excel write: save it as PDF"
    ):
        read_document(write(tmp_path / "a.docx", "PK\x03\x04"))
    with pytest.raises(InputError, match=r"neither UTF-8 nor GB18030"):
        read_document(write(tmp_path / "a.txt", "café £5", "latin-1"))
