"""The models inside the package, those that were fetched, and the public ones that can be: found by name, described."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from caveat.core.errors import CaveatError, InputError, UnknownNameError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.models.card import CARD, MODEL, Card, read_card


class PublicModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model on the Hugging Face hub; `parameters` are millions."""

    name: str
    hub: str
    task: Literal["reader", "judge", "ranker", "tagger"]
    # "mul" for a model of many languages.
    language: str
    size: Literal["small", "base", "large"]
    parameters: int
    licence: str


@cache
def public_models() -> dict[str, PublicModel]:
    """All of them, by name."""
    found = read_json(Path(__file__).with_name("catalogue.json"), list[PublicModel])
    return {model.name: model for model in found}


def public_model(name: str) -> PublicModel:
    """The model of this name, ours or the hub's."""
    for model in public_models().values():
        if name in (model.name, model.hub):
            return model
    raise UnknownNameError("public model", name, list(public_models()))


_HERE = Path(__file__).parent / "weights"
VARIABLE = "CAVEAT_MODELS"


def embedded(folder: Path = _HERE) -> dict[str, Path]:
    """The models that came with the package, by name."""
    return _models_in(folder)


def kept_folder() -> Path:
    """Where fetched models are: the folder that `CAVEAT_MODELS` names, else one in the user's data folder."""
    if given := os.environ.get(VARIABLE, ""):
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Application Support"
    else:
        # A path that is not absolute is to be ignored, says the specification.
        stated = os.environ.get("XDG_DATA_HOME", "")
        base = stated if os.path.isabs(stated) else "~/.local/share"
    return Path(base).expanduser() / "caveat" / "models"


def kept() -> dict[str, Path]:
    """The models that were fetched, by name."""
    return _models_in(kept_folder())


def _models_in(folder: Path) -> dict[str, Path]:
    # A folder whose name begins with a dot is an import that was broken off.
    found = (path.parent for path in sorted(folder.glob(f"*/{CARD}")) if not path.parent.name.startswith("."))
    return {path.name: path for path in found}


def find(name_or_folder: PathLike) -> Path:
    """The folder of an embedded or fetched model, or the folder itself where it is one of a model."""
    name, known = str(name_or_folder), kept() | embedded()
    if name in known:
        return known[name]
    folder = Path(name_or_folder)
    if folder.is_dir():
        if not (folder / CARD).is_file():
            raise InputError(f"the folder has no {CARD}, so it is not a model of Caveat", path=folder)
        return folder
    if folder.exists():
        raise InputError("a model is a folder, not a file", path=folder)
    raise CaveatError(
        f"There is no model {name!r}, inside the package, fetched or as a folder. {_advice(name, list(known))}"
    )


def _advice(name: str, known: list[str]) -> str:
    from caveat.models.embedded import public_models

    if name in public_models():
        return f"`caveat models get {name}` fetches it."
    if not known:
        return "None came with this installation (docs/models.md)."
    return f"There are: {', '.join(known)}."


class Description(msgspec.Struct, frozen=True):
    """A model folder, the size of its graph in bytes, and its card."""

    folder: str
    bytes: int
    card: Card


def list_models() -> list[Description]:
    """The models that came with the package, and those that were fetched."""
    return [_described(folder) for folder in (embedded() | kept()).values()]


def show_model(name_or_folder: PathLike) -> Description:
    """An embedded or fetched model, or that of a folder."""
    return _described(find(name_or_folder))


def _described(folder: Path) -> Description:
    return Description(str(folder), (folder / MODEL).stat().st_size, read_card(folder))
