"""Addresses that are none, and clusters that are not there: a sentence each, and nothing written."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.verbs import predict
from caveat.core.errors import CaveatError, UsageError
from caveat.core.spreading import chunks, here, over_processes

QUESTIONS = '{"header": {"dataset": "x"}}\n'


def test_without_ray_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from caveat.cluster.work import spread_at

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(CaveatError, match="--ray needs ray, of the extra `ray`"):
        next(spread_at("local")(_doubling, [1], 1))


@pytest.mark.parametrize(
    ("address", "said"),
    [("nowhere", "takes HOST:PORT, auto or local"), ("127.0.0.1:{}", "no Ray cluster at")],
)
def test_no_cluster_is_a_sentence(
    caveat: Callable[..., Any], tmp_path: Path, address: str, said: str
) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = address.format(free.getsockname()[1])
    (tmp_path / "data.jsonl").write_text(QUESTIONS, encoding="utf-8")
    done = caveat("predict", "mrqa", "--data", "data.jsonl", "--out", "out.json", "--ray", address)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.json").exists()


def _doubling() -> Callable[[Any], Any]:
    return lambda items: (2 * item for item in items)


def test_here_and_in_processes_the_results_are_the_same() -> None:
    items = list(range(25))
    assert list(here(_doubling, items, 4)) == [2 * item for item in items]
    assert list(chunks("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]


def test_processes_work_in_order() -> None:
    from caveat.library.reading import Task, _reading

    found = list(over_processes(2)(_reading, [Task("none", "none")] * 3, 1))
    assert [str(each.problem) for each in found] == ["none: cannot be opened: no such file or directory"] * 3


@pytest.mark.parametrize("task", ["mrqa", "cmqa", "conditionalqa", "multispan", "nlpcc-kbqa", "nlpcc-dbqa"])
def test_a_language_model_is_not_asked_from_a_cluster(tmp_path: Path, task: str) -> None:
    with pytest.raises(
        UsageError, match=r"^A language model is asked by one process.* do not go together\.$"
    ):
        predict(
            task,
            tmp_path / "data",
            tmp_path / "out",
            model=["reader-en", "openai:http://127.0.0.1:9/v1#tiny"],
            spread=over_processes(2),
        )
    assert not (tmp_path / "out").exists()


def test_replicas_ask_no_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
    from caveat.cluster.serving import Replicas, serve_on_ray

    said = "A language model is asked by one process"
    with pytest.raises(UsageError, match=said):
        serve_on_ray(address="local", replicas=Replicas(models=["openai:http://127.0.0.1:9/v1#tiny"]))
    monkeypatch.setenv("CAVEAT_LLM", "http://127.0.0.1:9/v1#tiny")
    with pytest.raises(UsageError, match=said):
        serve_on_ray(address="local")
