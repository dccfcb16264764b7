"""What there is to say about models: those inside the package, and any folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from caveat.core.files import PathLike
from caveat.models.card import MODEL, Card, read_card
from caveat.models.embedded import embedded, find

__all__ = ["Description", "list_models", "show_model"]


class Description(msgspec.Struct, frozen=True):
    """A model folder, the size of its graph in bytes, and its card."""

    folder: str
    bytes: int
    card: Card


def list_models() -> list[Description]:
    """The models that came with the package."""
    return [_described(folder) for folder in embedded().values()]


def show_model(name_or_folder: PathLike) -> Description:
    """An embedded model, or that of a folder."""
    return _described(find(name_or_folder))


def _described(folder: Path) -> Description:
    return Description(str(folder), (folder / MODEL).stat().st_size, read_card(folder))
