"""Parsers in a process of their own: a file that makes one hang, crash or fill the memory is refused in a sentence."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.core.limits import Limits, limits
from caveat.sources import parser_process
from caveat.sources.gather import gather
from caveat.sources.outline import Block
from caveat.sources.parser_worker import Order, outcome_of, read_frame, write_frame
from caveat.sources.pdf import Pdf
from caveat.sources.read import parse_file
from caveat.sources.spreadsheet import Sheet

pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs limits and forks of POSIX")

WritePdf = Callable[..., bytes]
PDF = b"%PDF-1.4\n"

# The process of the parsers with another parser of PDFs.
SCRIPT = """
import sys; sys.path[:] = sys.argv[1:]
import ctypes, os, signal, time
from caveat.sources import pdf
from caveat.sources.parser_worker import main

def read_pdf(data):
    if b"good" in data:
        return pdf.Pdf("", [pdf.Block("p", 0, "It costs 5.")], [])
    %s

pdf.read_pdf = read_pdf
main()
"""


@pytest.fixture
def acting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Has the parser of PDFs do something."""

    def act(statement: str) -> None:
        parser_process._end()
        monkeypatch.setattr(parser_process, "_START", SCRIPT % statement)

    yield act
    parser_process._end()


def process() -> int:
    """The id of the process of the parsers."""
    assert parser_process._child is not None
    return parser_process._child._process.pid


def test_one_process_reads_file_after_file(write_pdf: WritePdf) -> None:
    first = parse_file(write_pdf(["It costs 5."]), "a.pdf").document
    started = process()
    second = parse_file(write_pdf(["It costs 7."]), "b.pdf").document
    assert first is not None
    assert second is not None
    assert (first.text, second.text) == ("It costs 5.", "It costs 7.")
    assert process() == started != os.getpid()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "while True: pass",
            r"a\.pdf: takes more than 1 s to read \(the limit `seconds` is 1; CAVEAT_LIMITS",
        ),
        ("time.sleep(60)", "takes more than 1 s to read"),
        ("raise RecursionError('too deep')", r"is damaged, or not what its name says \(RecursionError: too"),
        (
            "os._exit(3)",
            r"made its parser crash \(code 3\): it is damaged, or takes more than 268,435,456 by",
        ),
        ("raise SystemExit", r"made its parser crash \(code \d+\)"),
        ("print('noise', flush=True); raise ValueError", r"not what its name says \(ValueError\)"),
        (
            "return {'title': 1, 'blocks': [], 'tables': []}",
            r"not what its name says \(ValidationError: Expected `str`, got",
        ),
    ],
)
def test_whatever_a_parser_does_the_next_file_is_read(
    acting: Callable[[str], None], statement: str, sentence: str
) -> None:
    acting(statement)
    seconds = 1 if "1 s" in sentence else 60
    with limits(seconds=seconds, memory_bytes=256 << 20), pytest.raises(InputError, match=sentence):
        parse_file(PDF, "a.pdf")
    document = parse_file(PDF + b"good", "b.pdf").document
    assert document is not None
    assert document.text == "It costs 5."


@posix
@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", r"made its parser crash \(SIGKILL\)"),
        ("ctypes.string_at(0)", r"made its parser crash \(SIGSEGV\)"),
    ],
)
def test_signals_end_the_process_of_the_parsers_alone(
    acting: Callable[[str], None], statement: str, sentence: str
) -> None:
    acting(statement)
    with pytest.raises(InputError, match=sentence):
        parse_file(PDF, "a.pdf")
    assert parse_file(PDF + b"good", "b.pdf").document is not None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses memory")
def test_memory_is_refused_beyond_its_limit(acting: Callable[[str], None]) -> None:
    acting("return pdf.Pdf('', [pdf.Block('p', 0, str(len(bytearray(200 << 20))))], [])")
    with limits(memory_bytes=300 << 20):
        assert parse_file(PDF, "a.pdf").document is not None
    sentence = r"a\.pdf: takes more than 104,857,600 bytes of memory to read \(the limit `memory_bytes` is"
    with limits(memory_bytes=100 << 20), pytest.raises(InputError, match=sentence):
        parse_file(PDF, "a.pdf")


@posix
def test_where_memory_is_not_refused_a_thread_looks(acting: Callable[[str], None]) -> None:
    act = "from caveat.sources import parser_worker as worker; worker._peak_bytes = lambda: 2000; "
    acting(f"{act} worker.MemoryGuard().look(1000); time.sleep(60)")
    with pytest.raises(InputError, match="takes more than 2,147,483,648 bytes of memory to read"):
        parse_file(PDF, "a.pdf")


def test_a_workbook_of_more_cells_than_the_memory_holds() -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    if sys.platform != "linux":
        pytest.skip("only Linux refuses memory")
    book = openpyxl.Workbook()
    for row in range(400):
        book.active.append([f"{row} {column} {'x' * 200}" for column in range(20)])
    out = io.BytesIO()
    book.save(out)
    with limits(memory_bytes=1 << 20), pytest.raises(InputError, match="1,048,576 bytes of memory"):
        parse_file(out.getvalue(), "a.xlsx")
    assert len(parse_file(out.getvalue(), "a.xlsx").tables[0].table.rows) == 399


@pytest.mark.parametrize("number", [1023, 2613, 14251])
def test_a_panic_of_a_library_ends_no_process(number: int) -> None:
    """What a library in Rust raises then is no Exception, and would end whoever parses."""
    data = (Path(__file__).parents[1] / "fuzz" / "found" / f"book.xls.{number}").read_bytes()
    outcome = outcome_of(Order("spreadsheet", Limits()), data)
    assert outcome.kind == "input"
    assert outcome.problem.startswith("is damaged, or not what its name says (PanicException: ")
    assert "\n" not in outcome.problem


def test_a_folder_goes_on_with_the_next_file(acting: Callable[[str], None], tmp_path: Path) -> None:
    acting("os._exit(3)")
    (tmp_path / "a.pdf").write_bytes(PDF)
    (tmp_path / "b.pdf").write_bytes(PDF + b"good")
    (tmp_path / "c.txt").write_text("It costs 9.")
    given = gather(str(tmp_path))
    assert [document.text for document in given.documents] == ["It costs 5.", "It costs 9."]
    assert [remark.source for remark in given.unread] == [str(tmp_path / "a.pdf")]
    assert given.unread[0].text.startswith("made its parser crash (code 3)")


def test_threads_share_the_process(write_pdf: WritePdf) -> None:
    files = [write_pdf([f"It costs {number}."]) for number in range(16)]
    with ThreadPoolExecutor(8) as pool:
        texts = [found.document.text for found in pool.map(lambda data: parse_file(data, "a.pdf"), files)]
    assert texts == [f"It costs {number}." for number in range(16)]


@posix
def test_a_forked_process_starts_its_own(write_pdf: WritePdf) -> None:
    parse_file(write_pdf(["It costs 5."]), "a.pdf")
    before = process()
    child = os.fork()
    if not child:
        found = parse_file(write_pdf(["It costs 7."]), "b.pdf").document
        right = found is not None and found.text == "It costs 7." and process() != before
        parser_process._end()
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    parse_file(write_pdf(["It costs 9."]), "c.pdf")
    assert process() == before


@posix
def test_it_ends_with_the_process_that_started_it(tmp_path: Path, write_pdf: WritePdf) -> None:
    (tmp_path / "a.pdf").write_bytes(write_pdf(["It costs 5."]))
    script = (
        "import os, sys; from caveat.sources import parser_process, read\n"
        "read.read_file(sys.argv[1]); print(parser_process._child._process.pid, flush=True)\n"
        "if len(sys.argv) > 2: os.kill(os.getpid(), 9)\n"
    )
    for more in ([], ["killed"]):
        command = [sys.executable, "-c", script, str(tmp_path / "a.pdf"), *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.stderr == ""
        for _ in range(1000):
            if not is_running(int(done.stdout)):
                break
            time.sleep(0.01)
        assert not is_running(int(done.stdout))


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip()[:1] not in ("", "Z")


def test_a_program_that_cannot_start_python_parses_by_itself(
    monkeypatch: pytest.MonkeyPatch, write_pdf: WritePdf
) -> None:
    parser_process._end()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    document = parse_file(write_pdf(["It costs 5."]), "a.pdf").document
    assert document is not None
    assert parser_process._child is None
    with pytest.raises(InputError, match="cannot be read as PDF"):
        parse_file(b"%PDF-1.4\nnothing more", "a.pdf")


@pytest.mark.parametrize(
    ("script", "sentence"), [("raise SystemExit", "does not start with "), (None, "cannot be")]
)
def test_a_process_that_does_not_start(
    monkeypatch: pytest.MonkeyPatch, script: str | None, sentence: str
) -> None:
    parser_process._end()
    if script is None:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    else:
        monkeypatch.setattr(parser_process, "_START", script)
    with pytest.raises(CaveatError, match=f"The process of the parsers {sentence}"):
        parse_file(PDF, "a.pdf")
    assert parser_process._child is None


def test_frames() -> None:
    stream = io.BytesIO()
    write_frame(stream, b"abc")
    write_frame(stream, b"")
    stream.seek(0)
    assert [read_frame(stream), read_frame(stream)] == [b"abc", b""]
    for content, most in ((b"", None), (b"\x03", None), (b"\x03" + bytes(7) + b"ab", None), (b"\xff" * 8, 9)):
        with pytest.raises(EOFError):
            read_frame(io.BytesIO(content), most)


def test_what_comes_back_is_plain() -> None:
    rows = [["Town", "Size"], ["Arvo", "5"], ["Senn", "5"]]
    sheet = Sheet.of("Towns", rows)
    assert sheet.texts == ["Town", "Size", "Arvo", "5", "Senn"]
    assert sheet.rows() == rows
    assert Pdf("a", [Block("p", 0, "b")], []).blocks[0].text == "b"
    assert Limits().memory_bytes == 2 << 30
