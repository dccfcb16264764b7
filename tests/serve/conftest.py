"""The API at a free port of this machine, in a thread; a browser without a window."""

from __future__ import annotations

import shutil
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
from caveat.serve.annotate.application import annotation_application
from caveat.serve.application import application
from caveat.serve.listening import bind, listen_at, server_of

Serving = Callable[..., AbstractContextManager[httpx.Client]]


@pytest.fixture(scope="session")
def engine(reader_folder: Path) -> Engine:
    return Engine([Reader.load(reader_folder)])


@pytest.fixture(scope="session")
def serving() -> Serving:
    """A client of the application of an engine."""

    @contextmanager
    def running(
        engine: Any, library: Any = None, token: str | None = None, **options: Any
    ) -> Iterator[httpx.Client]:
        with (
            bind("127.0.0.1", 0, token) as socket,
            in_thread(application(engine, library, token, **options), socket) as client,
        ):
            yield client

    return running


@pytest.fixture(scope="session")
def annotating() -> Serving:
    """A client of the application of a project, at a port or at any that is free."""

    @contextmanager
    def running(project: Any, port: int = 0) -> Iterator[httpx.Client]:
        with (
            listen_at("127.0.0.1", port) as socket,
            in_thread(annotation_application(project), socket) as client,
        ):
            yield client

    return running


@contextmanager
def in_thread(api: Any, socket: Any) -> Iterator[httpx.Client]:
    server = server_of(api)
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


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium or chromedriver is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    profile = tmp_path_factory.mktemp("profile")
    for flag in (
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--disable-component-update", f"--user-data-dir={profile}", "--lang=en"),
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def client(serving: Serving, engine: Engine) -> Iterator[httpx.Client]:
    with serving(engine) as running:
        yield running
