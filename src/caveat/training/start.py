"""Beginning a run with the weights of an earlier one instead of a bare encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from caveat.core.errors import CaveatError

__all__ = ["begin_from", "folders_of", "weights_of"]


def weights_of(folder: Path) -> dict[str, Tensor]:
    """The weights of a run's folder, or of the model/ in it: of its end or, where it has none, of its checkpoint.

    A checkpoint gives the averaged weights where the run keeps an average, and only what the run trains: frozen
    tables are those of the encoder.
    """
    for model in (folder / "model" / "model.safetensors", folder / "model.safetensors"):
        if model.is_file():
            from safetensors.torch import load_file

            return dict(load_file(str(model)))
    checkpoint = folder / "checkpoint.pt"
    if not checkpoint.is_file():
        raise CaveatError(f"{folder} holds neither a trained model nor a checkpoint to start from.")
    saved = torch.load(checkpoint, weights_only=True)
    weights: dict[str, Tensor] = saved["weights"]
    return dict(zip(weights, saved["average"], strict=True)) if saved["average"] else weights


def folders_of(start: str | Sequence[str]) -> list[Path]:
    """The folders that a recipe's `start` names."""
    return [Path(folder) for folder in ([start] if isinstance(start, str) else start)]


def begin_from(network: nn.Module, folder: Path, *others: Path, part: str = "") -> None:
    """Copy the weights of an earlier run into a network, or the mean of several runs' weights.

    `part` is a prefix, "encoder." for the encoder alone.
    """
    ours = network.state_dict()
    found: dict[str, list[Tensor]] = {}
    for each in (folder, *others):
        for name, value in weights_of(each).items():
            if name.startswith(part):
                found.setdefault(name, []).append(value)
    strange = sorted(
        name
        for name, values in found.items()
        if name not in ours or any(ours[name].shape != value.shape for value in values)
    )
    if strange or not found:
        raise CaveatError(
            f"{folder} was trained on another encoder or with other heads"
            + (f": {strange[0]} does not fit." if strange else ".")
        )
    # A checkpoint has no frozen tables; those of a finished run are the encoder's own, as they were.
    network.load_state_dict(
        {
            name: torch.stack(values).mean(0) if len(values) > 1 else values[0]
            for name, values in found.items()
        },
        strict=False,
    )
