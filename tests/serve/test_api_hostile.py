"""What others may do to the API: it refuses in a sentence, tells nothing of the machine, and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest

from caveat.answerers.engine import Engine
from caveat.core.cache import LimitedCache
from caveat.core.errors import CaveatError, UsageError
from caveat.core.limits import VARIABLE, checkpoint
from caveat.core.records import Question, Reply
from caveat.serve.listening import bind

Serving = Callable[..., Any]
SOURCE = {"name": "x", "text": "color red. size ten."}
GOOD = {"question": "color?", "sources": [SOURCE]}


def refused(client: httpx.Client, body: Any, path: str = "/ask") -> tuple[int, str]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(path, content=content)
    assert set(response.json()) == {"error"}, response.text
    assert "Traceback" not in response.text
    return response.status_code, response.json()["error"]


@pytest.fixture(autouse=True)
def _still_answers(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "client" in request.fixturenames:
        response = request.getfixturevalue("client").post("/ask", json=GOOD)
        assert response.json()["answers"][0]["text"] == "red"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "broken JSON"),
        (b"\xff\xfe", "not in UTF-8: byte 0 is 0xff"),
        (b'{"question": "caf\xe9?"}', "not in UTF-8: byte 17 is 0xe9"),
        (b"{", "broken JSON"),
        (b"[" * 100_000, "nest|broken JSON|deep|recursion"),
        (b'{"question": ' + b'{"a":' * 50_000, "nest|broken JSON|deep|recursion|xpected `str`"),
        (b"[]", "xpected `object`, got `array`"),
        (b'{"question": 5}', "xpected `str`, got `int`"),
        (b'{"question": "a", "top": "5"}', "xpected `int`, got `str`"),
        (b'{"question": "a", "language": "fr"}', "nvalid enum value 'fr'"),
        (b'{"question": "a", "path": "/etc/passwd"}', "unknown field `path`"),
        (b'{"question": "a", "sources": ["/etc/passwd"]}', "xpected `object`, got `str`"),
        (b'{"question": "a", "sources": [{"path": "/etc/passwd"}]}', "unknown field `path`"),
        (b'{"question": "a\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_a_body_that_is_none(client: httpx.Client, body: bytes, problem: str) -> None:
    status, error = refused(client, body)
    assert status == 400
    assert re.search(problem, error), error


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"question": "color?"}, "There is no source to answer from"),
        ({"question": " ", "sources": [SOURCE]}, "The question is empty."),
        ({**GOOD, "question": "a" * 2001}, "The question has 2,001 characters"),
        ({**GOOD, "scenario": "a" * 20_001}, "The scenario has 20,001 characters"),
        ({**GOOD, "top": 0}, "At least one answer"),
        ({**GOOD, "sources": [SOURCE] * 101}, "The request has 101 sources"),
        ({**GOOD, "sources": [SOURCE, SOURCE]}, "Two sources of the request are called 'x'"),
        ({**GOOD, "sources": [{"name": "a" * 256, "text": "b"}]}, "has 256 characters"),
        ({**GOOD, "sources": [{"name": "a\r\nX: y", "text": "b"}]}, "control character"),
        ({**GOOD, "sources": [{"name": "x"}]}, "x: has to have one of text, base64 and table"),
        ({**GOOD, "sources": [{"name": "x", "text": " "}]}, "x: is empty"),
        ({**GOOD, "sources": [{"name": "x", "base64": "not it"}]}, "x: is not in base 64"),
        ({**GOOD, "sources": [{"name": "x.pdf", "text": "no"}]}, "x.pdf: is not "),
        ({**GOOD, "sources": [{"name": "x.kb", "text": "no triples"}]}, "x.kb"),
        (
            {**GOOD, "sources": [{"name": "t", "table": {"type": "table", "headers": ["a"], "rows": [[]]}}]},
            "t: row 1 has 0 cells, not 1",
        ),
    ],
)
def test_what_cannot_be_answered(client: httpx.Client, body: dict[str, Any], problem: str) -> None:
    status, error = refused(client, body)
    assert (status, problem in error) == (422, True), error
    assert "/tmp" not in error


def test_an_index_of_others_is_not_opened(client: httpx.Client) -> None:
    from base64 import b64encode

    from caveat.sources.triples import INDEX_MAGIC

    data = b64encode(INDEX_MAGIC + bytes(5000)).decode()
    status, error = refused(client, {**GOOD, "sources": [{"name": "i", "base64": data}]})
    assert (status, "is an index" in error) == (422, True)


def test_many_small_files_of_triples_keep_few_folders(
    serving: Serving, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("caveat.serve.inline._KEPT_BYTES", 8 << 20)
    with serving(engine) as client:
        for number in range(24):
            source = {"name": "x.kb", "text": f"a ||| b ||| {number}\n"}
            reply = client.post("/ask", json={"question": "What is the b of a?", "sources": [source]})
            assert reply.status_code == 200
        # Two are kept; those of the last requests stay until the threads that worked on them let go of them.
        assert len(list(tmp_path.iterdir())) <= 6


def test_a_name_is_never_a_path(client: httpx.Client, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("color blue")
    for name in (
        str(secret),
        f"../../../..{secret}",
        f"file://{secret}",
        "-",
        "/dev/stdin",
        "..",
        "a\\..\\b",
    ):
        body = {**GOOD, "sources": [{"name": name, "text": "color red"}], "documents": True}
        reply = client.post("/ask", json=body).json()
        assert reply["answers"][0]["text"] == "red"
        assert reply["documents"][name]["text"] == "color red"
    assert secret.read_text() == "color blue"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../application.py",
        "/static/%2e%2e/application.py",
        "/static/..%2fapplication.py",
        "/static//etc/passwd",
        "/static/%00",
        "/library/../../etc/passwd",
        "/library/%2fetc%2fpasswd",
        "/..%2f..%2fetc%2fpasswd",
        "/eval/..%2f..%2fetc%2fpasswd",
        "/redoc",
    ],
)
def test_no_path_leads_out(client: httpx.Client, path: str) -> None:
    answer = raw(client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert re.match(rb"HTTP/1\.1 (400|404|405) ", answer), answer[:200]
    assert b"root:" not in answer
    assert b"import" not in answer


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Host": "[::1%25evil.com]"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
@pytest.mark.parametrize("path", ["/ask", "/health", "/", "/openapi.json"])
def test_other_sites_get_no_answers(client: httpx.Client, headers: dict[str, str], path: str) -> None:
    response = client.post(path, json=GOOD, headers=headers)
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


def test_the_servers_own_page_may_ask(client: httpx.Client) -> None:
    origin = str(client.base_url).rstrip("/")
    assert client.post("/ask", json=GOOD, headers={"Origin": origin}).status_code == 200


def test_every_answer_says_what_a_browser_may_do_with_it(client: httpx.Client) -> None:
    for response in (client.get("/health"), client.get("/nowhere"), client.post("/ask", content=b"{")):
        assert response.headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self';"
        )
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "server" not in response.headers


def test_a_token_is_asked_for(serving: Serving, engine: Engine) -> None:
    with serving(engine, token="open sesame") as client:
        assert client.get("/health").status_code == 200
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "open sesame"}):
            response = client.post("/ask", json=GOOD, headers=headers)
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
            assert client.get("/metrics", headers=headers).status_code == 401
        known = {"Authorization": "Bearer open sesame"}
        assert client.post("/ask", json=GOOD, headers=known).status_code == 200


def test_others_than_this_machine_need_a_token() -> None:
    with pytest.raises(UsageError, match="--token"):
        bind("0.0.0.0", 0, None)
    with pytest.raises(UsageError, match="printable"):
        bind("127.0.0.1", 0, "a\r\nb")
    bind("0.0.0.0", 0, "secret").close()
    with bind("127.0.0.1", 0, None) as taken:
        taken.listen()
        with pytest.raises(CaveatError, match="cannot be listened on"):
            bind("127.0.0.1", taken.getsockname()[1], None)


def connected(client: httpx.Client) -> socket.socket:
    port = client.base_url.port
    assert port is not None
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def received(connection: socket.socket) -> bytes:
    content = b""
    with suppress(ConnectionError):
        while block := connection.recv(1 << 16):
            content += block
    return content


def raw(client: httpx.Client, request: bytes) -> bytes:
    with connected(client) as connection:
        with suppress(ConnectionError):
            connection.sendall(request)
        return received(connection)


HEAD = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: x\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: 99999999999\r\n\r\n", b"413"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"400"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"400"),
        (b"BREW /ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", b"405"),
        (
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            b"200",
        ),
    ],
)
def test_requests_that_are_none(client: httpx.Client, request_: bytes, status: bytes) -> None:
    if status == b"200":
        request_ = request_.replace(b"Upgrade\r\nUp", b"close, Upgrade\r\nUp")
    answer = raw(client, request_)
    assert answer.split()[1:2] == [status], answer[:300]
    assert b'{"' in answer


def test_a_body_with_two_ends_is_refused_and_the_connection_closed(client: httpx.Client) -> None:
    hidden = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = b"0\r\n\r\n" + hidden
    head = b"POST /ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    answer = raw(client, head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert answer.split()[1] == b"400"
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize("path", ["/health", "/", "/models", "/metrics", "/openapi.json"])
def test_what_answers_get_answers_head(client: httpx.Client, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == get.headers["content-type"]
    assert client.head("/ask").status_code == 405


@contextmanager
def limited(**changed: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, ",".join(f"{name}={value}" for name, value in changed.items()))
        yield


def test_a_body_that_is_too_large_is_refused_while_it_comes(serving: Serving, engine: Engine) -> None:
    with limited(body_bytes=100_000), serving(engine) as client:
        for content in (b"a" * 100_001, iter([b"a" * 60_000] * 2)):
            response = client.post("/ask", content=content)
            assert response.status_code == 413
            assert "more than 100,000 bytes" in response.json()["error"]
        assert client.post("/ask", json=GOOD).status_code == 200


@pytest.mark.slow
def test_clients_that_are_slow_are_not_waited_for(serving: Serving, engine: Engine) -> None:
    with limited(request_seconds=1), serving(engine) as client:
        assert raw(client, b"") == b""
        assert raw(client, b"POST /ask HT") == b""
        answer = raw(client, HEAD + b"Content-Length: 10\r\n\r\n{")
        assert answer.split()[1] == b"408"
        with connected(client) as slow, suppress(ConnectionError):
            for _ in range(600):
                slow.sendall(b"a")
                Event().wait(0.05)
            pytest.fail("a client that sends a byte now and then is waited for")
        assert client.post("/ask", json=GOOD).status_code == 200


class Patient:
    """An engine that answers when it is told to, and says what it was asked."""

    def __init__(self) -> None:
        self.begun, self.go_on, self.asked = Event(), Event(), list[str]()
        self.kept: LimitedCache[Any] = LimitedCache(1)

    def sessions(self) -> tuple[Any, ...]:
        return ()

    def prepare(self, *sources: Any) -> None: ...

    def ask(self, question: Question, *sources: Any, **options: Any) -> Reply:
        self.asked.append(question.text)
        if question.text == "fault":
            raise RuntimeError("a fault at /home/me/secret")
        return Reply(question, (), 1.0)

    def ask_many(self, pairs: Iterable[tuple[Question, Any]], **options: Any) -> Iterator[Reply]:
        self.begun.set()
        assert self.go_on.wait(30)
        for question, _ in pairs:
            yield self.ask(question)


def test_a_client_that_leaves_frees_its_place(serving: Serving) -> None:
    engine = Patient()
    with serving(engine) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(client.post, "/ask", json={**GOOD, "question": "first"})
        assert engine.begun.wait(30)
        with pytest.raises(httpx.ReadTimeout):
            client.post("/ask", json={**GOOD, "question": "gone"}, timeout=0.3)
        waiting = 1.0
        while waiting:
            metrics = client.get("/metrics").text
            waiting = float(re.findall(r"^caveat_waiting (\S+)", metrics, re.MULTILINE)[0])
        engine.go_on.set()
        assert first.result().status_code == 200
        assert client.post("/ask", json={**GOOD, "question": "last"}).status_code == 200
    assert engine.asked == ["first", "last"]


def test_a_client_that_does_not_read_is_not_waited_for(serving: Serving) -> None:
    engine = Patient()
    engine.go_on.set()
    text = "red " * 3_000_000
    rows = {"type": "table", "headers": ["color"], "rows": [[text]]}
    body = json.dumps({**GOOD, "sources": [{"name": "x", "table": rows}], "documents": True}).encode()
    with limited(request_seconds=2), serving(engine) as client:
        with connected(client) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            while 'route="/ask",status="200"' not in client.get("/metrics").text:
                Event().wait(0.1)
            assert len(received(deaf)) < len(text)
        assert client.post("/ask", json=GOOD).status_code == 200


def test_what_takes_too_long_and_too_many_at_once(serving: Serving) -> None:
    engine = Patient()
    with limited(answer_seconds=1, waiting=2), serving(engine) as client, ThreadPoolExecutor(2) as pool:
        slow = [pool.submit(client.post, "/ask", json={**GOOD, "question": str(n)}) for n in range(2)]
        assert engine.begun.wait(30)
        while float(re.findall(r"^caveat_under_way (\S+)", client.get("/metrics").text, re.MULTILINE)[0]) < 2:
            pass
        busy = client.post("/ask", json=GOOD)
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        assert [each.result().status_code for each in slow] == [504, 504]
        assert "more than 1 seconds" in slow[0].result().json()["error"]
        engine.go_on.set()
        assert client.post("/ask", json=GOOD).status_code == 200


def test_a_fault_of_ours_is_told_to_the_log_only(serving: Serving, caplog: pytest.LogCaptureFixture) -> None:
    engine = Patient()
    engine.go_on.set()
    with serving(engine) as client, ThreadPoolExecutor(4) as pool:
        asked = ["fine", "fault", "also fine"]
        replies = list(pool.map(lambda text: client.post("/ask", json={**GOOD, "question": text}), asked))
    assert [reply.status_code for reply in replies] == [200, 500, 200]
    assert replies[1].json() == {"error": "Something went wrong in the server; its log says what."}
    assert "secret" not in replies[1].text
    assert "a fault at /home/me/secret" in caplog.text


SERVER = """
import sys, time
from caveat.answerers.engine import Engine
from caveat.cli import main
from caveat.models.reader import Reader

many = Engine.ask_many
def slow(self, *arguments, **options):
    print("begun", flush=True)
    time.sleep(1.0)
    return many(self, *arguments, **options)
Engine.ask_many = slow
main.run()
"""


def test_a_polite_kill_lets_requests_under_way_be_answered(reader_folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, "serve", "--port", "0", "--model", str(reader_folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stderr is not None
        assert process.stdout is not None
        listening = re.search(r"listening on (http://127\.0\.0\.1:\d+)/", process.stderr.readline())
        assert listening
        idle = socket.create_connection(("127.0.0.1", int(listening[1].rpartition(":")[2])))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(httpx.post, f"{listening[1]}/ask", json=GOOD, timeout=30, trust_env=False)
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGTERM)
            assert answer.result(30).json()["answers"][0]["text"] == "red"
        assert process.wait(30) == 128 + signal.SIGTERM
        assert idle.recv(10) == b""
        idle.close()
        assert process.stderr.read() == ""
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{listening[1]}/health", trust_env=False)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stderr, process.stdout):
            if stream is not None:
                stream.close()


class Working(Patient):
    """An engine whose answers to one question do not end by themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.ended = Event()

    def ask_many(self, pairs: Iterable[tuple[Question, Any]], **options: Any) -> Iterator[Reply]:
        for question, _ in pairs:
            if question.text == "endless":
                self._work()
            yield self.ask(question)

    def _work(self) -> None:
        self.begun.set()
        try:
            while not self.go_on.wait(0.001):
                checkpoint()
        finally:
            self.ended.set()


LARGE_SOURCE = {"name": "large", "text": "color red. " * 10_000}


@pytest.mark.parametrize("sources", [[SOURCE], [LARGE_SOURCE]], ids=["small", "large"])
def test_the_next_question_is_answered_while_one_takes_long(
    serving: Serving, sources: list[dict[str, str]]
) -> None:
    engine = Working()
    with serving(engine) as client, ThreadPoolExecutor(1) as pool:
        long = pool.submit(client.post, "/ask", json={"question": "endless", "sources": sources})
        assert engine.begun.wait(30)
        try:
            assert client.post("/ask", json=GOOD, timeout=20).status_code == 200
            assert not long.done()
        finally:
            engine.go_on.set()
        assert long.result().status_code == 200


def test_the_work_for_a_client_that_left_ends(serving: Serving) -> None:
    engine = Working()
    try:
        with serving(engine) as client:
            with pytest.raises(httpx.ReadTimeout):
                client.post("/ask", json={**GOOD, "question": "endless"}, timeout=0.3)
            assert engine.ended.wait(10)
    finally:
        engine.go_on.set()


def test_the_work_for_an_answer_that_took_too_long_ends(serving: Serving) -> None:
    engine = Working()
    try:
        with limited(answer_seconds=1), serving(engine) as client:
            assert client.post("/ask", json={**GOOD, "question": "endless"}).status_code == 504
            assert engine.ended.wait(10)
    finally:
        engine.go_on.set()


def test_scoring_that_takes_long_holds_nobody_and_ends_with_its_client(
    serving: Serving, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    working = Working()
    monkeypatch.setattr("caveat.serve.application.evaluate", lambda *arguments: working._work())
    try:
        with serving(engine) as client, ThreadPoolExecutor(3) as pool:
            body = {"gold": "[]" * 100_000, "pred": "[]"}
            scoring = [
                pool.submit(client.post, "/eval/conditionalqa", json=body, timeout=2) for _ in range(3)
            ]
            assert working.begun.wait(30)
            assert client.post("/ask", json=GOOD, timeout=20).status_code == 200
            for each in scoring:
                with pytest.raises(httpx.ReadTimeout):
                    each.result()
            assert working.ended.wait(10)
    finally:
        working.go_on.set()
