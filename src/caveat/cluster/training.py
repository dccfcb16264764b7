"""Training on a Ray cluster: Ray Train starts the workers and starts them again, torch's DDP keeps them in step."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from caveat.cluster.work import connected, room
from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.training.recipe import Settings

__all__ = ["train_on_ray"]

# How often lost workers are started again, from the last checkpoint.
_FAILURES = 5
# Bytes that are kept free for a worker: a base encoder, its gradients and the optimiser's two moments.
_WORKER_BYTES = 3_000_000_000
# The others wait while one of them measures on the tuning data.
_WAIT_SECONDS = 6 * 60 * 60


def train_on_ray(
    recipe: Settings,
    out: Path,
    *,
    address: str,
    workers: int = 2,
    worker_bytes: int = _WORKER_BYTES,
    data_root: Path = Path(),
    stop: Callable[[int], bool] = lambda step: False,
    note: Callable[[str], None] = lambda message: None,
) -> dict[str, Any] | None:
    """Train as `train_in_steps` does, with each batch shared among workers; the scores on the tuning data.

    The data and the folder `out` are at the same paths on every machine. A lost worker is started again, and all go on
    from the last checkpoint. `stop` is not asked: the workers end with this process.
    """
    if getattr(recipe, "usefulness", None):
        raise UsageError(
            "A recipe that chooses its data by usefulness is trained by one process: leave --ray out."
        )
    with connected(address) as ray:
        processors = recipe.threads or 1
        if room(ray, address, processors, worker_bytes) < workers:
            raise CaveatError(
                f"The Ray cluster at {address} has no room for {workers} workers with {processors} processors and "
                f"{worker_bytes / 1e6:,.0f} MB of memory each."
            )
        note(f"{workers} workers on the Ray cluster at {address}; {out / 'log.jsonl'} says how far they are")
        _fit(recipe, out.resolve(), data_root.resolve(), workers, processors)
    from caveat.training import log

    last: dict[str, Any] = log.read(out / "log.jsonl")[-1].get("final", {})
    return last


def _fit(recipe: Settings, out: Path, data_root: Path, workers: int, processors: int) -> None:
    # Of no known type, whether Ray is there or not.
    runs: Any = import_module("ray.train")
    in_torch: Any = import_module("ray.train.torch")
    out.mkdir(parents=True, exist_ok=True)
    trainer = in_torch.TorchTrainer(
        _work,
        train_loop_config={"recipe": recipe, "out": str(out), "data_root": str(data_root)},
        torch_config=in_torch.TorchConfig(backend="gloo", timeout_s=_WAIT_SECONDS),
        scaling_config=runs.ScalingConfig(num_workers=workers, resources_per_worker={"CPU": processors}),
        run_config=runs.RunConfig(
            name="ray", storage_path=str(out), failure_config=runs.FailureConfig(max_failures=_FAILURES)
        ),
    )
    try:
        trainer.fit()
    except Exception as error:  # Ray's errors of training share no public base
        failures = getattr(error, "worker_failures", None) or {}
        for failure in failures.values():
            cause = getattr(failure, "cause", failure)
            if isinstance(cause, CaveatError):
                raise cause from None
        reason = one_line(str(next(iter(failures.values()), error)).strip().rpartition("\n")[2], 300)
        raise CaveatError(f"The workers failed: {reason}") from error


def _work(settings: dict[str, Any]) -> None:
    import torch

    from caveat.training.loop import train_in_steps
    from caveat.training.sharing import Together

    recipe = settings["recipe"]
    torch.set_num_threads(recipe.threads or 1)
    train_in_steps(recipe, Path(settings["out"]), data_root=Path(settings["data_root"]), sharing=Together())
