"""A training run that is killed at random moments, and goes on each time; `CAVEAT_TEST_KILLS=100` is the long run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

for needed in ("torch", "transformers", "safetensors"):
    pytest.importorskip(needed)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

Times = Callable[[str, int], int]
Script = Callable[..., str]

# Trains with a checkpoint after each step; killed, the run goes on from the last one, until it ends as one that was
# never killed. Then the next begins.
TRAIN = """
import os, random, signal, sys, time
from pathlib import Path
import msgspec, torch
from caveat.core.errors import CaveatError
from caveat.training import log
from caveat.training.kinds.reader.network import load_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.loop import _read
from caveat.training.recipe import Phase
from caveat.training.train import train as train_by

kills, encoder, data, folder = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
recipe = ReaderRecipe(
    encoder=encoder,
    data=(ReaderDataSet(path=data.name),),
    phases=(Phase(window=56, stride=12, batch_size=2, epochs=4),),
    learning_rate=2e-3,
    max_question_tokens=24,
    windows_per_question=1,
    negatives=0.0,
    ema=0.9,
    freeze_embeddings=True,
    log_every=1,
    threads=1,
    checkpoint_minutes=0.0,
)

def train(out):
    assert not train_by(recipe, out, data_root=data.parent, precisions=()).stopped

def logged(out):
    entries = log.read(out / "log.jsonl")
    pace = ("windows_per_second", "processor_seconds")
    return [{key: value for key, value in entry.items() if key not in pace} for entry in entries]

def same(out):
    mine, straight = (load_reader(each / "model")[0].state_dict() for each in (out, folder / "straight"))
    return logged(out) == logged(folder / "straight") and all(torch.equal(mine[n], straight[n]) for n in straight)

train(folder / "straight")
begin = time.perf_counter()
train(folder / "timed")
took = time.perf_counter() - begin
chance = random.Random(11)
runs, steps, whole = 0, set(), 0
for _ in range(kills):
    out = folder / f"run-{runs}"
    child = os.fork()
    if not child:
        train(out)
        os._exit(0)
    time.sleep(chance.uniform(0, 0.6 * took))
    os.kill(child, signal.SIGKILL)
    ended = os.waitpid(child, 0)[1] == 0
    if (out / "checkpoint.pt").exists():
        steps.add(_read(out / "checkpoint.pt")["step"])
    try:
        load_reader(out / "model")
        whole += 1
        assert same(out)
    except CaveatError as error:
        assert not ended and "holds no trained reader" in str(error)
    runs += ended
train(folder / f"run-{runs}")
assert same(folder / f"run-{runs}")
files = [sorted(each.name for each in (folder / run).iterdir()) for run in ("straight", f"run-{runs}")]
assert files[0] == files[1]
print(kills, runs, len(steps), whole)
"""


def test_a_training_run_goes_on_from_its_last_checkpoint(
    tmp_path: Path, encoder_folder: Path, data_file: Path, times: Times, script: Script
) -> None:
    figures = script(TRAIN, times("kills", 6), encoder_folder, data_file, tmp_path).split()
    kills, runs, steps, _ = map(int, figures)
    assert kills == times("kills", 6)
    assert steps or runs, "no run was killed on its way"
