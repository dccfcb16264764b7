"""Three servers with two copies of everything: one is killed while a library is written, and while it is asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caveat.core.errors import CaveatError
from caveat.library.library import Library

FILES, PARAGRAPHS = 90, 30


@pytest.fixture
def cluster(start_server: Any) -> list[Any]:
    """Three nodes that know each other."""
    from qdrant_client import QdrantClient

    first = start_server("--uri", "http://127.0.0.1:{peers}", clustered=True)
    others = [
        start_server(
            "--bootstrap",
            f"http://127.0.0.1:{first.peers}",
            "--uri",
            "http://127.0.0.1:{peers}",
            clustered=True,
        )
        for _ in range(2)
    ]
    nodes = [first, *others]
    for node in nodes:
        client = QdrantClient(url=f"http://{node.host}", check_compatibility=False)
        begin = time.monotonic()
        while len(client.cluster_status().peers) < len(nodes):
            assert time.monotonic() - begin < 120
            time.sleep(0.1)
        client.close()
    return nodes


def bird(number: int) -> str:
    return f"{chr(97 + number // 26)}{chr(97 + number % 26)}kop"


def write_articles(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        paragraphs = [
            f"The {bird(number)} stands at weir {number * 7 % 11}, seen {part} times. " * 12
            for part in range(PARAGRAPHS)
        ]
        (folder / f"{number:03}.txt").write_text("\n\n".join(paragraphs))


def test_a_node_is_killed(cluster: list[Any], tmp_path: Path) -> None:
    write_articles(tmp_path / "articles")
    expected = Library.create(tmp_path / "folder").add([tmp_path / "articles"]).passages
    hosts = ",".join(node.host for node in cluster)
    address = f"qdrant://{hosts}/shelf"
    library = Library.create(f"{address}?shards=3&replicas=2")
    killed = threading.Event()

    def through(tasks: Any) -> Iterator[Any]:
        """The node that is written to dies when a third of the files was sent."""
        for number, task in enumerate(tasks):
            if number == FILES // 3:
                cluster[0].kill()
                killed.set()
            yield task

    added = library.add([tmp_path / "articles"], processes=1, through=through)
    assert killed.is_set()
    assert (added.added, added.passages) == (FILES, expected)
    assert library.verify() == ()
    assert library.state().passages == expected

    # It comes back, gets what it has missed, and another one dies while questions are asked.
    cluster[0].start()
    wait_until_whole(cluster[0])
    asked, problems = 0, []
    over = threading.Event()

    def ask() -> None:
        nonlocal asked
        other = Library.open(address)
        while not over.is_set():
            number = asked % FILES
            try:
                hits = other.search(f"Where is the {bird(number)} seen?", 5)
                if {Path(hit.source).stem for hit in hits} != {f"{number:03}"}:
                    problems.append(f"{number}: {[hit.source for hit in hits]}")
            except CaveatError as error:
                problems.append(str(error))
            asked += 1

    asking = threading.Thread(target=ask)
    asking.start()
    while asked < 20:
        time.sleep(0.05)
    cluster[1].kill()
    before = asked
    while asked < before + 40:
        time.sleep(0.05)
    over.set()
    asking.join()
    assert problems == []
    assert Library.open(address).verify() == ()
    assert len(Library.open(address).entries()) == FILES


def wait_until_whole(node: Any) -> None:
    """All copies on a node are in use again."""
    from qdrant_client import QdrantClient

    client = QdrantClient(url=f"http://{node.host}", check_compatibility=False)
    begin = time.monotonic()
    while time.monotonic() - begin < 120:
        found = client.collection_cluster_info("shelf")
        if all(shard.state.value == "Active" for shard in (*found.local_shards, *found.remote_shards)):
            client.close()
            return
        time.sleep(0.2)
    raise AssertionError("a copy was not brought up to date")
