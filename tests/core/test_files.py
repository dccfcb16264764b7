from __future__ import annotations

import gzip
import io
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import (
    read_bytes,
    read_lines,
    read_raw,
    read_rows,
    read_text,
    write_lines,
    write_rows,
    writing,
)

TEXT = "第一行\nsecond line\n第三行：微软\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("zipped", [False, True])
def test_reads_every_encoding_and_line_end(tmp_path: Path, encoding: str, ending: str, zipped: bool) -> None:
    data = TEXT.replace("\n", ending).encode(encoding)
    path = tmp_path / "data.txt"  # the name says nothing of compression: the content does
    path.write_bytes(gzip.compress(data) if zipped else data)
    assert [*read_lines(path)] == [(1, "第一行"), (2, "second line"), (3, "第三行：微软")]
    assert read_text(path) == TEXT


def test_gbk_that_begins_after_much_ascii(tmp_path: Path) -> None:
    path = tmp_path / "late.txt"
    path.write_bytes(b"plain\n" * 400_000 + "银行\n".encode("gbk"))
    *_, last = read_lines(path)
    assert last == (400_001, "银行")


@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_that_is_written_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zipped: bool
) -> None:
    """Written in place between two blocks, as an editor or a download does it: old and new are never mixed."""
    path = tmp_path / "data.txt"
    contents = [letter * 3000 for letter in (b"a", b"bb", b"ccc")]
    packed = [gzip.compress(content) if zipped else content for content in contents]
    path.write_bytes(packed[0])
    left = packed[1:]

    monkeypatch.setattr("caveat.core.files.BLOCK", 1000)
    monkeypatch.setattr("caveat.core.files._PAUSE", 0.0)
    monkeypatch.setattr(
        "caveat.core.files.open", lambda name, mode: Rewriting(name, path, left), raising=False
    )
    assert read_raw(path) == contents[2]
    left = [gzip.compress(bytes([65 + number]) * number) for number in range(1, 99)]
    monkeypatch.setattr(
        "caveat.core.files.open", lambda name, mode: Rewriting(name, path, left), raising=False
    )
    with pytest.raises(
        InputError, match=r"data\.txt: changes while it is read: ask again when it is written"
    ):
        read_raw(path)
    assert len(left) > 90
    with pytest.raises(InputError, match="changes while it is read"):
        list(read_lines(path))


def test_a_file_that_was_written_just_now_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in the pause between two blocks it does not change, and is not complete either."""
    path = tmp_path / "data.txt"
    waited: list[float] = []

    def wait(seconds: float) -> None:
        if not waited:
            path.write_bytes(b"first half, second half")
        waited.append(seconds)

    monkeypatch.setattr("caveat.core.files.sleep", wait)
    monkeypatch.setattr("caveat.core.files._SETTLED", 60 * 10**9)
    path.write_bytes(b"first half, ")
    assert read_raw(path) == b"first half, second half"
    os.utime(path, (0, 0))
    waited.clear()
    assert read_raw(path) == b"first half, second half"
    assert waited == []


def test_a_file_that_is_replaced_while_it_is_read_is_read_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.txt"
    path.write_bytes(b"a" * 3000)

    class Replacing(Rewriting):
        def change(self, content: bytes) -> None:
            write_lines(path, [content.decode()])

    left = [b"b"]
    monkeypatch.setattr("caveat.core.files.BLOCK", 1000)
    monkeypatch.setattr(
        "caveat.core.files.open", lambda name, mode: Replacing(name, path, left), raising=False
    )
    assert read_raw(path) == b"a" * 3000
    assert left == []


class Rewriting(io.BufferedReader):
    """A file that gets its next content when the second block of it is read."""

    def __init__(self, name: Path, path: Path, left: list[bytes]) -> None:
        super().__init__(io.FileIO(name), buffer_size=16)
        self.path, self.left, self.reads = path, left, 0

    def read(self, size: int | None = -1) -> bytes:
        self.reads += 1
        if self.reads == 2 and self.left:
            self.change(self.left.pop(0))
        return super().read(size)

    def change(self, content: bytes) -> None:
        self.path.write_bytes(content)


def test_a_lone_carriage_return_does_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "cr.txt"
    path.write_bytes(b"a\rb\nc")
    assert [*read_lines(path)] == [(1, "a\rb"), (2, "c")]


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(TEXT.encode() + b"fine\n\xff\xfe broken\n")
    with pytest.raises(InputError, match=r"bad\.txt, line 5: neither UTF-8 nor .* \(byte 0xff\)"):
        [*read_lines(path)]
    with pytest.raises(InputError, match="line 5"):
        read_bytes(path)


def test_utf8_that_breaks_in_a_later_block_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "late.txt"
    path.write_bytes("微软公司\n".encode() * 200_000 + "微软".encode("gbk") + b"\n")
    with pytest.raises(InputError, match="line 200001: not UTF-8 text, as the lines before are"):
        [*read_lines(path)]


@pytest.mark.parametrize("keep", [0.2, 0.9])
def test_a_truncated_gzip_is_said_to_be_one(tmp_path: Path, keep: float) -> None:
    whole = gzip.compress(os.urandom(3000) and ("abc\n" * 100 + os.urandom(2000).hex()).encode())
    path = tmp_path / "cut.gz"
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(InputError, match=r"cut\.gz.*cut off"):
        [*read_lines(path)]
    with pytest.raises(InputError, match=r"cut\.gz.*cut off"):
        read_bytes(path)


def test_a_damaged_gzip_is_said_to_be_one(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(os.urandom(5000)))
    whole[200:220] = bytes(20)
    path = tmp_path / "damaged.gz"
    path.write_bytes(whole)
    with pytest.raises(InputError, match=r"damaged\.gz.*(damaged|neither)"):
        read_bytes(path)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: cannot be opened: no such file"):
        read_bytes(tmp_path / "none.txt")
    with pytest.raises(InputError, match="is a directory"):
        read_bytes(tmp_path)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress("一\n二\n".encode()))))
    monkeypatch.setattr(sys, "stdin", stream)
    assert [*read_lines("-")] == [(1, "一"), (2, "二")]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n\r"))))
def test_lines_come_back(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "data.txt.gz"
    write_lines(path, ["#", *lines])  # the first character of a file may be taken for a byte order mark
    assert [line for _, line in read_lines(path)][1:] == lines


def test_the_same_content_gives_the_same_gzip_bytes(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.gz", ["x"])
    write_lines(tmp_path / "b.gz", ["x"])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail() -> None:
        with writing(path) as out:
            out.write("new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]
    assert path.read_text() == "old"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="cannot be written"):
        write_lines(tmp_path / "no" / "out.txt", ["x"])


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    # A limit on the size of files stands in for a full disk: the write fails half-way.
    script = (
        "import resource, signal, sys; from caveat.core.files import write_lines\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: write_lines(sys.argv[1], ['x' * 100] * 10000)\n"
        "except Exception as e: print(type(e).__name__, e); sys.exit(1)\n"
    )
    assert resource.RLIMIT_FSIZE
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "out.txt")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.startswith("CaveatError")
    assert "cannot be written: file too large" in done.stdout
    assert [*tmp_path.iterdir()] == []


def test_a_kill_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")
    script = (
        "import os, sys; from caveat.core.files import writing\n"
        "with writing(sys.argv[1]) as out:\n"
        "    out.write('new' * 100000); out.flush(); os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_text() == "old"


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a\n")))
    monkeypatch.setattr(sys, "stdin", stream)
    assert [*read_lines("-")] == [(1, "a")]
    with pytest.raises(InputError, match="standard input: has been read already"):
        [*read_lines("-")]


def test_standard_streams_that_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input: cannot be read: it is closed"):
        read_bytes("-")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(CaveatError, match="Standard output cannot be written"):
        write_lines("-", ["x"])


@pytest.mark.parametrize(
    "data",
    [
        "which river?\n".encode("utf-16-le"),
        "which river?\n".encode("utf-16"),
        "第一行。\n第二行。\n".encode() + b"\xb5\xda\n",
    ],
    ids=["utf-16 without mark", "utf-16", "utf-8 with a fault"],
)
def test_what_is_in_no_encoding_that_can_be_told(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    for read in (read_bytes, lambda path: [*read_lines(path)]):
        with pytest.raises(InputError, match=r"text\.txt, line \d: n(either|ot) UTF-8"):
            read(path)


@pytest.mark.parametrize(
    "text", ["镕\n", "臺灣\n", "這座橋的歷史很長，每天都有很多人從這裡走過。\n" * 9, "联通\n"]
)
def test_gb18030_with_rare_and_traditional_characters(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode("gb18030"))
    assert read_text(path) == text


def test_a_device_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    # Not /dev/null itself: were this to fail, it would be gone.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_lines(pipe, ["x"])
    assert os.read(reader, 10) == b"x\n"
    os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    assert pipe.is_fifo()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to("real.txt")
    write_lines(link, ["x"])
    assert link.is_symlink()
    assert (tmp_path / "real.txt").read_text() == "x\n"


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.touch(mode=0o600)
    write_lines(path, ["x"])
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["n" * 250, "桥" * 80])
def test_long_names(tmp_path: Path, name: str) -> None:
    write_lines(tmp_path / name, ["x"])
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with pytest.raises(CaveatError, match="file name too long"):
        write_lines(tmp_path / (name * 2), ["x"])


def test_reads_columns_with_line_numbers_and_passes_over_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tb\r\n\r\n\tc\r\n")
    assert list(read_rows(path)) == [(1, ["a", "b"]), (3, ["", "c"])]


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\r"])
def test_text_that_would_not_come_back_is_refused_and_no_file_is_left(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.tsv"
    with pytest.raises(InputError, match="line 2"):
        write_rows(path, [("fine", "fine"), ("x", text)])
    assert list(tmp_path.iterdir()) == []


@settings(deadline=None, max_examples=60)
@given(rows=st.lists(st.tuples(st.text(), st.text())))
@example(rows=[("", "\x00")])
def test_what_is_written_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "rows.tsv"
    try:
        write_rows(path, rows)
    except InputError:
        assert any(character in text for row in rows for text in row for character in "\t\n\r\ufeff")
        return
    written = path.read_bytes()
    if 4 * written.count(b"\0") > len(written):
        with pytest.raises(InputError, match="full of zero bytes"):
            list(read_rows(path))
    else:
        assert [tuple(row) for _, row in read_rows(path)] == rows


_WRITES_FOR_EVER = """
import sys
from caveat.core.files import write_lines
while True:
    for letter in "ab":
        write_lines(sys.argv[1], [letter * 50] * 4000)
        print(letter, flush=True)
"""


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    chance = random.Random(0)
    for _ in range(10):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITES_FOR_EVER, str(path)], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(chance.random() / 20)
            writer.kill()
        lines = path.read_text().splitlines()
        assert lines in ([letter * 50] * 4000 for letter in "ab")
