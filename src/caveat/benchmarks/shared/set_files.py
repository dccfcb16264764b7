"""The sets of a folder: one file a set, told by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from caveat.core.errors import InputError
from caveat.core.files import PathLike

__all__ = ["NameOf", "set_files"]

# What the tasks' data and predictions are called; a LICENSE or README.md beside them is neither.
_ENDINGS = (".json", ".jsonl", ".txt", ".tsv", ".csv", ".kbqa", ".score", ".scores")
# The stem of a file's name and the name of its folder, empty at the top → the set.
NameOf = Callable[[str, str], str]


def set_files(place: PathLike, name_of: NameOf) -> dict[str, Path]:
    """Set → its file: of a folder and the folders in it, or of the file that was named itself."""
    path = Path(place)
    if path.is_file():
        return {name_of(_stem(path) or path.stem, ""): path}
    if not path.is_dir():
        raise InputError("there is no such file or folder", path=place)
    found: dict[str, Path] = {}
    for inside in sorted(path.iterdir()):
        for file in sorted(inside.iterdir()) if inside.is_dir() else [inside]:
            if not (stem := _stem(file)) or file.name.startswith(".") or not file.is_file():
                continue
            name = name_of(stem, "" if file.parent == path else file.parent.name)
            if name in found:
                raise InputError(f"{found[name].name} and {file.name} are both {name}", path=place)
            found[name] = file
    return found


def _stem(path: Path) -> str:
    """The name without `.jsonl.gz`; empty if it is not that of data."""
    name = path.name.removesuffix(".gz")
    ending = Path(name).suffix
    return name.removesuffix(ending) if ending.lower() in _ENDINGS else ""
