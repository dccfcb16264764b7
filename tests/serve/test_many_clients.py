"""Many clients at once: each gets an answer or the sentence that too many wait, and nothing is left of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from caveat.answerers.engine import Engine
from caveat.core.limits import VARIABLE
from caveat.core.records import Document

CLIENTS, REQUESTS = 30, 4
SQUAD = (
    '{"data": [{"paragraphs": [{"context": "red", "qas": '
    '[{"id": "q", "question": "color?", "answers": [{"text": "red", "answer_start": 0}]}]}]}]}'
)


@pytest.fixture
def url(serving: Callable[..., Any], engine: Engine) -> Iterator[str]:
    with serving(engine) as client:
        yield str(client.base_url)


def requests_of(client: httpx.Client, number: int) -> list[int]:
    """What one client asks, with the statuses that it gets."""
    source = {"name": f"{number}.txt", "text": f"color red. size {number}."}
    statuses = []
    for turn in range(REQUESTS):
        kind = (number + turn) % 4
        if kind == 3:
            response = client.post("/eval/squad", json={"gold": SQUAD, "pred": '{"q": "red"}'})
        elif kind == 2:
            response = client.post("/ask", content=b"{")
        else:
            response = client.post("/ask", json={"question": "color?", "sources": [source]})
            if response.status_code == 200:
                assert response.json()["answers"][0]["text"] == "red"
        statuses.append(response.status_code)
    return statuses


def all_of(url: str) -> Counter[int]:
    def one(number: int) -> list[int]:
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            return requests_of(client, number)

    with ThreadPoolExecutor(CLIENTS) as pool:
        return Counter(status for each in pool.map(one, range(CLIENTS)) for status in each)


def figure(url: str, name: str) -> float:
    metrics = httpx.get(f"{url}/metrics", trust_env=False).text
    return float(re.findall(rf"^{name} (\S+)", metrics, re.MULTILINE)[0])


def test_many_clients_are_all_answered(url: str) -> None:
    assert all_of(url) == Counter({200: CLIENTS * REQUESTS * 3 // 4, 400: CLIENTS * REQUESTS // 4})
    assert figure(url, "caveat_under_way") == figure(url, "caveat_waiting") == 0


def test_more_than_may_wait_are_told_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "waiting=2")
    statuses = all_of(url)
    assert set(statuses) <= {200, 400, 503}
    assert statuses.total() == CLIENTS * REQUESTS
    assert statuses[200] > 0
    assert figure(url, "caveat_under_way") == figure(url, "caveat_waiting") == 0


def test_of_many_small_sources_only_so_many_are_kept(engine: Engine) -> None:
    for number in range(1100):
        engine.prepare(Document(f"size {number}"))
    assert len(engine.kept) <= 1024
