"""The application in two replicas on a cluster: what it answers, and what it says where it cannot be there."""

from __future__ import annotations

import json
import socket
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import caveat
from caveat.core.errors import CaveatError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore")
BYTES = 300_000_000


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def test_replicas_answer_as_one_server_does(cluster: Any, tmp_path: Path) -> None:
    from caveat.cluster.serving import Replicas, serve_on_ray

    shelf = tmp_path / "mills.md"
    shelf.write_text("# Mills\n\nThe keeper of the red mill is paid four pence a day.\n", encoding="utf-8")
    caveat.index([shelf], tmp_path / "library")
    port, said, replies = free_port(), [], []

    def ask() -> None:
        body = json.dumps({"question": "How much is the keeper of the red mill paid?"}).encode()
        for _ in range(4):
            request = urllib.request.Request(f"http://127.0.0.1:{port}/ask", body, method="POST")
            with urllib.request.urlopen(request, timeout=120) as response:
                replies.append(json.load(response))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60) as response:
            assert json.load(response)["status"] == "ok"

    serve_on_ray(
        tmp_path / "library",
        address="auto",
        replicas=Replicas(bytes=BYTES),
        port=port,
        listening=said.append,
        until=ask,
    )
    assert said == [f"http://127.0.0.1:{port}/"]
    assert "four pence" in replies[0]["answers"][0]["text"]
    assert all(reply == replies[0] for reply in replies)


def test_what_cannot_be_served_is_a_sentence(cluster: Any, tmp_path: Path) -> None:
    from caveat.cluster.serving import Replicas, serve_on_ray

    with pytest.raises(CaveatError, match="has no room for 40 replicas"):
        serve_on_ray(address="auto", replicas=Replicas(number=40, bytes=BYTES), port=free_port())
    with pytest.raises(UsageError, match="serves a library, which `caveat index` makes"):
        serve_on_ray(tmp_path, address="auto", port=free_port())
