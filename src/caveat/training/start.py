"""Beginning a run with the weights of an earlier one instead of a bare encoder."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from caveat.errors import CaveatError

__all__ = ["begin_from", "weights_of"]


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


def begin_from(network: nn.Module, folder: Path, *, part: str = "") -> None:
    """Copy the weights of an earlier run into a network; `part` is a prefix, "encoder." for the encoder alone."""
    ours = network.state_dict()
    weights = {name: value for name, value in weights_of(folder).items() if name.startswith(part)}
    strange = sorted(
        name for name, value in weights.items() if name not in ours or ours[name].shape != value.shape
    )
    if strange or not weights:
        raise CaveatError(
            f"{folder} was trained on another encoder or with other heads"
            + (f": {strange[0]} does not fit." if strange else ".")
        )
    network.load_state_dict(weights, strict=False)
