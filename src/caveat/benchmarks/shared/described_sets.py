"""The sets of a benchmark that has several: one file a set, told by its name.

They may be described as data: which are averaged, and by what they are grouped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike

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


# A portion of a set as the end of a file's name or as the name of its folder.
_PORTION = re.compile(r"(?:^|[-_. ])(?P<portion>dev|test)$", re.IGNORECASE)


class DescribedSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One set: the group it is averaged with, the portion that its file holds by default, and its traits."""

    group: str
    portion: str
    traits: dict[str, str]
    files: tuple[str, ...] = ()


class Split(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sets that are averaged: one portion of every set of some groups."""

    name: str
    groups: tuple[str, ...]
    portion: str


class Scatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The splits whose averages are set against each other; of several the first that there are scores for."""

    across: tuple[str, ...]
    up: tuple[str, ...]


class DescribedSets(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """All sets of a benchmark by name, in the order of its paper."""

    measure: str
    sets: dict[str, DescribedSet]
    splits: tuple[Split, ...]
    scatter: Scatter
    # Encoder → a pattern for the descriptions that name it.
    encoders: dict[str, str] = {}
    # A pattern for the description of the system that improvements are counted from; none: they are not.
    baseline: str = ""

    @cached_property
    def _names(self) -> dict[str, str]:
        spelled = [(alias, name) for name, found in self.sets.items() for alias in (name, *found.files)]
        return {_plain(alias): name for alias, name in spelled}

    def key(self, stem: str, folder: str = "") -> str:
        """What a file is called here, `BioASQ test`, by its name or that of its folder; an unknown name stays."""
        portion = ""
        if said := _PORTION.search(folder):
            portion = said["portion"].lower()
        if _plain(stem) not in self._names and (said := _PORTION.search(stem)):
            stem, portion = stem[: said.start()], said["portion"].lower()
        name = self._names.get(_plain(stem))
        if name is None:
            return f"{stem} {portion}".strip()
        return f"{name} {portion or self.sets[name].portion}"

    def keys_of(self, split: Split) -> tuple[str, ...]:
        """The sets of a split, each under its key."""
        return tuple(
            f"{name} {split.portion}" for name, found in self.sets.items() if found.group in split.groups
        )

    def traits_of(self, key: str) -> dict[str, str]:
        """The traits of a set, none if it is not described."""
        found = self.sets.get(key.rpartition(" ")[0])
        return found.traits if found else {}

    def encoder_in(self, description: str) -> str:
        """The encoder that a system's description names, or nothing."""
        named = (name for name, says in self.encoders.items() if re.search(says, description, re.IGNORECASE))
        return next(named, "")


def read_description(data: bytes) -> DescribedSets:
    """A description from its TOML."""
    return msgspec.toml.decode(data, type=DescribedSets)


def _plain(name: str) -> str:
    """A name without case and signs: `TriviaQA-web` and `triviaqa_web` are one."""
    return "".join(filter(str.isalnum, name)).casefold()
