"""What a room above offers to one below, by name: the package says where it is, and it is imported when it is needed.

Trained networks of the extra `train` answer benchmarks' questions in this way, though training stands above them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["extension", "load", "offer"]

_HOMES: dict[str, str] = {}


def offer(name: str, home: str) -> None:
    """Say where an extension is, as `module:name`."""
    _HOMES[name] = home


def extension(name: str) -> Any:
    """The extension of that name; a ModuleNotFoundError tells which package it needs and does not have."""
    return load(_HOMES[name])


def load(home: str) -> Any:
    """What `module:name` names."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)
