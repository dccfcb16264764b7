"""A tensor that two models have in common stands in one of them; the other borrows it when it is loaded.

Models that were trained with frozen embeddings from the same encoder have the same embeddings, half of their bytes.
`borrowed.json` beside a graph names the tensor, the model's folder beside its own that holds it, and where.
"""

from __future__ import annotations

import hashlib
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.core.errors import InputError
from caveat.core.files import reason_of_system
from caveat.core.json_files import read_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

BORROWED = "borrowed.json"
_MODEL = "model.onnx"


class Borrowed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor of signed bytes, the model that has it, where it begins in that model's graph, and its SHA-256."""

    tensor: str
    model: str
    offset: int
    shape: tuple[int, ...]
    sha256: str


def read_borrowed(folder: Path) -> Borrowed | None:
    """What the model of a folder borrows; None where it has all that it needs."""
    path = folder / BORROWED
    if not path.is_file():
        return None
    found = read_json(path, Borrowed)
    if (
        not found.model
        or Path(found.model).name != found.model
        or found.offset < 0
        or any(size < 1 for size in found.shape)
    ):
        raise InputError("names no model beside its own, or no place in it", path=path)
    return found


def lend(borrowed: Borrowed, folder: Path) -> NDArray[np.int8]:
    """The tensor that the model of the folder borrows."""
    lender = folder.parent / borrowed.model / _MODEL
    size = prod(borrowed.shape)
    try:
        with lender.open("rb") as file:
            file.seek(borrowed.offset)
            found = file.read(size)
    except OSError as error:
        raise InputError(
            f"borrows from {borrowed.model}, which cannot be read: {reason_of_system(error)}",
            path=folder,
        ) from error
    if hashlib.sha256(found).hexdigest() != borrowed.sha256:
        raise InputError(f"borrows from {borrowed.model}, which has changed", path=folder)
    values: NDArray[Any] = np.frombuffer(found, dtype=np.int8)
    return values.reshape(borrowed.shape)
