"""The training loop: stopped at any step and started again, it ends with the weights of a run that never stopped.

What is random is either drawn from the seed and the position in the run (windows, batches) or comes from torch's
generator (dropout), whose state is in the checkpoint.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import torch
from torch import Tensor, nn

from caveat.core.errors import CaveatError, one_line
from caveat.training import log
from caveat.training.kinds import kind_of
from caveat.training.recipe import Settings
from caveat.training.sharing import ALONE, Sharing

# Settings that may change between the parts of a run: they do not change what it computes. The kind is told by the
# settings that only it has.
_FREE = ("threads", "bfloat16", "log_every", "checkpoint_minutes", "tuning", "card", "kind", "with_start")
# What is said about a data set, and not what is done with it.
_DESCRIPTIVE = ("name", "licence")


def train_in_steps(
    recipe: Settings,
    out: Path,
    *,
    data_root: Path = Path(),
    stop: Callable[[int], bool] = lambda step: False,
    note: Callable[[str], None] = lambda message: None,
    sharing: Sharing = ALONE,
) -> dict[str, Any] | None:
    """Train into `out` (log.jsonl, checkpoint.pt, and at the end model/), or go on with a stopped run there.

    `stop` is asked after each step; where it says yes, a checkpoint is left and None returned. Otherwise the
    scores on the tuning data are returned, empty without any. Of several that are `sharing` the work the one that leads
    writes, and returns the scores.
    """
    make_method = kind_of(recipe).method
    if make_method is None:
        raise CaveatError(f"A model of the kind {recipe.kind!r} is fitted in one go, not trained in steps.")
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    method = make_method(recipe, data_root, note)

    out.mkdir(parents=True, exist_ok=True)
    checkpoint, log_file = out / "checkpoint.pt", out / "log.jsonl"
    run = Run(recipe, method.network, method.steps)
    if checkpoint.exists():
        run.restore(checkpoint)
        if sharing.leads:
            log.rewind(log_file, run.step)
        note(f"resumed at step {run.step:,} of {method.steps:,}")
    elif sharing.leads:
        log_file.unlink(missing_ok=True)
        described = {"steps": method.steps, "windows": method.windows, "data": method.described()}
        log.append(log_file, {"step": 0, **described})
        note(f"{method.windows:,} windows in {method.steps:,} steps")

    pace = _Pace()
    saved_at = time.monotonic()
    method.network.train()
    sharing.reseed(recipe.seed, run.step)
    loss_of = sharing.losses(method)
    fast = recipe.bfloat16 and has_bfloat16()
    for batch in method.batches_from(run.step):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=fast):
            loss = loss_of(batch)
        pace.add(sharing.mean(run.advance(loss)), len(batch))
        if not sharing.leads:
            continue
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

    if not sharing.leads:
        return {}
    run.save(checkpoint)
    with run.averaged():
        if scores := method.measure(final=True):
            log.append(log_file, {"step": run.step, "final": scores})
        method.save(out / "model", scores)
    return scores


class _Pace:
    """Mean loss, windows a second and the processors' seconds since the last entry of the log."""

    def __init__(self) -> None:
        self._losses: list[float] = []
        self._windows = 0
        self._since = time.monotonic()
        self._processors_since = time.process_time()

    def add(self, loss: float, windows: int) -> None:
        self._losses.append(loss)
        self._windows += windows

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Time that does not count."""
        begin, processors = time.monotonic(), time.process_time()
        yield
        self._since += time.monotonic() - begin
        self._processors_since += time.process_time() - processors

    def lap(self) -> dict[str, float]:
        now, processors = time.monotonic(), time.process_time()
        entry = {
            "loss": round(sum(self._losses) / len(self._losses), 4),
            "windows_per_second": round(self._windows / (now - self._since), 2),
            # What other work on the machine does not change.
            "processor_seconds": round(processors - self._processors_since, 2),
        }
        self._losses, self._windows, self._since, self._processors_since = [], 0, now, processors
        return entry


class Run:
    """A network, an encoder with heads, on its way through `steps` steps."""

    def __init__(self, recipe: Settings, network: nn.Module, steps: int) -> None:
        self.recipe, self.steps, self.step = recipe, steps, 0
        if recipe.freeze_embeddings:
            encoder: Any = network.encoder
            encoder.get_input_embeddings().weight.requires_grad_(False)
        self._network = network
        self._named = {name: p for name, p in network.named_parameters() if p.requires_grad}
        # Biases and LayerNorm's gains, the vectors among the parameters, are not decayed.
        vectors = [p for p in self._named.values() if p.ndim < 2]
        others = [p for p in self._named.values() if p.ndim >= 2]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": others, "weight_decay": recipe.weight_decay},
                {"params": vectors, "weight_decay": 0.0},
            ],
            lr=recipe.learning_rate,
            betas=(0.9, 0.999),
            eps=1e-6,
            fused=True,
        )
        self._average = [p.detach().clone() for p in self._named.values()] if recipe.ema else []
        self._started = [p.detach().clone() for p in self._named.values()] if recipe.with_start else []

    def rate(self, step: int) -> float:
        """The learning rate of a step: a linear rise, then a linear fall to 0."""
        warm = max(1, round(self.recipe.warmup * self.steps))
        if step < warm:
            return self.recipe.learning_rate * (step + 1) / warm
        return self.recipe.learning_rate * (self.steps - step) / max(1, self.steps - warm)

    def advance(self, loss: Tensor) -> float:
        """One step down a batch's loss, whose value is returned."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._named.values(), self.recipe.clip)
        self.optimizer.step()
        self.step += 1
        if self._average:
            # The average of a young run would otherwise be of the first weights mostly.
            decay = min(self.recipe.ema, (1 + self.step) / (10 + self.step))
            torch._foreach_lerp_(self._average, [p.detach() for p in self._named.values()], 1 - decay)
        return float(loss.detach())

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """What the recipe has measured and saved in the network, as long as the context lasts."""
        if not self._average and not self._started:
            yield
            return
        parameters = list(self._named.values())
        last = [parameter.detach().clone() for parameter in parameters]
        self.keep_average()
        try:
            yield
        finally:
            _copy(last, parameters)

    def keep_average(self) -> None:
        """Put what the recipe has measured and saved into the network for good: the last weights, or means of them."""
        parameters: list[Tensor] = list(self._named.values())
        if self._average:
            _copy(self._average, parameters)
        if self._started:
            with torch.no_grad():
                torch._foreach_lerp_(parameters, self._started, self.recipe.with_start)

    def save(self, path: Path) -> None:
        """A checkpoint, complete or not at all."""
        part = path.with_suffix(".part")
        torch.save(
            {
                "recipe": self._binding(),
                "step": self.step,
                "weights": {name: p.detach() for name, p in self._named.items()},
                "average": self._average,
                "buffers": _buffers(self._network),
                "optimizer": self.optimizer.state_dict(),
                "generator": torch.get_rng_state(),
            },
            part,
        )
        with open(part, "rb") as written:
            os.fsync(written.fileno())
        os.replace(part, path)

    def restore(self, path: Path) -> None:
        """Go back to a checkpoint of the same recipe."""
        saved = _read(path)
        ours = self._binding()
        # A setting that an older checkpoint does not know had no effect when it was written.
        theirs = saved["recipe"]
        if different := sorted(k for k in ours if k in theirs and theirs[k] != ours[k]):
            raise CaveatError(
                f"{path.parent} holds a run with other settings ({', '.join(different)}); "
                "go on with its own recipe, or choose another folder."
            )
        try:
            self.step = saved["step"]
            _copy([saved["weights"][name] for name in self._named], list(self._named.values()))
            _copy(saved["average"], self._average)
            # Older checkpoints are of networks that had none.
            self._network.load_state_dict(saved.get("buffers", {}), strict=False)
            self.optimizer.load_state_dict(saved["optimizer"])
            torch.set_rng_state(saved["generator"])
        except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            raise CaveatError(f"{path} is no checkpoint of this run: {error}. {_BEGIN_AGAIN}") from error

    def _binding(self) -> dict[str, Any]:
        """What must be the same for a run to go on: the settings, and the amount of data that they met."""
        settings = msgspec.to_builtins(self.recipe)
        settings["data"] = tuple(
            {key: value for key, value in data.items() if key not in _DESCRIPTIVE}
            for data in settings["data"]
        )
        return {"steps": self.steps, **{key: value for key, value in settings.items() if key not in _FREE}}


def _buffers(network: nn.Module) -> dict[str, Tensor]:
    """What a network keeps that is no parameter: nothing steps it, but a run needs it to go on."""
    parameters = {name for name, _ in network.named_parameters()}
    return {name: tensor for name, tensor in network.state_dict().items() if name not in parameters}


_BEGIN_AGAIN = "Take it away to begin again."


def _read(path: Path) -> dict[str, Any]:
    """A checkpoint whose bytes are those that were written: the archive that it is has checksums."""
    try:
        with ZipFile(path) as archive:
            damaged = archive.testzip()
        saved = torch.load(path, weights_only=True)
    except Exception as error:  # torch raises whatever its parsers do
        raise CaveatError(f"{path} is damaged: {one_line(str(error), 200)}. {_BEGIN_AGAIN}") from error
    if damaged is not None or not isinstance(saved, dict) or not isinstance(saved.get("recipe"), dict):
        raise CaveatError(f"{path} is damaged. {_BEGIN_AGAIN}")
    return saved


def _copy(values: Sequence[Tensor], into: Sequence[Tensor]) -> None:
    with torch.no_grad():
        for tensor, value in zip(into, values, strict=True):
            tensor.copy_(value)


def has_bfloat16() -> bool:
    """Whether the processor multiplies bfloat16 itself; torch's emulation is slower than float32."""
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
