"""Small files, changed at random: whatever comes of them is read or refused in a sentence, soon.

A case is a target and a number, which give the same bytes each time. The long run is the same with more numbers:

    python tests/fuzz/test_fuzz.py --cases 1000000

What fails there is written to found/, TARGET.NUMBER, and stays as a test.
"""

from __future__ import annotations

import argparse
import atexit
import io
import os
import random
import re
import resource
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from select import select
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from caveat.benchmarks.mrqa.format import decode_asked
from caveat.benchmarks.verbs import evaluate
from caveat.core.errors import CaveatError
from caveat.core.limits import VARIABLE
from caveat.core.records import Reply, from_json
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore
from caveat.models.card import Card
from caveat.sources.read import parse_file
from caveat.sources.triples import INDEX_FILE, MENTIONS, BadLines, look_at

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
CASES = 20_000
# Processor time: no small file needs more.
SECONDS = 10.0
# Time by the clock that an answer over a socket may take on a busy machine.
SOCKET_SECONDS = 60.0
TOKENS = [
    *(
        b'"',
        b"'",
        b"<",
        b">",
        b"</",
        b"[",
        b"]",
        b"(",
        b"{",
        b"}",
        b"|",
        b"`",
        b"*",
        b"_",
        b"#",
        b"\\",
        b"/",
        b",",
    ),
    *(
        b"\n",
        b"\r\n",
        b"\t",
        b" ",
        b"\0",
        b"\xff",
        b"\x80",
        b"\xe4\xb8\x80",
        b"\xf0\x9f\x98\x80",
        b"\xed\xa0\x80",
    ),
    *(
        b"-1",
        b"0",
        b"9" * 25,
        b"1e999",
        b"NaN",
        b"null",
        b"true",
        b"<table>",
        b"<td colspan=999>",
        b"<!--",
        b"-->",
    ),
    *(
        b"|||",
        b"---",
        b"> ",
        b"- ",
        b"1. ",
        b"](",
        b"<div>",
        b"&#0;",
        b"&lt;",
        b"%PDF-",
        b"endobj",
        b"stream\n",
    ),
]


class Target(NamedTuple):
    """Something that reads files: its seeds, what is done with changed bytes, and its share of the cases."""

    seeds: tuple[bytes, ...]
    read: Callable[[bytes, Path], object]
    share: float = 1.0


def changed(seed: bytes, chance: random.Random) -> bytes:
    """The bytes after a few changes: flipped, cut out, doubled, put in, moved."""
    data = bytearray(seed)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 1, 2, 4, 16, 64)))
        match chance.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                del data[at:end]
            case 2:
                data[at:at] = data[at:end] * chance.choice((1, 2, 50))
            case 3:
                data[at:at] = chance.choice(TOKENS) * chance.choice((1, 1, 1, 3, 200))
            case 4:
                piece = data[at:end]
                del data[at:end]
                place = chance.randrange(len(data) + 1)
                data[place:place] = piece
            case _:
                data[at:end] = chance.choice(TOKENS)
    return bytes(data[: chance.randrange(len(data) + 1)]) if chance.random() < 0.05 else bytes(data)


def as_file(name: str) -> Callable[[bytes, Path], object]:
    return lambda data, folder: parse_file(data, name)


def as_part(name: str, part: str) -> Target:
    """A file inside of a zip file is changed: changes of the zip file itself seldom get past its checksums."""
    with ZipFile(HERE / "seeds" / name) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}

    def read(data: bytes, folder: Path) -> object:
        out = io.BytesIO()
        with ZipFile(out, "w") as archive:
            for each, content in (parts | {part: data}).items():
                archive.writestr(each, content)
        return parse_file(out.getvalue(), name)

    return Target((parts[part],), read)


def as_triples(name: str) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> None:
        (folder / name).write_bytes(data)
        bad, file = BadLines(skip=True), look_at(folder / name)
        for _ in bad.mentions(file) if file.format == MENTIONS else bad.columns(file):
            pass

    return read


def as_index(data: bytes, folder: Path) -> None:
    (folder / INDEX_FILE).write_bytes(data)
    store = KnowledgeStore.open(folder)
    store.mentions("青石桥的长度是多少？")
    list(store.triples())


def as_scored(task: str, gold: bytes, predictions: bytes, which: int) -> Callable[[bytes, Path], object]:
    def read(data: bytes, folder: Path) -> None:
        files = [gold, predictions]
        files[which] = data
        for name, content in zip(("gold", "predictions"), files, strict=True):
            (folder / name).write_bytes(content)
        evaluate(task, folder / "gold", folder / "predictions")

    return read


class Server:
    """`caveat serve` with the small reader of the tests, as typed, for as long as the tests run."""

    def __init__(self, *options: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        model = runpy.run_path(str(HERE.parent / "tiny_models.py"))["write_reader"](
            Path(self._folder.name, "tiny")
        )
        self._said = Path(self._folder.name, "stderr")
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "caveat", "serve", *options, "--model", model, "--threads", "1"],
                stdout=said,
                stderr=said,
                env={**os.environ, VARIABLE: "request_bytes=20000,body_bytes=20000,request_seconds=2"},
            )
        atexit.register(self.close)
        begin = time.monotonic()
        while not (listening := re.search(r"http://127\.0\.0\.1:(\d+)/", self.said())):
            assert self._process.poll() is None, self.said()
            assert time.monotonic() - begin < 120
            time.sleep(0.02)
        self.port = int(listening[1])
        self._silent = self.said()

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def said(self) -> str:
        return self._said.read_text()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOCKET_SECONDS)

    def answer(self, request: bytes, patience: float = 0.0) -> bytes:
        """All that comes back until the connection is closed, once all was sent that the server takes.

        Some servers take the end of what is sent for the end of the client: that can wait for the answer a while.
        """
        with self.connect() as connection:
            with suppress(OSError):
                connection.sendall(request)
                select([connection], [], [], patience)
                connection.shutdown(socket.SHUT_WR)
            return received(connection)

    def check(self) -> None:
        """It runs, and has said nothing."""
        assert self._process.poll() is None, f"the server has ended: {self.said()}"
        said = self.said()
        news, self._silent = said.removeprefix(self._silent), said
        assert not news, f"the server says {news!r}"


def received(connection: socket.socket) -> bytes:
    content = b""
    with suppress(ConnectionError):
        while block := connection.recv(1 << 16):
            content += block
    return content


@cache
def server() -> Server:
    return Server("--mrqa", "0")


@cache
def api() -> Server:
    return Server("--port", "0")


def as_request(data: bytes, folder: Path) -> None:
    refused_or_answered(server(), data)


def as_api_request(data: bytes, folder: Path) -> None:
    refused_or_answered(api(), data, 0.2)


def refused_or_answered(asked: Server, data: bytes, patience: float = 0.0) -> None:
    answer = asked.answer(data, patience)
    assert re.match(rb"HTTP/1\.1 [1-5]\d\d |$", answer), answer[:200]
    assert b"Traceback" not in answer
    asked.check()


API_BODIES = {
    b"POST /ask": b'{"question":"color?","sources":[{"name":"a.md","text":"# Dog\\n\\ncolor red"}],"documents":true}',
    b"POST /settle": b'{"reply":{"question":{"text":"a"},"answers":[]},"condition":"b","answer":true}',
    b"POST /eval/squad": b'{"gold":"{\\"data\\":[]}","pred":"{}","official":true}',
    b"PUT /library/a.md": b"color red",
    b"GET /openapi.json": b"",
}


def index_bytes() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        build_index([HERE / "seeds" / "facts.kb"], folder)
        return (Path(folder) / INDEX_FILE).read_bytes()


SCORED = {
    "squad": ("gold.json", "predictions.json"),
    "squad2": ("gold.json", "predictions.json"),
    "cmrc2018": ("gold.json", "predictions.json"),
    "conditionalqa": ("gold.json", "predictions.json"),
    "multispan": ("gold.json", "predictions.json"),
    "cmqa": ("gold.jsonl", "predictions.jsonl"),
    "nlpcc-dbqa": ("gold.tsv", "scores.txt"),
    "nlpcc-tbqa": ("gold.tsv", "scores.txt"),
    "nlpcc-kbqa": ("questions.kbqa", "predictions.kbqa"),
}


@cache
def targets() -> dict[str, Target]:
    seeds = {path.name: path.read_bytes() for path in sorted((HERE / "seeds").iterdir())}
    found = {
        name: Target((seeds[name],), as_file(name), share)
        for name, share in (
            *(("page.html", 3.0), ("notes.md", 3.0), ("letter.txt", 3.0), ("towns.csv", 3.0)),
            *(
                ("letter.pdf", 1.0),
                ("book.xlsx", 0.3),
                ("book.xls", 0.3),
                ("rules.docx", 1.0),
                ("rules.odt", 0.5),
            ),
            *(("club.pptx", 0.5), ("lake.epub", 0.5), ("guides.zip", 0.5), ("letter.eml", 0.5)),
            *(
                ("fees.rst", 0.1),
                ("fees.rtf", 1.0),
                ("film.srt", 1.0),
                ("boats.json", 1.0),
                ("boats.ipynb", 1.0),
            ),
            *(("club.org", 0.5), ("club.adoc", 0.5), ("club.wiki", 0.5), ("club.tex", 0.5)),
            *(("club.mbox", 0.5), ("club.ics", 1.0), ("chat.txt", 1.0), ("channel.json", 0.5)),
        )
    }
    found["no-ending"] = Target(tuple(seeds.values()), as_file("file"), 2.0)
    found |= {
        f"{name} {part.rpartition('/')[2]}": as_part(name, part)
        for name, part in (
            *(
                ("rules.docx", "word/document.xml"),
                ("rules.docx", "word/styles.xml"),
                ("rules.odt", "content.xml"),
            ),
            *(("club.pptx", "ppt/slides/slide1.xml"), ("lake.epub", "OEBPS/a.opf")),
            *(("lake.epub", "OEBPS/one.xhtml"), ("book.xlsx", "xl/worksheets/sheet1.xml")),
        )
    }
    found |= {name: Target((seeds[name],), as_triples(name)) for name in ("facts.kb", "facts.nt")}
    found["index"] = Target((index_bytes(),), as_index, 0.5)
    found["request"] = Target(
        (seeds["line.mrqa"],), lambda data, folder: decode_asked(data, path="request"), 2.0
    )
    found["reply"] = Target(
        (b'{"question":{"text":"a"},"answers":[]}',), lambda data, _: from_json(data, Reply)
    )
    card = b'{"name":"a","task":"reader","language":"en","encoder":"b","licence":"c","window":48,"files":{}}'
    found["card"] = Target((card,), lambda data, _: from_json(data, Card))
    requests = tuple(path.read_bytes() for path in sorted((HERE / "requests").iterdir()))
    found["http"] = Target(requests, as_request)
    calls = tuple(
        b"%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
        % (call, len(body), body)
        for call, body in API_BODIES.items()
    )
    found["api"] = Target(calls, as_api_request, 0.5)
    for task, names in SCORED.items():
        gold, predictions = ((EXAMPLES / task / name).read_bytes() for name in names)
        for which, name in enumerate(("gold", "predictions")):
            seed = (gold, predictions)[which]
            found[f"{task}-{name}"] = Target((seed,), as_scored(task, gold, predictions, which), 0.25)
    return found


class TooSlow(BaseException):
    """A case took longer than any may."""


def attempt(target: Target, data: bytes, folder: Path) -> str | None:
    """What goes wrong with these bytes, if anything does."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        target.read(data, folder)
    except CaveatError as error:
        return "a sentence of several lines" if "\n" in str(error) else None
    except TooSlow:
        return f"more than {SECONDS:.0f} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return None


def cases(name: str, count: int, first: int = 0) -> Iterator[tuple[int, bytes]]:
    target = targets()[name]
    for number in range(first, first + count):
        chance = random.Random(f"{name} {number}")
        yield number, changed(chance.choice(target.seeds), chance)


def count_of(name: str, total: int) -> int:
    return round(total * targets()[name].share / sum(target.share for target in targets().values()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", targets())
def test_changed_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    failed = {
        number: problem
        for number, data in cases(name, count_of(name, CASES))
        if (problem := attempt(targets()[name], data, tmp_path)) is not None
    }
    assert failed == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted((HERE / "found").glob("*.[0-9]*")), ids=lambda path: path.name)
def test_what_was_found_once_stays_right(path: Path, tmp_path: Path) -> None:
    assert attempt(targets()[path.name.rpartition(".")[0]], path.read_bytes(), tmp_path) is None


GOOD = b'{"context":"color red","qas":[{"qid":"a","question":"color?"}]}'


def head(length: object, *more: bytes, path: bytes = b"/") -> bytes:
    lines = [
        b"POST " + path + b" HTTP/1.1",
        b"Host: localhost",
        b"Content-Length: %s" % str(length).encode(),
        *more,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def post(body: bytes, *more: bytes) -> bytes:
    return head(len(body), *more) + body


def still_answers() -> bool:
    server().check()
    return server().answer(post(GOOD)).endswith(b'{"a":"red"}')


@pytest.mark.parametrize(
    ("request_", "statuses"),
    [
        (post(GOOD) + post(b"{") + post(GOOD), [200, 400, 200]),
        (post(GOOD, b"X: " + b"y" * 70_000), [431]),
        (post(GOOD, *(b"X%d: y" % number for number in range(150))), [431]),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", [414]),
        (b"\0" * 70_000, [414]),
        (b"\xff\xfe\x16\x03\x01\r\n\r\n", [400]),
        (b"POST / HTTP/9.9\r\n\r\n", [505]),
        (b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", [501]),
        (head(20_001) + b"x" * 20_001, [413]),
        (head("9" * 5000), [411]),
        (head("-1") + GOOD, [411]),
        (head("1_0") + GOOD, [411]),
        (head("１"), [411]),
        (head(len(GOOD), b"Content-Length: 5") + GOOD, [411]),
        (head(len(GOOD), b"Transfer-Encoding: chunked") + GOOD, [411]),
        (post(b"[" * 10_000), [400]),
        (post(b'{"context":' + b'{"a":' * 3000), [400]),
        (post(b'{"context":"a","qas":' + b"[" * 3000 + b"]" * 3000 + b"}"), [400]),
        (post(b'{"context":"\xff","qas":[]}'), [400]),
        (post(b'{"context":"a","qas":[],"x":' + b"9" * 10_000 + b"}"), [200]),
        (head(len(GOOD) + 100) + GOOD, []),
        (head(5)[:-2], []),
        (b"", []),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else str(value),
)
def test_requests_that_are_none(request_: bytes, statuses: list[int]) -> None:
    answer = server().answer(request_)
    assert [int(found) for found in re.findall(rb"HTTP/1\.1 (\d+) ", answer)] == statuses
    assert still_answers()


def test_clients_that_are_slow_are_not_waited_for() -> None:
    """A byte every now and then keeps nobody connected, and others are answered meanwhile."""
    slow = [server().connect() for _ in range(3)]
    try:
        begin = time.monotonic()
        left = set(slow)
        for byte in head(10) * 3:
            for connection in list(left):
                try:
                    connection.sendall(bytes([byte]))
                except ConnectionError:
                    left.discard(connection)
            if not left:
                break
            assert len(left) < 3 or time.monotonic() - begin < SOCKET_SECONDS
            time.sleep(0.1)
        assert not left
        assert still_answers()
    finally:
        for connection in slow:
            connection.close()


def test_a_client_that_does_not_read_its_answers() -> None:
    with server().connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.settimeout(5)
        with suppress(OSError):
            for _ in range(3000):
                connection.sendall(post(GOOD))
        assert still_answers()


def main() -> None:
    """The long run: counts, failures, the slowest case, the greatest memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument(
        "--first", type=int, default=CASES, help="the number of the first case of each target"
    )
    parser.add_argument("--target", nargs="*", default=list(targets()), choices=list(targets()))
    options = parser.parse_args()
    for name in options.target:
        target = targets()[name]
        begin, slowest, failures, count = time.perf_counter(), 0.0, 0, count_of(name, options.cases)
        with tempfile.TemporaryDirectory() as folder:
            for number, data in cases(name, count, options.first):
                start = time.process_time()
                problem = attempt(target, data, Path(folder))
                slowest = max(slowest, time.process_time() - start)
                if problem is not None:
                    failures += 1
                    (HERE / "found" / f"{name}.{number}").write_bytes(data)
                    print(f"{name} {number}: {problem}", file=sys.stderr)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        seconds = time.perf_counter() - begin
        took = f"slowest {slowest:.2f} s, all {seconds:.0f} s, memory so far {peak} MB"
        print(f"{name}: {count:,} cases, {failures} failures, {took}", flush=True)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main()
