"""The 18 sub-domains by name; a source's module is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from caveat.benchmarks.mrqa.format import MrqaContext
from caveat.benchmarks.mrqa.sources.build import Drops, MrqaSource, build
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.files import PathLike

__all__ = ["convert_source", "names", "source"]

# Name → module, in the order of the shared task: training sets, then those out of domain. "squad" by itself
# names a format.
_MODULES = {
    "mrqa-squad": "squad",
    "newsqa": "newsqa",
    "triviaqa": "triviaqa",
    "searchqa": "searchqa",
    "hotpotqa": "hotpotqa",
    "naturalquestions": "naturalquestions",
    "bioasq": "bioasq",
    "drop": "drop",
    "duorc": "duorc",
    "race": "race",
    "relationextraction": "relationextraction",
    "textbookqa": "textbookqa",
    "bioprocess": "bioprocess",
    "complexwebquestions": "complexwebquestions",
    "mctest": "mctest",
    "qamr": "qamr",
    "qast": "qast",
    "trec": "trec",
}


def names() -> list[str]:
    """The names of the sources."""
    return list(_MODULES)


def source(name: str) -> MrqaSource:
    """The source of that name."""
    if name not in _MODULES:
        raise UnknownNameError("MRQA source", name, names())
    found: MrqaSource = import_module(f"caveat.benchmarks.mrqa.sources.{_MODULES[name]}").SOURCE
    return found


def convert_source(
    name: str, path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[MrqaContext]:
    """A source's native file as MRQA contexts, as a stream; what is left out is counted in `drops`."""
    found = source(name)
    if documents is not None and not found.documents:
        raise InputError(f"{name} is read from one path and needs no documents", path=documents)
    return build(found, found.read(path, drops, documents), drops)
