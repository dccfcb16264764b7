"""MRQA's evaluation protocol over a real socket."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from caveat.core.errors import CaveatError
from caveat.core.limits import VARIABLE
from caveat.models.reader import Reader
from caveat.serve.connections import is_own_host
from caveat.serve.mrqa import make_server


@pytest.fixture(scope="module")
def port(reader_folder: Path) -> Iterator[int]:
    with make_server(Reader.load(reader_folder), 0) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def post(port: int, body: bytes, path: str = "/") -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, body)
        response = connection.getresponse()
        assert response.headers["Content-Type"] == "application/json; charset=utf-8"
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def line(**qas: str) -> bytes:
    questions = [{"qid": qid, "question": question} for qid, question in qas.items()]
    return json.dumps({"context": "The dog. color red. size ten. 颜红", "qas": questions}).encode()


def test_a_line_is_answered(port: int) -> None:
    assert post(port, line(a="color?", b="size?", c="颜")) == (200, {"a": "red", "b": "ten", "c": "红"})
    assert post(port, line(a="")) == (200, {"a": ""})
    assert post(port, line()) == (200, {})
    # The whole line of a data file, gold answers and tokens included.
    whole = {
        "id": "",
        "context": "color red",
        "context_tokens": [["color", 0], ["red", 6]],
        "qas": [{"qid": "q", "question": "color", "question_tokens": [["color", 0]], "answers": ["red"]}],
    }
    assert post(port, json.dumps(whole).encode()) == (200, {"q": "red"})


def test_two_questions_of_one_qid_are_refused(port: int) -> None:
    body = json.loads(line(a="color?"))
    body["qas"].append({"qid": "a", "question": "size?"})
    status, answer = post(port, json.dumps(body).encode())
    assert status == 400
    assert "several questions have this qid" in answer["error"]


def test_several_lines_over_one_connection(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    for body, status in ((line(a="color"), 200), (b"{", 400), (line(a="color"), 200)):
        connection.request("POST", "/", body)
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (status, True)
    connection.close()


def test_clients_at_once(port: int) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: post(port, line(**{f"q{n}": "size"})), range(24)))
    assert answers == [(200, {f"q{n}": "ten"}) for n in range(24)]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "broken JSON|malformed|truncated|expecting value"),
        (b"\xff\xfe", "broken JSON|malformed|utf-8"),
        (b"[]", "xpected `object`, got `array`"),
        (b'{"qas": []}', "missing required field `context`"),
        (b'{"context": "color red"}', "missing required field `qas`"),
        (b'{"context": "c", "qas": [{"qid": 1, "question": "?"}]}', "xpected `str`, got `int`"),
    ],
)
def test_what_is_wrong_is_said(port: int, body: bytes, problem: str) -> None:
    status, answer = post(port, body)
    assert status == 400
    assert re.search(problem, answer["error"], re.IGNORECASE), answer


def test_other_requests(port: int) -> None:
    assert post(port, line(a="color"), "/elsewhere")[0] == 404
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    response = connection.getresponse()
    assert (response.status, response.headers["Allow"]) == (405, "POST")
    assert "error" in json.loads(response.read())
    connection.close()


@pytest.mark.parametrize(
    ("header", "status"),
    [(b"", b"411"), (b"Content-Length: x\r\n", b"411"), (b"Content-Length: 99999999999\r\n", b"413")],
)
def test_a_body_needs_a_sensible_length(port: int, header: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n" + header + b"\r\n")
        assert raw.makefile("rb").readline().split()[1] == status


def test_a_body_that_is_too_long_is_answered_while_it_is_still_sent(port: int) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
            raw.sendall(
                b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n" + bytes(900_000)
            )
            raw.shutdown(socket.SHUT_WR)
            assert raw.makefile("rb").readline().split()[1] == b"413"


def test_the_body_of_a_get_is_no_request(port: int) -> None:
    hidden = b"POST /elsewhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(hidden) + hidden)
        answer = raw.makefile("rb").read()
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.startswith(b"HTTP/1.1 405")


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Host": "127.0.0.1.evil.example:80"}],
)
def test_other_sites_get_no_answers(port: int, headers: dict[str, str]) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/", line(a="color"), headers)
    assert connection.getresponse().status == 403
    connection.close()


@pytest.mark.parametrize("host", ["localhost", "localhost:8888", "127.0.0.1:80", "[::1]:80", "127.0.0.1"])
def test_names_of_this_machine(host: str) -> None:
    assert is_own_host(host, "127.0.0.1")
    assert not is_own_host(f"{host}.example", "127.0.0.1")
    assert is_own_host("any.example", "192.0.2.1")


@pytest.mark.parametrize("host", ["[::1%25evil.com]", "[::1%25evil.com]:80", "::1%evil.com", "[[::1]]"])
def test_a_zone_is_no_name_of_this_machine(host: str) -> None:
    assert not is_own_host(host, "127.0.0.1")
    assert not is_own_host(host, "::1")


def test_a_client_that_sends_nothing_is_not_waited_for(reader_folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "request_seconds=1")
        with make_server(Reader.load(reader_folder), 0) as server:
            thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as raw:
                raw.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{")
                assert raw.recv(100) == b""
            server.shutdown()
            thread.join()


def test_closing_ends_after_the_answers_under_way(
    reader_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, go_on = Event(), Event()

    def slow(reader: Reader, body: bytes) -> dict[str, str]:
        begun.set()
        go_on.wait(30)
        return {"a": "red"}

    monkeypatch.setattr("caveat.serve.mrqa.answer_line", slow)
    server = make_server(Reader.load(reader_folder), 0)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    idle = socket.create_connection(("127.0.0.1", server.server_port), timeout=30)
    with ThreadPoolExecutor(2) as pool:
        answer = pool.submit(post, server.server_port, line(a="color"))
        assert begun.wait(30)
        server.shutdown()
        closed = pool.submit(server.server_close)
        go_on.set()
        closed.result(30)
        assert answer.result(30) == (200, {"a": "red"})
    assert idle.recv(10) == b""
    idle.close()
    thread.join()
    # A client that leaves before its answer is no error that anybody wants to read.
    assert capsys.readouterr().err == ""


def test_a_port_in_use(port: int, reader_folder: Path) -> None:
    with pytest.raises(CaveatError, match=f"Port {port} of 127.0.0.1 cannot be listened on"):
        make_server(Reader.load(reader_folder), port)


def test_as_typed(reader_folder: Path) -> None:
    script = "import typer; from caveat.cli.serve import serve_command; typer.run(serve_command)"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "--mrqa", "0", "--model", str(reader_folder), "--threads", "1"],
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background of a shell ignore interrupts, and what they start would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert process.stderr is not None
        listening = re.search(r"listening on http://127\.0\.0\.1:(\d+)/", process.stderr.readline())
        assert listening
        assert post(int(listening[1]), line(a="color")) == (200, {"a": "red"})
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[1].strip() == "caveat: stopped."
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
