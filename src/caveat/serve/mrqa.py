"""MRQA's evaluation protocol: POST / with one context line of an MRQA file, answered by {qid: text}."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from caveat.benchmarks.mrqa.questions import decode_asked
from caveat.benchmarks.shared.predict_readings import Asked, predictions
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.json_files import encode
from caveat.models.embedded import find
from caveat.models.reader import Reader

__all__ = ["answer_line", "make_server", "serve_mrqa"]

# Contexts of the shared task are far below this; what is above is no context.
LONGEST = 64 << 20


def serve_mrqa(
    port: int,
    *,
    model: PathLike = "reader-en",
    host: str = "127.0.0.1",
    threads: int | None = None,
    say: Callable[[str], None] = lambda message: None,
) -> None:
    """Answer requests until Ctrl-C; `say` is told where it listens, and that it has stopped. Port 0 is any."""
    with make_server(Reader.load(find(model), threads=threads), port, host) as server:
        say(f"listening on http://{host}:{server.server_port}/, stop with Ctrl-C.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("stopped.")


def answer_line(reader: Reader, line: bytes | str) -> dict[str, str]:
    """Answers to the questions of one MRQA line, gold answers in it or not."""
    asked = decode_asked(line, path="request")
    items = (Asked(question.qid, question.question, asked.context) for question in asked.qas)
    return {prediction.id: prediction.text for prediction in predictions(reader, items)}


def make_server(reader: Reader, port: int, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """A server that is bound but does not serve yet: call `serve_forever`, then `server_close`; port 0 is any."""

    class Handler(_Handler):
        served = reader

    try:
        return ThreadingHTTPServer((host, port), Handler)
    except (OSError, OverflowError) as error:
        raise CaveatError(f"Port {port} of {host} cannot be listened on: {error}.") from error


class _Handler(BaseHTTPRequestHandler):
    served: Reader
    protocol_version = "HTTP/1.1"
    server_version = "Caveat"
    sys_version = ""

    def do_POST(self) -> None:
        try:
            length = int(self.headers.get("Content-Length", ""))
        except ValueError:
            length = -1
        if not 0 <= length <= LONGEST:
            # What is not read would be taken for the next request.
            self.close_connection = True
            known = length > LONGEST
            status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE if known else HTTPStatus.LENGTH_REQUIRED
            self._send(
                status, {"error": f"a body of at most {LONGEST:,} bytes with its Content-Length is needed"}
            )
            return
        body = self.rfile.read(length)
        if self.path.partition("?")[0] != "/":
            self._send(HTTPStatus.NOT_FOUND, {"error": "the questions are posted to /"})
            return
        try:
            answers = answer_line(self.served, body)
        except CaveatError as error:
            self._send(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        else:
            self._send(HTTPStatus.OK, answers)

    def do_GET(self) -> None:
        self._send(
            HTTPStatus.METHOD_NOT_ALLOWED, {"error": "post one line of an MRQA file to /"}, {"Allow": "POST"}
        )

    def _send(self, status: HTTPStatus, value: Any, headers: dict[str, str] | None = None) -> None:
        body = encode(value).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, content in (headers or {}).items():
            self.send_header(name, content)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing a request: the client knows what it sent and got."""
