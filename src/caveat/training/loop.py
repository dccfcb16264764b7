"""The training loop: stopped at any step and started again, it ends with the weights of a run that never stopped.

What is random is either drawn from the seed and the position in the run (windows, batches) or comes from torch's
generator (dropout), whose state is in the checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from caveat.training import log
from caveat.training.method import method_for
from caveat.training.recipe import AnyRecipe
from caveat.training.run import Run

__all__ = ["train"]


def train(
    recipe: AnyRecipe,
    out: Path,
    *,
    data_root: Path = Path(),
    stop: Callable[[int], bool] = lambda step: False,
    note: Callable[[str], None] = lambda message: None,
) -> dict[str, Any] | None:
    """Train into `out` (log.jsonl, checkpoint.pt, and at the end model/), or go on with a stopped run there.

    `stop` is asked after each step; where it says yes, a checkpoint is left and None returned. Otherwise the
    scores on the tuning data are returned, empty without any.
    """
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    method = method_for(recipe, data_root, note)

    out.mkdir(parents=True, exist_ok=True)
    checkpoint, log_file = out / "checkpoint.pt", out / "log.jsonl"
    run = Run(recipe, method.network, method.steps)
    if checkpoint.exists():
        run.restore(checkpoint)
        log.rewind(log_file, run.step)
        note(f"resumed at step {run.step:,} of {method.steps:,}")
    else:
        log_file.unlink(missing_ok=True)
        described = {"steps": method.steps, "windows": method.windows, "data": method.described()}
        log.append(log_file, {"step": 0, **described})
        note(f"{method.windows:,} windows in {method.steps:,} steps")

    pace = _Pace()
    saved_at = time.monotonic()
    method.network.train()
    for batch in method.batches_from(run.step):
        pace.add(run.advance(method.loss(batch)), len(batch))
        if run.step % recipe.log_every == 0 or run.step == method.steps:
            log.append(log_file, {"step": run.step, "lr": run.rate(run.step - 1), **pace.lap()})
        if method.every and run.step % method.every == 0 and run.step < method.steps:
            with pace.paused(), run.averaged():
                scores = method.measure(final=False)
            log.append(log_file, {"step": run.step, "tuning": scores})
            note(f"step {run.step:,}: {method.shown(scores)}")
        stopping = stop(run.step)
        if stopping or time.monotonic() - saved_at > 60 * recipe.checkpoint_minutes:
            run.save(checkpoint)
            saved_at = time.monotonic()
        if stopping:
            note(f"stopped at step {run.step:,} of {method.steps:,}; the same command goes on from there")
            return None

    run.save(checkpoint)
    with run.averaged():
        if scores := method.measure(final=True):
            log.append(log_file, {"step": run.step, "final": scores})
        method.save(out / "model", scores)
    return scores


class _Pace:
    """Mean loss and windows a second since the last entry of the log."""

    def __init__(self) -> None:
        self._losses: list[float] = []
        self._windows = 0
        self._since = time.monotonic()

    def add(self, loss: float, windows: int) -> None:
        self._losses.append(loss)
        self._windows += windows

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Time that does not count."""
        begin = time.monotonic()
        yield
        self._since += time.monotonic() - begin

    def lap(self) -> dict[str, float]:
        now = time.monotonic()
        entry = {
            "loss": round(sum(self._losses) / len(self._losses), 4),
            "windows_per_second": round(self._windows / (now - self._since), 2),
        }
        self._losses, self._windows, self._since = [], 0, now
        return entry
