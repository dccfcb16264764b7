"""Two workers of a cluster that train one network as one would, and go on where one of them is killed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

pytest.importorskip("ray", reason="the extra `ray` is not installed")
pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from caveat.cluster.work import train_on_ray
from caveat.core.errors import CaveatError
from caveat.training import log
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Phase

pytestmark = pytest.mark.filterwarnings("ignore")
BYTES = 100_000_000


@pytest.fixture
def recipe(short: dict[str, Any], data_file: Path) -> ReaderRecipe:
    """Nothing is random in the network: what one process and two do differs by rounding alone."""
    return ReaderRecipe(
        **short,
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=56, stride=12, batch_size=4, epochs=6),),
        max_question_tokens=24,
        windows_per_question=1,
        negatives=0.0,
        dropout=0.0,
        attention_dropout=0.0,
    )


def losses(run: Path) -> list[tuple[int, float]]:
    return [(entry["step"], entry["loss"]) for entry in log.read(run / "log.jsonl") if "loss" in entry]


def test_two_workers_have_the_loss_curve_of_one(
    cluster: Any, recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "one", data_root=data_file.parent)
    train_on_ray(recipe, tmp_path / "two", address="auto", worker_bytes=BYTES, data_root=data_file.parent)
    one, two = losses(tmp_path / "one"), losses(tmp_path / "two")
    assert [step for step, _ in one] == [step for step, _ in two]
    assert [loss for _, loss in two] == pytest.approx([loss for _, loss in one], abs=2e-3)
    assert one[-1][1] < one[0][1]
    assert (tmp_path / "two" / "model").is_dir()


def test_a_killed_worker_comes_back_from_the_last_checkpoint(
    cluster: Any, recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    long = msgspec.structs.replace(
        recipe, phases=(msgspec.structs.replace(recipe.phases[0], epochs=60),), checkpoint_minutes=0.0
    )
    out = tmp_path / "run"
    train_in_steps(long, tmp_path / "one", data_root=data_file.parent)
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            if (out / "checkpoint.pt").exists() and (found := workers()):
                os.kill(found[-1], signal.SIGKILL)
                killed.append(len(losses(out)))
                return
            time.sleep(0.01)

    thread = Thread(target=kill)
    thread.start()
    train_on_ray(long, out, address="auto", worker_bytes=BYTES, data_root=data_file.parent)
    thread.join()
    assert killed
    assert 0 < killed[0] < len(losses(tmp_path / "one"))
    steps = [step for step, _ in losses(out)]
    assert steps == [step for step, _ in losses(tmp_path / "one")]
    assert losses(out)[-1][1] == pytest.approx(losses(tmp_path / "one")[-1][1], abs=0.02)


def workers() -> list[int]:
    """The processes of Ray Train's workers."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"RayTrainWorker" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue  # it has ended meanwhile
    return sorted(found)


def test_a_cluster_without_room_is_a_sentence(cluster: Any, recipe: ReaderRecipe, tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="has no room for 9 workers"):
        train_on_ray(recipe, tmp_path / "run", address="auto", workers=9, worker_bytes=BYTES)
    assert not (tmp_path / "run").exists()
