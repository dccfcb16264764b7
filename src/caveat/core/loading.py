"""What is imported when it is needed, by its name or an entry point, and what to say where a package is missing."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


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
    """What other packages add to a group, by name."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def network_of(name: str) -> Any:
    """What trained networks do for the benchmarks, which stand below them: an entry point of `caveat.networks`.

    A ModuleNotFoundError tells which package of the extra `train` is missing.
    """
    return entry_points_of("caveat.networks")[name].load()


def extra_command(extra: str) -> str:
    """What to type, and where."""
    return f'pip install ".[{extra}]" in a clone of Caveat'


def needs_extra(what: str, package: str | None, extra: str) -> str:
    """The sentence for a user who lacks a package of an extra."""
    return f"{what} needs {package}, of the extra `{extra}`: {extra_command(extra)}."
