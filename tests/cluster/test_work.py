"""Work on a cluster of three nodes: the results of one process, in order, even where a node is killed."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import caveat
from caveat.cli.main import app
from caveat.cluster.work import over_ray
from caveat.core.errors import CaveatError, InputError, UsageError

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = 90


@pytest.fixture(autouse=True)
def by_value(cluster: Any) -> None:
    """The nodes cannot import this file."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])


def where(seconds: float) -> Callable[[Iterable[int]], Iterator[tuple[int, str]]]:
    """A worker that takes its time, and says on which node it is."""
    import ray

    def stream(items: Iterable[int]) -> Iterator[tuple[int, str]]:
        for item in items:
            time.sleep(seconds)
            yield item, ray.get_runtime_context().get_node_id()

    return stream


def test_results_come_in_order_and_items_are_read_as_they_are_needed(cluster: Any) -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    found = over_ray("auto")(partial(where, 0.0), items(), 10)
    assert [next(found)[0] for _ in range(10)] == list(range(10))
    # Three workers, two chunks each under way.
    assert len(read) <= 80
    assert [number for number, _ in found] == list(range(10, 1000))


def test_a_node_is_killed_in_the_middle(cluster: Any) -> None:
    spread = over_ray("auto")
    list(spread(partial(where, 0.0), range(30), 1))
    extra = cluster.add_node(num_cpus=1, memory=700_000_000, object_store_memory=80_000_000)
    cluster.wait_for_nodes()
    found = []
    killed = False
    for number, node in spread(partial(where, 0.1), range(60), 2):
        found.append((number, node))
        if not killed and node == extra.node_id:
            cluster.remove_node(extra, allow_graceful=False)
            killed = True
    assert killed
    assert [number for number, _ in found] == list(range(60))


def squad(path: Path, count: int) -> Path:
    paragraphs = [
        {
            "context": f"The {colour} mill stands at mile {number}. Its keeper is paid {number + 3} pence a day.",
            "qas": [{"id": f"q{number}", "question": "What is the keeper paid?", "answers": []}],
        }
        for number, colour in zip(range(count), ["red", "blue", "old", "little grey"] * count, strict=False)
    ]
    path.write_text(json.dumps({"version": "v2.0", "data": [{"title": "Mills", "paragraphs": paragraphs}]}))
    return path


def test_predict_is_complete_and_the_same_though_a_node_is_killed(cluster: Any, tmp_path: Path) -> None:
    data = squad(tmp_path / "mills.json", COUNT)
    one, many = tmp_path / "one", tmp_path / "many"
    caveat.predict("squad2", data, one, na_prob_out=tmp_path / "one-none")
    extra = cluster.add_node(num_cpus=1, memory=700_000_000, object_store_memory=80_000_000)
    cluster.wait_for_nodes()
    seen = 0

    def through(found: Iterable[Any]) -> Iterator[Any]:
        nonlocal seen
        for each in found:
            if seen == 0:
                cluster.remove_node(extra, allow_graceful=False)
            seen += 1
            yield each

    caveat.predict(
        "squad2", data, many, na_prob_out=tmp_path / "many-none", through=through, spread=over_ray("auto")
    )
    assert seen == COUNT
    assert many.read_bytes() == one.read_bytes()
    assert (tmp_path / "many-none").read_bytes() == (tmp_path / "one-none").read_bytes()


def test_what_goes_wrong_in_a_worker_is_said_here(cluster: Any) -> None:
    found = over_ray("auto")(failing, range(10), 5)
    assert [next(found) for _ in range(7)] == list(range(7))
    with pytest.raises(CaveatError, match=r"^data, line 7: is odd$"):
        next(found)


def failing() -> Callable[[Iterable[int]], Iterator[int]]:
    def stream(items: Iterable[int]) -> Iterator[int]:
        for item in items:
            if item == 7:
                raise InputError("is odd", path="data", line=7)
            yield item

    return stream


def test_a_cluster_without_the_room_is_a_sentence(cluster: Any) -> None:
    with pytest.raises(CaveatError, match=r"needs; the largest has 700 MB\.$"):
        list(over_ray("auto", worker_bytes=10**9)(failing, range(3), 1))
    with pytest.raises(CaveatError, match=r"has 2 processors for a worker; the largest has 1\.$"):
        list(over_ray("auto", processors=2)(failing, range(3), 1))


def test_the_commands_do_on_a_cluster_what_they_do_alone(cluster: Any, tmp_path: Path) -> None:
    run = CliRunner().invoke
    data = [squad(tmp_path / f"{name}.json", 4) for name in ("first", "second")]
    chosen = ["--data", str(data[0]), "--data", str(data[1])]
    alone, many = (run(app, ["check", "squad", *chosen, *ray]) for ray in ([], ["--ray", "auto"]))
    assert alone.exit_code == many.exit_code == 1
    assert alone.stdout == many.stdout
    assert "second.json" in many.stdout

    for name, ray in (("alone", []), ("many", ["--ray", "auto"])):
        (tmp_path / name).mkdir()
        done = run(
            app, ["convert", "squad", *map(str, data), "--to", "mrqa", "--out", str(tmp_path / name), *ray]
        )
        assert done.exit_code == 0, done.output
    for each in data:
        assert (tmp_path / "many" / each.name).read_bytes() == (tmp_path / "alone" / each.name).read_bytes()

    shelf = tmp_path / "shelf"
    shelf.mkdir()
    for number in range(5):
        (shelf / f"{number}.md").write_text(f"# Mill {number}\n\nIts keeper is paid {number} pence.\n")
    for name, ray in (("alone", []), ("many", ["--ray", "auto"])):
        done = run(app, ["index", str(shelf), "--out", str(tmp_path / f"library-{name}"), *ray])
        assert done.exit_code == 0, done.output
    first, second = (caveat.Library.open(tmp_path / f"library-{name}") for name in ("alone", "many"))
    assert first.entries() == second.entries()
    assert first.search("keeper paid 3 pence") == second.search("keeper paid 3 pence")


def test_what_cannot_be_spread_says_so(cluster: Any, tmp_path: Path) -> None:
    triples = tmp_path / "a.nt"
    triples.write_text("mill ||| keeper ||| Ann\n")
    with pytest.raises(UsageError, match="is built in one process"):
        caveat.index([triples], tmp_path / "out", format="nlpcc-kb", spread=over_ray("auto"))
    assert not os.path.exists(tmp_path / "out")
