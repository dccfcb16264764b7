"""A language model as its user names it on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SAID = json.dumps(
    {"sentences": [1], "kind": "span", "quotations": ["6.40 am"], "conditions": [], "logic": "all"}
)


@pytest.fixture
def ferry(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.md"
    path.write_text("# The ferry\n\nThe first boat leaves at 6.40 am. It is red.\n")
    return path


def test_ask_says_what_was_sent(caveat: Any, endpoint: Any, ferry: Path) -> None:
    endpoint.does(SAID)
    done = caveat("ask", "When does the first boat leave?", ferry, "--model", endpoint.name, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answers"][0]["text"] == "6.40 am"
    assert "1 request to tiny, 10 tokens in and 5 out." in done.stderr
    again = caveat("ask", "When does the first boat leave?", ferry, "--model", endpoint.name)
    assert "0 requests to tiny, 1 answered from the cache" in again.stderr
    assert "«6.40 am»" in again.stdout


def test_what_was_dropped_is_shown(caveat: Any, endpoint: Any, ferry: Path) -> None:
    endpoint.does(SAID.replace("6.40", "7.50"))
    done = caveat("ask", "When does the first boat leave?", ferry, "--model", endpoint.name)
    assert done.returncode == 0
    assert "its answer was not used: does not stand in the source: 7.50 am" in done.stderr
    assert "7.50" not in done.stdout


def test_an_endpoint_that_is_not_there_is_an_error_of_one_sentence(
    caveat: Any, endpoint: Any, ferry: Path
) -> None:
    endpoint.close()
    done = caveat("ask", "When does the first boat leave?", ferry, "--model", endpoint.name)
    assert done.returncode == 1
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_environment_names_one_and_nothing_is_sent_without(
    caveat: Any, endpoint: Any, ferry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.does(SAID)
    assert caveat("ask", "When does the first boat leave?", ferry).returncode == 0
    assert endpoint.bodies == []
    monkeypatch.setenv("CAVEAT_LLM", endpoint.name)
    monkeypatch.setenv("CAVEAT_LLM_KEY", "sk-very-secret")
    done = caveat("ask", "When does the first boat leave?", ferry, "--budget", "5k")
    assert "1 request to tiny" in done.stderr
    assert "secret" not in done.stderr + done.stdout
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-very-secret"


def test_calibrate_prints_the_card(caveat: Any, endpoint: Any, tmp_path: Path) -> None:
    paragraph = {
        "context": "The first boat leaves at 6.40 am.",
        "qas": [
            {"id": "a", "question": "When?", "answers": [{"text": "6.40 am", "answer_start": 25}]},
        ],
    }
    data = tmp_path / "dev.json"
    data.write_text(json.dumps({"data": [{"title": "t", "paragraphs": [paragraph]}]}))
    endpoint.does('{"sentence": 1, "quotation": "6.40 am"}')
    done = caveat("models", "calibrate", endpoint.name, "--task", "squad", "--data", data)
    assert done.returncode == 0, done.stderr
    assert "F1, model" in done.stdout
    assert "100.00" in done.stdout
    assert "1 request to tiny" in done.stderr
