"""Addresses: fetched from loopback alone here; what is private is refused unless it is asked for."""

from __future__ import annotations

import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from caveat.core.errors import InputError
from caveat.core.limits import limits
from caveat.sources.addresses import fetch, is_public
from caveat.sources.gather import gather, is_address, read

PAGES: dict[str, tuple[str, bytes]] = {
    "/fees.html": ("text/html; charset=utf-8", b"<h1>Fees</h1><p>It costs 5."),
    "/fees": ("text/html", b"<h1>Fees</h1><p>It costs 7."),
    "/boats": ("text/csv", b"Boat,Seats\nSwift,1\nHeron,8\n"),
    "/raw/boats.csv": ("text/plain", b"Boat,Seats\nSwift,1\nHeron,8\n"),
    "/packed.txt": ("application/octet-stream", gzip.compress(b"It costs 9.")),
    "/bomb.txt": ("text/plain", gzip.compress(b"word " * 100_000)),
    "/large.txt": ("text/plain", b"word " * 100_000),
}


SHORT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
TWO_MEMBERS = gzip.compress(b"It costs 9. ") + gzip.compress(b"It is free on Sundays.")
# Answers that are sent as they are, and then the connection is closed.
RAW: dict[str, bytes] = {
    "/cut.txt": SHORT + b"Content-Length: 100\r\n\r\nIt costs 5.",
    "/cut-chunks.txt": SHORT + b"Transfer-Encoding: chunked\r\n\r\nb\r\nIt costs 5.\r\nff\r\nIt",
    "/no-last-chunk.txt": SHORT + b"Transfer-Encoding: chunked\r\n\r\nb\r\nIt costs 5.\r\n",
    "/half.txt.gz": SHORT + b"\r\n" + gzip.compress(b"It costs 9.")[:-12],
    "/half-second.txt.gz": SHORT + b"\r\n" + TWO_MEMBERS[:-12],
    "/two.txt.gz": SHORT + b"\r\n" + TWO_MEMBERS,
    "/part.txt": b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\n\r\nIt",
    "/two-lengths.txt": SHORT + b"Content-Length: 2\r\nContent-Length: 11\r\n\r\nIt costs 5.",
    "/one-length-twice.txt": SHORT + b"Content-Length: 11\r\nContent-Length: 11\r\n\r\nIt costs 5.",
    "/to-the-end.txt": SHORT + b"\r\nIt costs 5.",
}


class Handler(BaseHTTPRequestHandler):
    """Pages, redirects, and answers that never end."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        elif self.path == "/slow.txt":
            self.send_response(200)
            self.end_headers()
            while not self.server.stopping.is_set():  # type: ignore[attr-defined]
                self.wfile.write(b"a")
                time.sleep(0.05)
        elif self.path in RAW:
            self.wfile.write(RAW[self.path])
        elif self.path in PAGES:
            kind, content = PAGES[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)
        else:
            self.send_error(404)

    def log_message(self, *_: Any) -> None:
        """Nothing is to be said."""


@pytest.fixture
def server() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.asked, server.stopping = [], threading.Event()  # type: ignore[attr-defined]
    server.home = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.stopping.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_page_and_a_table(server: Any) -> None:
    for name, text in (
        ("/fees.html", "Fees\nIt costs 5."),
        ("/fees", "Fees\nIt costs 7."),
        ("/packed.txt", "It costs 9."),
    ):
        document = read(server.home + name, private=True)
        assert (document.text, document.url) == (text, server.home + name)
    for name in ("/boats", "/raw/boats.csv"):
        (table,) = gather(server.home + name, private=True).tables
        assert (table.id, table.rows[0]) == (server.home + name, ("Swift", "1"))


def test_what_is_private_is_refused_before_anything_is_sent(server: Any) -> None:
    with pytest.raises(InputError, match=r"leads to 127\.0\.0\.1, which is no public address"):
        gather(f"{server.home}/fees.html")
    for host in (
        "localhost",
        "[::1]",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
    ):
        with pytest.raises(InputError, match=r"which is no public address|cannot be fetched"):
            fetch(f"http://{host}:{server.server_port}/fees.html")
    assert server.asked == []


def test_a_redirect_is_looked_at_as_the_first_address_was(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(f"{server.home}/to//fees.html", private=True).text == "Fees\nIt costs 5."
    with pytest.raises(InputError, match=r"cannot be fetched|neither http nor https|the server answers 302"):
        fetch(f"{server.home}/to/file:///etc/passwd", private=True)
    with pytest.raises(InputError, match="the server answers 302"):
        fetch(f"{server.home}/to/{'/to/' * 30}/fees.html", private=True)

    # A public name whose page leads to this machine: the second address is refused, not the first.
    look_up = socket.getaddrinfo
    connect = socket.create_connection

    def looked_up(host: str, *rest: Any, **more: Any) -> Any:
        if host == "public.example":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", server.server_port))]
        return look_up(host, *rest, **more)

    def connected(address: tuple[str, int], *rest: Any, **more: Any) -> socket.socket:
        return connect(("127.0.0.1", address[1]), *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    monkeypatch.setattr(socket, "create_connection", connected)
    home = f"http://public.example:{server.server_port}"
    assert fetch(f"{home}/fees.html")[0] == PAGES["/fees.html"][1]
    with pytest.raises(InputError, match=r"leads to 127\.0\.0\.1, which is no public address"):
        fetch(f"{home}/to/{server.home}/fees.html")


def test_size_time_and_faults(server: Any) -> None:
    with limits(source_bytes=10_000):
        for name in ("/large.txt", "/bomb.txt"):
            with pytest.raises(InputError, match=r"holds more than 10,000 bytes"):
                fetch(server.home + name, private=True)
    with limits(seconds=1), pytest.raises(InputError, match=r"takes more than 1 s to fetch"):
        fetch(f"{server.home}/slow.txt", private=True)
    with pytest.raises(InputError, match=r"the server answers 404"):
        fetch(f"{server.home}/none", private=True)
    with pytest.raises(InputError, match="cannot be fetched"):
        fetch("http://127.0.0.1:1/", private=True)
    with pytest.raises(InputError, match="cannot be fetched"):
        fetch("http://", private=True)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("/cut.txt", "was cut off: the connection ended 89 bytes before the end"),
        ("/cut-chunks.txt", "was cut off: the connection ended before the answer did"),
        ("/no-last-chunk.txt", "was cut off: the connection ended before the answer did"),
        ("/half.txt.gz", "the gzip file is cut off: it ends before its end-of-stream marker"),
        ("/half-second.txt.gz", "the gzip file is cut off: it ends before its end-of-stream marker"),
        ("/part.txt", "the server answers 206 (Partial Content): only a part of what was asked for"),
        ("/two-lengths.txt", "the server says two different lengths of its answer"),
    ],
)
def test_a_part_is_not_taken_for_the_whole(server: Any, name: str, problem: str) -> None:
    address = server.home + name
    with pytest.raises(InputError) as error:
        gather(address, private=True)
    assert str(error.value) == f"{address}: {problem}"


def test_whole_answers_of_every_framing(server: Any) -> None:
    for name in ("/to-the-end.txt", "/one-length-twice.txt"):
        assert fetch(server.home + name, private=True)[0] == b"It costs 5."
    text = read(f"{server.home}/two.txt.gz", private=True).text
    assert text == "It costs 9. It is free on Sundays."
    with limits(source_bytes=20), pytest.raises(InputError, match="holds more than 20 bytes"):
        fetch(f"{server.home}/two.txt.gz", private=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate")
@pytest.mark.parametrize("announced", [True, False])
def test_an_encrypted_connection_has_to_announce_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, announced: bool
) -> None:
    """Without a length only the end of the connection tells, which anyone in between can bring about."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    options = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2"
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", "req", *options.split(), *names], check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listening = socket.create_server(("127.0.0.1", 0))

    def answer_once() -> None:
        connection, _ = listening.accept()
        with context.wrap_socket(connection, server_side=True) as secure:
            secure.recv(1 << 16)
            secure.sendall(RAW["/to-the-end.txt"])
            if announced:
                with suppress(OSError):
                    secure.unwrap()

    thread = threading.Thread(target=answer_once)
    thread.start()
    address = f"https://127.0.0.1:{listening.getsockname()[1]}/"
    try:
        if announced:
            assert fetch(address, private=True)[0] == b"It costs 5."
        else:
            with pytest.raises(InputError, match="was cut off: the connection ended before the answer did"):
                fetch(address, private=True)
    finally:
        thread.join()
        listening.close()


def test_an_address_in_chinese(server: Any) -> None:
    """As it is copied from a browser; the name that answers give is the one that was given."""
    PAGES["/wiki/%E8%8B%8D%E9%B9%AD.txt?%E5%85%A8"] = ("text/plain", "苍鹭湖".encode())
    address = f"{server.home}/wiki/苍鹭.txt?全"
    assert (read(address, private=True).text, read(address, private=True).url) == ("苍鹭湖", address)
    with pytest.raises(InputError, match="no public address"):
        fetch("http://１２７.0.0.1/")


def test_what_is_an_address() -> None:
    assert is_address("https://example.org/a.html")
    assert is_address("HTTP://example.org")
    assert not is_address("http.txt")
    assert not is_address(Path("ftp://example.org"))


def test_an_engine_fetches_once(server: Any, reader_folder: Path) -> None:
    from caveat.answerers.engine import Engine
    from caveat.models.reader import Reader

    PAGES["/color.txt"] = ("text/plain", b"The color red.")
    engine = Engine([Reader.load(reader_folder)])
    address = f"{server.home}/color.txt"
    for _ in range(2):
        best = engine.ask("color", address, private=True).answers[0]
        assert best.place is not None
        assert (best.text, best.place.source) == ("red", address)
    assert server.asked == ["/color.txt"]
    with pytest.raises(InputError, match="no public address"):
        engine.ask("color", address)


# Nothing is connected to below: addresses are only looked at.
# The first or the last address of each range of the registries, and addresses that carry one of them inside.
SPECIAL = [
    *(
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.1",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
    ),
    *(
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.8",
        "192.0.0.9",
        "192.0.0.170",
    ),
    *("192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.1.1", "192.175.48.1"),
    *("198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255"),
    *("240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "100::1"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2001::1", "2001:1ff::1", "2001:db8::1"),
    *("2002:7f00:1::", "2002:808:808::", "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "5f00::1"),
    *("fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.32.0.0"),
    *("192.0.1.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "93.184.216.34"),
    *("2001:200::1", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1"),
    *("::ffff:8.8.8.8", "64:ff9b::808:808"),
]


@pytest.mark.parametrize("address", SPECIAL)
def test_what_is_kept_for_something_special_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_beside_it_is_public(address: str) -> None:
    assert is_public(address)
