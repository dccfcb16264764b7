"""The models inside the package, a folder each, how one is found by name, and what there is to say about it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike
from caveat.models.card import CARD, MODEL, Card, read_card

_HERE = Path(__file__).parent / "weights"


def embedded(folder: Path = _HERE) -> dict[str, Path]:
    """The models that came with the package, by name."""
    return {path.parent.name: path.parent for path in sorted(folder.glob(f"*/{CARD}"))}


def find(name_or_folder: PathLike) -> Path:
    """The folder of an embedded model, or the folder itself where it is one of a model."""
    inside = embedded()
    if str(name_or_folder) in inside:
        return inside[str(name_or_folder)]
    folder = Path(name_or_folder)
    if folder.is_dir():
        if not (folder / CARD).is_file():
            raise InputError(f"the folder has no {CARD}, so it is not a model of Caveat", path=folder)
        return folder
    if folder.exists():
        raise InputError("a model is a folder, not a file", path=folder)
    known = (
        f"There are: {', '.join(inside)}." if inside else "None came with this installation (docs/models.md)."
    )
    raise CaveatError(
        f"There is no model {str(name_or_folder)!r}, inside the package or as a folder. {known}"
    )


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
