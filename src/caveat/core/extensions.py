"""What a room above offers to one below, by name: the package says where it is, and it is imported when it is needed.

Trained networks of the extra `train` answer benchmarks' questions in this way, though training stands above them.
"""

from __future__ import annotations

from typing import Any

from caveat.core.loading import load

__all__ = ["extension", "offer"]

_HOMES: dict[str, str] = {}


def offer(name: str, home: str) -> None:
    """Say where an extension is, as `module:name`."""
    _HOMES[name] = home


def extension(name: str) -> Any:
    """The extension of that name; a ModuleNotFoundError tells which package it needs and does not have."""
    return load(_HOMES[name])
