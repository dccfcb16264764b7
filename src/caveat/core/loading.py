"""What is imported when it is needed: by its name, `module:name`, or by an entry point of another package."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["deferred", "entry_points_of", "load"]


def load(home: str) -> Any:
    """What `module:name` names; a ModuleNotFoundError tells which package it needs and does not have."""
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)


def deferred(home: str) -> Callable[..., Any]:
    """A function that calls what `module:name` names, and imports it only then."""

    def call(*arguments: Any, **options: Any) -> Any:
        return load(home)(*arguments, **options)

    return call


def entry_points_of(group: str) -> dict[str, EntryPoint]:
    """What other packages add to a group, by name and in the order of their names."""
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}
