"""Tokens of one tokenizer in those of another, by the characters that they have in common.

A span begins at the first character of a token and ends with the last one of another. Either is looked for among the
tokens of the other tokenizer; where none has the character, a blank that it drops, the next one inwards is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Edge = Literal["start", "end"]


def token_at(
    starts: NDArray[np.int32], ends: NDArray[np.int32], characters: NDArray[np.int32], edge: Edge
) -> NDArray[np.int64]:
    """For each character the token that has it or, where none has, the next after it (start) or before it (end)."""
    found = (
        np.searchsorted(ends, characters, side="right")
        if edge == "start"
        else np.searchsorted(starts, characters, side="right") - 1
    )
    return np.clip(found, 0, len(starts) - 1)


def carried(
    mass: NDArray[np.float32],
    characters: NDArray[np.int32],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    edge: Edge,
) -> NDArray[np.float32]:
    """Mass at characters as mass of tokens: none is lost, and that of several characters of a token is added."""
    places = token_at(starts, ends, characters, edge)
    return np.bincount(places, weights=mass, minlength=len(starts)).astype(np.float32)
