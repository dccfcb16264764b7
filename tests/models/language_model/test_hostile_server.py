"""The client of a language model against servers of plain sockets that keep to no protocol and to no time."""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from caveat.models.language_model.client import Client
from caveat.models.language_model.completions import Completion, Message, NotJsonError, Prompt, decoded
from caveat.models.language_model.endpoint import endpoint_of
from caveat.models.language_model.transport import RefusedError, Transport

LIMIT = 0.5
# Two tries take a second; a machine that is busy with other things may take much longer.
GENEROUS = 20 * LIMIT
Send = Callable[[bytes], None]


class Colour(msgspec.Struct, frozen=True):
    colour: str


QUESTION = Prompt(messages=(Message("user", "What colour?"),), schema=Colour)


class PlainServer:
    """Sends whatever `answer` sends to every request, until the client hangs up."""

    def __init__(self, answer: Callable[[Send], None]) -> None:
        self._answer = answer
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.name = f"openai:http://127.0.0.1:{self._listening.getsockname()[1]}/v1#tiny"
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                Thread(target=self._serve, args=self._listening.accept()[:1], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as request:
            size = 0
            while (line := request.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
            request.read(size)
            self._answer(connection.sendall)

    def close(self) -> None:
        self._listening.close()


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Callable[[Callable[[Send], None]], Completion[Colour]]]:
    """Asks a server that answers in this way, with a limit of half a second."""
    servers = []

    def ask(answer: Callable[[Send], None]) -> Completion[Colour]:
        servers.append(PlainServer(answer))
        there = endpoint_of(servers[-1].name)
        transport = Transport(there, timeout=LIMIT, attempts=3, sleep=lambda seconds: None)
        return Client(there, transport=transport, cache=None).complete(QUESTION)

    yield ask
    for server in servers:
        server.close()


Asked = Callable[[Callable[[Send], None]], Completion[Colour]]


def dripping(first: bytes, again: bytes) -> Callable[[Send], None]:
    """A beginning, and then the same for ever, more often than any read times out."""

    def answer(send: Send) -> None:
        send(first)
        while True:
            send(again)
            time.sleep(LIMIT / 20)

    return answer


OK = b"HTTP/1.1 200 OK\r\n"
BUSY = b"HTTP/1.1 503 Busy\r\n"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 ", b"O"),
        (OK + b"X: ", b"x"),
        (OK, b"X: y\r\n"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (OK + b"Content-Length: 9999\r\n\r\n", b" "),
        (OK + b"\r\n", b" "),
        (BUSY + b"Content-Length: 9999\r\n\r\n", b"x"),
        (BUSY + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" * 500),
    ],
)
def test_a_server_that_drips_is_given_up_in_time(asked: Asked, first: bytes, again: bytes) -> None:
    begin = time.monotonic()
    problem = asked(dripping(first, again)).problem
    assert time.monotonic() - begin < GENEROUS
    # Some are no HTTP before the time is over: a line without an end, too many headers.
    assert "has not answered within 0.5 s" in problem or "gave no answer" in problem


def test_an_error_that_no_request_gets_past_is_said_though_its_body_never_ends(asked: Asked) -> None:
    first = b"HTTP/1.1 404 Not Found\r\nContent-Length: 9999\r\n\r\n"
    with pytest.raises(RefusedError, match="answers 404"):
        asked(dripping(first, b"x"))


def completion(text: str) -> bytes:
    body = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).encode()
    return OK + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body


def sending(data: bytes) -> Callable[[Send], None]:
    return lambda send: send(data)


def test_a_body_that_is_nested_too_deeply_is_no_answer(asked: Asked) -> None:
    deep = b"[" * 200_000
    whole = OK + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(deep) + deep
    assert "nested too deeply" in asked(sending(whole)).problem
    broken = whole.replace(b"200 OK", b"400 No")
    assert "answers 400: [[" in asked(sending(broken)).problem


@pytest.mark.parametrize(
    "later", [b"Fri, 31 Dec 99999999999 23:59:59 GMT", b"9" * 400, b"nan", b"-5", b"Mon, 99 Foo"]
)
def test_a_date_that_there_is_not_is_no_reason_to_wait(asked: Asked, later: bytes) -> None:
    head = BUSY + b"Retry-After: " + later + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    assert "answers 503: Busy" in asked(sending(head)).problem


def test_half_a_surrogate_pair_is_no_text(asked: Asked) -> None:
    found = asked(sending(completion('{"colour": "\\ud800"}')))
    assert (found.parsed, found.problem) == (None, "there is no JSON object in it")


@pytest.mark.parametrize(("said", "counted"), [(-5, 0), (10**30, 2**53), (7, 7)])
def test_tokens_that_cannot_be_are_not_counted(endpoint: Any, said: int, counted: int) -> None:
    usage = {"prompt_tokens": said, "completion_tokens": 5}
    endpoint.does({**endpoint.completion('{"colour": "red"}'), "usage": usage})
    assert Client(endpoint.name, cache=None).complete(QUESTION).tokens.prompt == counted


def test_objects_within_objects_without_end_are_not_tried_one_by_one() -> None:
    def took(text: str) -> float:
        begin = time.perf_counter()
        with pytest.raises(NotJsonError):
            decoded(text, Colour)
        return time.perf_counter() - begin

    # Thirty times as many braces, each of which may begin the object that was asked for.
    assert took('{"a":' * 30_000) < 20 * max(took('{"a":' * 1_000) for _ in range(3))


def test_a_flipped_byte_of_the_cache_is_asked_again_and_never_another_answer(
    endpoint: Any, tmp_path: Path, times: Callable[[str, int], int]
) -> None:
    endpoint.does('{"colour": "red"}')
    right = Client(endpoint.name, cache=tmp_path).complete(QUESTION)
    (kept,) = tmp_path.rglob("*.json")
    data, chance = kept.read_bytes(), random.Random(23)
    count = times("flips", 60)
    for number in range(count):
        flipped = bytearray(data)
        at = chance.randrange(len(data))
        flipped[at] ^= 1 << chance.randrange(8) if number % 2 else chance.randrange(1, 256)
        kept.write_bytes(flipped)
        found = Client(endpoint.name, cache=tmp_path).complete(QUESTION)
        assert (found.text, found.parsed, found.tokens) == (right.text, right.parsed, right.tokens)
        assert not found.cached
    assert len(endpoint.bodies) == count + 1
    assert kept.read_bytes() == data


def test_a_file_of_the_cache_under_another_name_is_no_answer(endpoint: Any, tmp_path: Path) -> None:
    endpoint.does('{"colour": "red"}', '{"colour": "blue"}')
    client = Client(endpoint.name, cache=tmp_path)
    client.complete(QUESTION)
    (red,) = tmp_path.rglob("*.json")
    other = msgspec.structs.replace(QUESTION, version="2")
    client.complete(other)
    (blue,) = (path for path in tmp_path.rglob("*.json") if path != red)
    blue.write_bytes(red.read_bytes())
    assert client.complete(other).parsed == Colour("blue")
