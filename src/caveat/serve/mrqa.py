"""MRQA's evaluation protocol: POST / with one context line of an MRQA file, answered by {qid: text}."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from caveat.benchmarks.mrqa.format import decode_asked
from caveat.benchmarks.shared.passage import TextQuestion
from caveat.benchmarks.shared.reading_prediction import predictions
from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import encode
from caveat.core.limits import current_limits
from caveat.models.embedded import find
from caveat.models.reader import Reader
from caveat.serve.connections import Connection, Server

if TYPE_CHECKING:
    from collections.abc import Callable

    from caveat.core.files import PathLike


def answer_line(reader: Reader, line: bytes | str) -> dict[str, str]:
    """Answers to the questions of one MRQA line, gold answers in it or not."""
    asked = decode_asked(line, path="request")
    qids = Counter(question.qid for question in asked.qas)
    if twice := next((qid for qid, times in qids.items() if times > 1), None):
        raise InputError(
            "several questions have this qid: they could have only one answer", path="request", id=twice
        )
    items = (TextQuestion(question.qid, question.question, asked.context) for question in asked.qas)
    return {prediction.id: prediction.text for prediction in predictions(reader, items)}


def serve_mrqa(
    port: int,
    *,
    model: PathLike = "reader-en",
    host: str = "127.0.0.1",
    threads: int | None = None,
    listening: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until interrupted; `listening` is told the address once requests are taken."""
    with make_server(Reader.load(find(model), threads=threads), port, host) as server:
        listening(f"http://{host}:{server.server_port}/")
        server.serve_forever()


def make_server(reader: Reader, port: int, host: str = "127.0.0.1") -> Server:
    """A server that is bound but does not serve yet: call `serve_forever`, then `server_close`; port 0 is any."""

    class Handler(_Handler):
        served = reader

    try:
        return Server((host, port), Handler)
    except (OSError, OverflowError) as error:
        raise CaveatError(f"Port {port} of {host} cannot be listened on: {error}.") from error


class _Handler(Connection):
    served: Reader

    def do_POST(self) -> None:  # noqa: N802 the library's name
        longest = current_limits().request_bytes
        length = self.body_length()
        if length is None or length > longest:
            # What is not read would be taken for the next request.
            self.close_connection = True
            status = HTTPStatus.LENGTH_REQUIRED if length is None else HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            self._send(
                status, {"error": f"a body of at most {longest:,} bytes with its Content-Length is needed"}
            )
            return
        body = self.read_body(length)
        if body is None:
            self.close_connection = True
            return
        if self.comes_from_elsewhere():
            self._send(HTTPStatus.FORBIDDEN, {"error": "requests of other sites are not answered"})
            return
        if self.path.partition("?")[0] != "/":
            self._send(HTTPStatus.NOT_FOUND, {"error": "the questions are posted to /"})
            return
        try:
            answers = answer_line(self.served, body)
        except CaveatError as error:
            self._send(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        else:
            self._send(HTTPStatus.OK, answers)

    def do_GET(self) -> None:  # noqa: N802 the library's name
        self.close_connection = self.close_connection or self.body_follows()
        self._send(
            HTTPStatus.METHOD_NOT_ALLOWED, {"error": "post one line of an MRQA file to /"}, {"Allow": "POST"}
        )

    def _send(self, status: HTTPStatus, value: Any, headers: dict[str, str] | None = None) -> None:
        body = encode(value).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        for name, content in (headers or {}).items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(body)
