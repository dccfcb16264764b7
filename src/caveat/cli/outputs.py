"""Where a command writes: never two things to one place, never over what it reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from caveat.core.errors import UsageError
from caveat.core.files import is_device

__all__ = ["refuse_clashes"]


def refuse_clashes(outputs: Mapping[str, object], inputs: Iterable[object] = ()) -> None:
    """Raise if two of the outputs (option → path, None if not given) are one, or one is among the inputs."""
    places: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None or is_device(str(path)):
            continue  # anything may be written to /dev/null, and twice
        place = _place(str(path))
        if place in places:
            where = "standard output" if place == "-" else path
            raise UsageError(f"{places[place]} and {option} would both write to {where}.")
        if place != "-" and place in {_place(str(given)) for given in inputs if given is not None}:
            raise UsageError(f"{option} would overwrite {path}, which is read.")
        places[place] = option


def _place(path: str) -> str:
    return path if path == "-" else os.path.realpath(path)
