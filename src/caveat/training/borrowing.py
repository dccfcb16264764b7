"""Taking out of a model what another one has as well: a model folder that borrows its largest tensor."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.models.borrowed import BORROWED, Borrowed
from caveat.models.card import MODEL, Card, read_card, write_card

__all__ = ["borrow"]


def borrow(folder: Path, lender: Path) -> Card:
    """Take the largest tensor of signed bytes out of the folder's graph; the lender, beside it, has the same.

    Gives the card, with the hash of the smaller graph.
    """
    import onnx

    graph = onnx.load(str(folder / MODEL))
    held = [tensor for tensor in graph.graph.initializer if tensor.data_type == onnx.TensorProto.INT8]
    if not held:
        raise CaveatError(f"{folder} has no tensor of signed bytes to borrow; export it as int8.")
    largest: Any = max(held, key=lambda tensor: len(tensor.raw_data))
    values = largest.raw_data
    offset = (lender / MODEL).read_bytes().find(values)
    if offset < 0:
        raise CaveatError(
            f"{lender} does not have {largest.name} of {folder}: one was trained with embeddings of its own."
        )
    largest.ClearField("raw_data")
    largest.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", lender.name), ("offset", "0"), ("length", str(len(values)))):
        entry = largest.external_data.add()
        entry.key, entry.value = key, value
    (folder / MODEL).write_bytes(graph.SerializeToString())
    found = Borrowed(
        largest.name, lender.name, offset, tuple(largest.dims), hashlib.sha256(values).hexdigest()
    )
    write_json(folder / BORROWED, msgspec.to_builtins(found))
    return write_card(folder, read_card(folder))
