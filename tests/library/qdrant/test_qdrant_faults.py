"""What can be wrong with a server, or with its address: one sentence each, and nothing half done."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from caveat.core.errors import CaveatError
from caveat.library.library import Library
from caveat.library.qdrant.nodes import is_address, parse_address

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_an_address_has_its_parts() -> None:
    found = parse_address("qdrant://one:7000,two/shelf?shards=3&replicas=2")
    assert found.nodes == ("http://one:7000", "http://two:6333")
    assert (found.name, found.shards, found.replicas) == ("shelf", 3, 2)
    assert found.text == "qdrant://one:7000,two/shelf"
    assert parse_address("qdrants://[::1]/shelf").nodes == ("https://[::1]:6333",)
    assert (is_address("qdrants://a/b"), is_address("qdrant"), is_address("a/qdrant://b")) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "qdrant://host",
            "qdrant://host/",
            "qdrant:///shelf",
            "qdrant://host/a/b",
            "qdrant://host:99999/shelf",
        ),
        *(
            "qdrant://user:key@host/shelf",
            "qdrant://host/../shelf",
            "qdrant://a,,b/shelf",
            "qdrant://host/shelf#x",
        ),
    ],
)
def test_what_is_no_address_is_said_to_be_none(text: str) -> None:
    with pytest.raises(CaveatError, match=r"is no address of a library: qdrant://HOST:PORT/NAME is one"):
        Library(text)


@pytest.mark.parametrize("options", ["shards=0", "replicas=two", "colour=red", "shards="])
def test_other_options_are_refused(options: str) -> None:
    with pytest.raises(CaveatError, match=r"\?shards=N and &replicas=N may stand, and not"):
        Library(f"qdrant://host/shelf?{options}")


@pytest.mark.slow
def test_no_server_at_the_address(caveat: Run, tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client")
    (tmp_path / "note.txt").write_text("The weir is closed.")
    for arguments in (
        ("index", "note.txt", "--out", "qdrant://127.0.0.1:1/shelf"),
        ("ask", "Is the weir closed?", "--library", "qdrant://127.0.0.1:1/shelf"),
        ("library", "list", "qdrant://127.0.0.1:1/shelf"),
        ("serve", "qdrant://127.0.0.1:1/shelf", "--port", "0"),
    ):
        done = caveat(*arguments)
        assert done.returncode == 1
        assert done.stderr == (
            "caveat: qdrant://127.0.0.1:1/shelf: no Qdrant server answers ([Errno 111] Connection refused)\n"
        )


class Old(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"title": "qdrant", "version": "1.9.2"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def old_server() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Old) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_a_server_of_a_version_that_cannot_do_it(old_server: int) -> None:
    pytest.importorskip("qdrant_client")
    with pytest.raises(
        CaveatError, match=r"the server is Qdrant 1\.9\.2, and a library needs 1\.16 or later"
    ):
        Library.create(f"qdrant://127.0.0.1:{old_server}/shelf")


def test_a_key_that_is_missing_or_wrong(start_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start_server(key="open-sesame")
    monkeypatch.delenv("QDRANT_API_KEY", raising=False)
    with pytest.raises(CaveatError, match="the server wants a key: put it into QDRANT_API_KEY"):
        Library.create(server.address("shelf"))
    monkeypatch.setenv("QDRANT_API_KEY", "close-sesame")
    with pytest.raises(CaveatError, match="the server wants a key, and refuses the one in QDRANT_API_KEY"):
        Library.create(server.address("shelf"))
    monkeypatch.setenv("QDRANT_API_KEY", "open-sesame")
    library = Library.create(server.address("shelf"))
    library.put("note.txt", b"The weir is closed.")
    assert [hit.text for hit in library.search("weir")] == ["The weir is closed."]


def test_a_collection_that_is_no_library_stays_as_it_is(server: Any, address: str) -> None:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(url=f"http://{server.host}", check_compatibility=False)
    name = address.rpartition("/")[2]
    client.create_collection(name, models.VectorParams(size=4, distance=models.Distance.DOT))
    for make in (Library.create, Library.open):
        with pytest.raises(
            CaveatError, match=f"the collection {name} is there, and is no library: choose another"
        ):
            make(address)
    assert client.count(name).count == 0
    client.close()


def test_a_library_that_is_not_there(address: str) -> None:
    with pytest.raises(
        CaveatError, match="there is no such library: `caveat index SOURCE… --out ADDRESS` makes one"
    ):
        Library.open(address)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes, where this process may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def test_a_disk_that_is_full(small_disk: Path, start_server: Any, tmp_path: Path) -> None:
    server = start_server(folder=small_disk)
    library = Library.create(server.address("shelf"))
    library.put("note.txt", b"The weir is closed.")
    with open(small_disk / "filling", "wb") as file, pytest.raises(OSError, match="No space"):  # noqa: PT012
        while True:
            file.write(os.urandom(1 << 20))
            file.flush()
    with pytest.raises(CaveatError, match=r"the disk of a server is full .* What was acknowledged is kept"):
        library.put("other.txt", b"The weir is open.")
    assert [hit.text for hit in library.search("weir")] == ["The weir is closed."]
    (small_disk / "filling").unlink()
    library.put("other.txt", b"The weir is open.")
    assert (len(library.search("weir")), library.verify()) == (2, ())
