"""Fixtures: the real data beside the project, where it is present; commands as typed; a reader by construction."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

from tiny_models import write_joint, write_ranker, write_reader, write_tagger

# A busy machine must not fail a property: no test is about absolute time.
settings.register_profile("caveat", deadline=None)
settings.load_profile("caveat")

# What a test needs, by its fixtures; whatever is marked so is slow too. Other slow tests have the mark themselves.
FIXTURES = {
    "browser": {"browser"},
    "cluster": {"cluster", "program"},
    "shared": {"shared"},
    "slow": {"times", "watched"},
    "torch": {"bert_folders", "check_resumed", "encoder_folder"},
}
NEEDS = {*FIXTURES, "language_model"} - {"slow"}
_TORCH = re.compile(
    r'^(?:import torch\b|from torch\b|(?:torch = )?pytest\.importorskip\("torch"|for \w+ in \("torch")',
    re.MULTILINE,
)


@cache
def _imports_torch(path: Path) -> bool:
    """Whether a file of tests imports torch before any of them runs."""
    return path.suffix == ".py" and _TORCH.search(path.read_text("utf-8")) is not None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what imports torch where none of its tests is wanted."""
    unwanted = config.option.markexpr in ("not slow", "not torch")
    return True if unwanted and collection_path.is_file() and _imports_torch(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        for mark, fixtures in FIXTURES.items():
            if used & fixtures or (mark == "torch" and _imports_torch(item.path)):
                item.add_marker(mark)
        if any(item.get_closest_marker(mark) for mark in NEEDS):
            item.add_marker("slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    yield from _torch_is_marked(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    yield from _torch_is_marked(item)


def _torch_is_marked(item: pytest.Item) -> Iterator[None]:
    """Fail a test that is the first to load torch and does not have the mark: it would burden the quick tests."""
    loaded = sys.modules.get("torch")
    yield
    if not loaded and sys.modules.get("torch") and item.get_closest_marker("torch") is None:
        pytest.fail("loads torch: mark it with pytest.mark.torch")


@pytest.fixture(scope="session", autouse=True)
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Indexes of folders and fetched models go to folders of the tests, whoever runs them."""
    os.environ["CAVEAT_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ["CAVEAT_MODELS"] = str(tmp_path_factory.mktemp("models"))


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the real data and the published scores."""
    if not (SHARED / "parity" / "EXPECTED.json").is_file():
        pytest.skip("the real data (../shared) is not beside this checkout")
    return SHARED


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def caveat(tmp_path: Path) -> Run:
    """Run `caveat …` in an empty folder, as a user would type it."""

    def run(*arguments: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "caveat", *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        )

    return run


class Watched(NamedTuple):
    """What a process and its children did outside of themselves."""

    addresses: set[str]  # that were connected to, bound or sent to, those of this machine left out
    written: set[Path]  # files and folders that were made or opened for writing


@pytest.fixture
def watched(tmp_path: Path) -> Callable[..., Watched]:
    """Run `caveat …` under strace with an empty home folder; `until` is handed the process where it does not end."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")

    def run(
        *arguments: object, until: Callable[[subprocess.Popen[str]], None] | None = None, **environment: str
    ) -> Watched:
        log = tmp_path / "strace.log"
        folders = {"HOME": tmp_path / "home", "TMPDIR": tmp_path / "temporary"}
        for folder in folders.values():
            folder.mkdir(exist_ok=True)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("XDG_", "ORT_", "CAVEAT_"))
        }
        calls = "connect,bind,sendto,sendmsg,sendmmsg,open,openat,creat,mkdir,mkdirat"
        strace = ["strace", "-f", "-qq", "-y", "-s", "0", "-e", f"trace={calls}", "-o", str(log)]
        process = subprocess.Popen(
            [*strace, sys.executable, "-m", "caveat", *map(str, arguments)],
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**kept, **{name: str(path) for name, path in folders.items()}}
            | {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", **environment},
        )
        try:
            if until is not None:
                until(process)
        finally:
            if until is not None:
                # strace passes the signal on to nobody; the command is its only child.
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                for child in children:
                    os.kill(int(child), signal.SIGTERM)
            output, _ = process.communicate()
        assert until is not None or process.returncode == 0, output
        return _traced(log.read_text(errors="replace"), tmp_path)

    return run


_ADDRESS = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]*)"\)')
_ADDRESS_6 = re.compile(r'sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]*)"')
_OPENED = re.compile(r"\b(?:open|openat|creat)\(.*\b(?:O_CREAT|O_WRONLY|O_RDWR)\b.* = \d+<([^>]*)>")
_MADE = re.compile(r'\bmkdir(?:at)?\((?:AT_FDCWD<[^>]*>, )?"([^"]*)".*\) = 0$')


def _traced(log: str, folder: Path) -> Watched:
    addresses, written = set(), set()
    for line in log.splitlines():
        for pattern in (_ADDRESS, _ADDRESS_6):
            # A look-up of a name leaves the machine even where the first server asked is on it.
            addresses |= {
                f"{host}:{port}"
                for port, host in pattern.findall(line)
                if port == "53" or not (host.startswith("127.") or host == "::1")
            }
        written |= {folder / found for pattern in (_OPENED, _MADE) for found in pattern.findall(line)}
    devices = Path("/dev"), Path("/proc"), folder / "temporary"
    return Watched(addresses, {path for path in written if not any(map(path.is_relative_to, devices))})


@pytest.fixture(scope="session")
def times() -> Callable[[str, int], int]:
    """How often something random is done: a few times, or as `CAVEAT_TEST_KILLS=100` says of kills, for a long run."""
    return lambda what, few: int(os.environ.get(f"CAVEAT_TEST_{what.upper()}", few))


@pytest.fixture(scope="session")
def growth() -> Callable[..., float]:
    """How many times as long a function takes on the large input as on the small one, in one run.

    The processor's time, the least of three calls each: a busy machine changes neither.
    """

    def least(function: Callable[[Any], object], given: Any) -> float:
        seconds = []
        for _ in range(3):
            begin = time.process_time()
            function(given)
            seconds.append(time.process_time() - begin)
        return min(seconds)

    return lambda function, small, large: least(function, large) / least(function, small)


@pytest.fixture(scope="session")
def script() -> Callable[..., str]:
    """Runs a script in a process of its own, which may fork: with one thread a library."""

    def run(script: str, *arguments: object) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, done.stderr
        print(done.stdout)
        return done.stdout

    return run


@pytest.fixture(scope="session")
def reader_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small reader (see `write_reader`)."""
    return write_reader(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def joint_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small joint reader (see `write_joint`)."""
    return write_joint(tmp_path_factory.mktemp("models") / "tiny-joint")


@pytest.fixture(scope="session")
def ranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small ranker (see `write_ranker`)."""
    return write_ranker(tmp_path_factory.mktemp("models") / "tiny-ranker")


MakeTagger = Callable[..., Path]


@pytest.fixture(scope="session")
def make_tagger(tmp_path_factory: pytest.TempPathFactory) -> MakeTagger:
    """Write a tagger of this name (see `write_tagger`)."""

    def make(name: str, layers: list[list[str]], tags: dict[str, list[str]], **changes: Any) -> Path:
        return write_tagger(tmp_path_factory.mktemp("models") / name, layers, tags, **changes)

    return make


@pytest.fixture(scope="session")
def tagger_folder(make_tagger: MakeTagger) -> Path:
    """Conditions are 颜 (and 色 after it), coarse answers 大 (小), fine ones 红 (蓝, 十); 色 is a fine one as well."""
    tags = {
        "颜": ["B-condition"],
        "色": ["I-condition", "B-fine"],
        "大": ["B-coarse"],
        "小": ["I-coarse"],
        "红": ["B-fine"],
        "蓝": ["I-fine"],
        "十": ["I-fine"],
    }
    return make_tagger("tiny-structure", [["condition"], ["coarse", "fine"]], tags)


# Nodes of a cluster on this machine: what they have is said, not measured.
NODE = {"num_cpus": 1, "memory": 700_000_000, "object_store_memory": 80_000_000}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A head and two nodes with a processor each; this process is connected to it."""
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from caveat.cluster.work import imported

    ray = imported()
    from ray.cluster_utils import Cluster

    found: Any = None
    for last in (False, False, True):
        try:
            found = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
            for _ in range(2):
                found.add_node(**NODE)
            found.wait_for_nodes(300)
            break
        except Exception:  # a node that a busy machine has not started in time
            if last:
                raise
            if found is not None:
                found.shutdown()
    ray.init(address=found.address, log_to_driver=False, logging_level="ERROR")
    yield found
    ray.shutdown()
    found.shutdown()


class ScriptedEndpoint:
    """A server of OpenAI's protocol that does as it is told, request by request; the last thing told is done again.

    A text is a completion, a dictionary the whole answer, a number an error's status, a pair of number and text a
    status with its message, a triple also a Retry-After; `hang up` ends the connection, `cut off` sends half an
    answer, and `slow N` takes N seconds. A function is handed the request's body and gives one of these.
    """

    def __init__(self) -> None:
        self.script: list[Any] = ["{}"]
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with endpoint._lock:
                    action = endpoint.script[min(len(endpoint.bodies), len(endpoint.script) - 1)]
                    endpoint.bodies.append(body)
                    endpoint.headers.append(dict(self.headers))
                    endpoint._at_once += 1
                    endpoint.most_at_once = max(endpoint.most_at_once, endpoint._at_once)
                try:
                    endpoint._do(self, action(body) if callable(action) else action)
                except OSError:
                    pass  # the client has gone
                finally:
                    with endpoint._lock:
                        endpoint._at_once -= 1

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self.name = f"openai:{self.url}#tiny"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def does(self, *script: Any) -> None:
        self.script, self.bodies[:], self.headers[:] = list(script), [], []

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _do(self, handler: BaseHTTPRequestHandler, action: Any) -> None:
        if isinstance(action, str) and action.startswith("slow "):
            time.sleep(float(action.split()[1]))
            action = "{}"
        if action == "hang up":
            handler.close_connection = True
            handler.connection.close()
            return
        status, retry_after, answer = 200, None, action
        if isinstance(action, int):
            status, answer = action, {"error": {"message": "told to"}}
        elif isinstance(action, tuple):
            status, answer = action[0], {"error": {"message": action[1]}}
            retry_after = action[2] if len(action) > 2 else None
        elif isinstance(action, str):
            answer = self.completion(action)
        data = json.dumps(answer).encode("utf-8")
        handler.send_response(status)
        if retry_after is not None:
            handler.send_header("Retry-After", str(retry_after))
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2] if action == "cut off" else data)
        handler.close_connection = True

    @staticmethod
    def completion(text: str | None, **choice: Any) -> dict[str, Any]:
        """A whole answer, with 10 tokens in and 5 out."""
        message = {"role": "assistant", "content": text}
        return {
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", **choice}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedEndpoint]:
    """A language model's server that misbehaves as told; answers are cached in the test's own folder."""
    monkeypatch.setenv("CAVEAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CAVEAT_CONFIG", str(tmp_path / "config"))
    for name in ("CAVEAT_LLM", "CAVEAT_LLM_KEY", "CAVEAT_LLM_PRICES", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    server = ScriptedEndpoint()
    yield server
    server.close()
