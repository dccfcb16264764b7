"""Many annotators at once, and a server that is killed while they write: what was acknowledged is there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from caveat.annotation.project import Project
from caveat.annotation.records import Sample

pytestmark = pytest.mark.slow

ANNOTATORS = 20
KILLS = 20
# A minute by hand; a run of the tests has other things to do.
SECONDS = float(os.environ.get("CAVEAT_ANNOTATION_SECONDS", "4"))
TEXT = "a b c d e f g h i j k l m n o p q r s t u v w x y z"

Serving = Callable[..., Any]


def made(path: Path, people: int) -> dict[str, str]:
    """A project in which everyone has one item of their own, and their tokens."""
    samples = [Sample(f"s{number}", TEXT, question="Which?") for number in range(people)]
    with Project.new(path, "multispan", samples, overlap=people) as project:
        return {f"P{number}": project.add_annotator(f"P{number}") for number in range(people)}


class Typist:
    """Saves one change after the other, and remembers what was acknowledged."""

    def __init__(self, name: str, token: str, item: str) -> None:
        self.name, self.item = name, item
        self.headers = {"Authorization": f"Bearer {token}"}
        self.random = Random(name)
        self.version = 0
        self.acknowledged: dict[str, str] = {}
        self.slowest = 0.0
        self.statuses: set[int] = set()

    def type(self, client: httpx.Client) -> None:
        start = 2 * self.random.randrange(26)
        note = f"{self.name} {len(self.acknowledged)}"
        work = {"spans": [{"id": "x", "kind": "answer", "start": start, "end": start + 1}], "note": note}
        request = f"{self.name}-{self.random.getrandbits(64):x}"
        body = {"work": work, "version": self.version, "request": request}
        begun = monotonic()
        response = client.put(f"/api/items/{self.item}", json=body, headers=self.headers)
        self.slowest = max(self.slowest, monotonic() - begun)
        self.statuses.add(response.status_code)
        if response.status_code == 200:
            self.version = response.json()["version"]
            self.acknowledged[request] = note
        elif response.status_code == 409:  # the last one arrived, but its answer did not
            self.version = response.json()["version"]


def lost(path: Path, typists: list[Typist]) -> list[str]:
    """What was acknowledged and is not among the decisions."""
    with Project.open(path) as project:
        kept = {each.request: each.after.note for each in project.decisions() if each.after is not None}
    return [
        request
        for typist in typists
        for request, note in typist.acknowledged.items()
        if kept.get(request) != note
    ]


def test_twenty_annotators_type_at_once(annotating: Serving, tmp_path: Path) -> None:
    path = tmp_path / "many.project"
    tokens = made(path, ANNOTATORS)
    with Project.open(path) as project:
        for name in tokens:
            project.queue(name)
        typists = [
            Typist(name, token, f"s{number % 5}") for number, (name, token) in enumerate(tokens.items())
        ]
        with annotating(project) as server, ThreadPoolExecutor(ANNOTATORS) as pool:
            until = monotonic() + SECONDS

            def typing(typist: Typist) -> None:
                with httpx.Client(
                    base_url=server.base_url, timeout=30, trust_env=False, verify=False
                ) as client:
                    while monotonic() < until:
                        typist.type(client)

            list(pool.map(typing, typists))
    assert {status for typist in typists for status in typist.statuses} == {200}
    assert all(typist.acknowledged for typist in typists)
    assert lost(path, typists) == []
    total = sum(len(typist.acknowledged) for typist in typists)
    slowest = max(typist.slowest for typist in typists)
    print(f"{total} decisions in {SECONDS:.0f} s, {total / SECONDS:.0f} a second, slowest {slowest:.2f} s")


# Imports once; each line that it reads is a server of its own, until that is killed.
SERVERS = """
import os, sys
import caveat.serve.annotate.application, caveat.serve.listening
from caveat.serve.start import serve_annotation as serve
for line in sys.stdin:
    child = os.fork()
    if not child:
        serve(sys.argv[1], port=0, listening=lambda address: print(os.getpid(), address, flush=True))
    os.waitpid(child, 0)
"""


@contextmanager
def servers(path: Path) -> Iterator[Callable[[], tuple[int, str]]]:
    """Starts a server, and tells its process and its address."""
    command = [sys.executable, "-c", SERVERS, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as forking:
        assert forking.stdin is not None
        assert forking.stdout is not None
        running = 0

        def start() -> tuple[int, str]:
            nonlocal running
            print(file=forking.stdin, flush=True)
            number, address = forking.stdout.readline().split()
            running = int(number)
            return running, address

        try:
            yield start
        finally:
            if running:
                with suppress(ProcessLookupError):
                    os.kill(running, signal.SIGKILL)
            forking.stdin.close()


def test_a_server_that_is_killed_twenty_times_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "killed.project"
    tokens = made(path, 4)
    with Project.open(path) as project:
        for name in tokens:
            project.queue(name)
    typists = [Typist(name, token, f"s{number}") for number, (name, token) in enumerate(tokens.items())]
    random = Random(5)

    def typing(typist: Typist, address: str) -> None:
        with httpx.Client(base_url=address, timeout=30, trust_env=False, verify=False) as client:
            while True:
                try:
                    typist.type(client)
                except httpx.TransportError:
                    return

    with servers(path) as start, ThreadPoolExecutor(len(typists)) as pool:
        for _ in range(KILLS):
            before = sum(len(typist.acknowledged) for typist in typists)
            server, address = start()
            writing = [pool.submit(typing, typist, address) for typist in typists]
            while sum(len(typist.acknowledged) for typist in typists) < before + 8:
                sleep(0.005)
            sleep(random.random() / 20)
            os.kill(server, signal.SIGKILL)
            for each in writing:
                each.result(60)
            assert lost(path, typists) == []
    assert {status for typist in typists for status in typist.statuses} <= {200, 409}
