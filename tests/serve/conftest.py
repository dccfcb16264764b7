"""The API at a free port of this machine, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import httpx
import pytest

from caveat.answerers.engine import Engine
from caveat.models.reader import Reader
from caveat.serve.application import application
from caveat.serve.listening import bind, server_of

Serving = Callable[..., AbstractContextManager[httpx.Client]]


@pytest.fixture(scope="session")
def engine(reader_folder: Path) -> Engine:
    return Engine([Reader.load(reader_folder)])


@pytest.fixture(scope="session")
def serving() -> Serving:
    """A client of the application of an engine."""

    @contextmanager
    def running(engine: Any, library: Any = None, token: str | None = None) -> Iterator[httpx.Client]:
        with bind("127.0.0.1", 0, token) as socket:
            server = server_of(application(engine, library, token))
            thread = Thread(target=server.run, kwargs={"sockets": [socket]})
            thread.start()
            while not server.started and thread.is_alive():
                sleep(0.01)
            try:
                with httpx.Client(
                    base_url=f"http://127.0.0.1:{socket.getsockname()[1]}", timeout=30, trust_env=False
                ) as client:
                    yield client
            finally:
                server.should_exit = True
                thread.join(30)
                assert not thread.is_alive()

    return running


@pytest.fixture(scope="module")
def client(serving: Serving, engine: Engine) -> Iterator[httpx.Client]:
    with serving(engine) as running:
        yield running
