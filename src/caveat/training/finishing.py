"""How a run becomes model folders, whatever its kind: what is wished for, and a folder a precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from caveat.models.card import MODEL, Card
from caveat.training.export import Precision

__all__ = ["Wishes", "model_folders"]


def _silent(message: str) -> None:
    """Say nothing."""


class Wishes(msgspec.Struct, frozen=True):
    """What is exported, and how it is measured.

    The recipe's files are under `data_root`; `compared` of the tuning questions, 0 for all, are answered in torch too.
    """

    data_root: Path = Path()
    precisions: Sequence[Precision] = ("int8", "fp32")
    compared: int = 300
    threads: int | None = None
    note: Callable[[str], None] = _silent


def model_folders(
    out: Path,
    wishes: Wishes,
    export: Callable[[Path, Precision], Card],
    measure: Callable[[Path, Card], tuple[Card, str]] | None,
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, and return their cards.

    `measure` gives the card with the figures of a folder, and these in a few words; without it nothing is measured.
    """
    cards: dict[str, Card] = {}
    for precision in wishes.precisions:
        folder = out / precision
        written = export(folder, precision)
        wishes.note(f"{folder}: {(folder / MODEL).stat().st_size / 1e6:.1f} MB")
        if measure is not None:
            written, shown = measure(folder, written)
            wishes.note(f"{folder}: {shown}")
        cards[precision] = written
    return cards
