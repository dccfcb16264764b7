"""Taking out of a model what another one has as well, and putting it back: a model folder that borrows a tensor."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.models.borrowed import BORROWED, Borrowed, lend, read_borrowed
from caveat.models.card import CARD, MODEL, Card, read_card, write_card
from caveat.training.run_folder import EXPORTING

__all__ = ["borrow", "own_again"]


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


def own_again(folder: Path) -> Card:
    """Write the tensor that the folder's model borrows into its own graph, so that its lender may be replaced.

    The lender must still be beside it as it was. Gives the card, with the hash of the whole graph.
    """
    import onnx

    borrowed = read_borrowed(folder)
    if borrowed is None:
        raise CaveatError(f"{folder} borrows nothing.")
    values = lend(borrowed, folder)
    model = onnx.load(str(folder / MODEL), load_external_data=False)
    held = [tensor for tensor in model.graph.initializer if tensor.name == borrowed.tensor]
    if not held:
        raise CaveatError(f"{folder} borrows {borrowed.tensor}, which its graph does not have.")
    held[0].CopyFrom(onnx.numpy_helper.from_array(values, borrowed.tensor))
    with tempfile.TemporaryDirectory(dir=folder, prefix=EXPORTING) as place:
        part = Path(place)
        for other in folder.iterdir():
            if other.is_file() and other.name not in (MODEL, CARD, BORROWED):
                shutil.copy(other, part)
        (part / MODEL).write_bytes(model.SerializeToString())
        card = write_card(part, read_card(folder))
        # The card last: without it the folder is no model.
        (folder / CARD).unlink()
        os.replace(part / MODEL, folder / MODEL)
        (folder / BORROWED).unlink()
        os.replace(part / CARD, folder / CARD)
    return card
