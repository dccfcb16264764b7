"""How commands show themselves: what is missing is listed, types are words, the shell completes names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

# What stands beside an option in the help, by the type of its value.
_METAVARS: dict[type, str] = {int: "N", float: "NUMBER", str: "TEXT", Path: "FILE"}


class _PlainSwitches:
    """Of arguments and of switches, the ones that every command has among them, no type is shown."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
            elif param.param_type_name == "argument" and hasattr(param, "display_type_rich"):
                # Its name says what it is.
                param.display_type_rich = _nothing
        return params


def _nothing(ctx: Any) -> str:
    return ""


class Command(_PlainSwitches, TyperCommand):
    """A command."""


class Group(_PlainSwitches, TyperGroup):
    """Commands under one name."""


class Commands(Group):
    """Commands of which one that lacks its task or recipe says which there are."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            listed = _LISTED.get(getattr(getattr(error, "param", None), "name", None) or "")
            if listed is not None and type(error).__name__ == "MissingParameter":
                error.message = f"There are: {', '.join(listed())}"  # type: ignore[attr-defined]
            raise


def in_words(app: typer.Typer) -> None:
    """Have the options of all commands say TEXT or N, and switches nothing, in place of the types of the code."""
    for command in app.registered_commands:
        command.cls = Command
        if command.callback is not None:
            _say_types(command.callback)
    for group in app.registered_groups:
        own = None if group.typer_instance is None else group.typer_instance.info.cls
        group.cls = own if isinstance(own, type) and issubclass(own, Group) else Group
        if group.typer_instance is not None:
            in_words(group.typer_instance)


def _say_types(callback: Callable[..., Any]) -> None:
    hints = get_type_hints(callback, include_extras=True)
    for name in inspect.signature(callback).parameters:
        kinds, *infos = get_args(hints[name]) or (hints[name],)
        for info in infos:
            if isinstance(info, OptionInfo) and info.metavar is None:
                info.metavar = next((_METAVARS[kind] for kind in _plain(kinds) if kind in _METAVARS), None)
    # The hints are strings: read once more, they would be other options.
    callback.__annotations__ = hints


def _plain(kind: Any) -> Iterable[Any]:
    """A type and those that it is made of: of `list[str] | None` also `str`."""
    yield kind
    for part in get_args(kind):
        yield from _plain(part)


def tasks() -> list[str]:
    """The names of the tasks that come with the package."""
    from caveat.benchmarks.registry import built_in

    return [name for benchmark in built_in() for name in benchmark.tasks]


def data_names() -> list[str]:
    """The names of tasks and of other data."""
    from caveat.benchmarks.registry import built_in

    return [*tasks(), *(name for benchmark in built_in() for name in benchmark.data_sets)]


def recipes() -> list[str]:
    """The names of the shipped recipes."""
    from caveat.training.recipe import recipe_names

    return recipe_names()


def model_names() -> list[str]:
    """The names of the embedded models."""
    from caveat.models.embedded import embedded

    return sorted(embedded())


_LISTED: dict[str, Callable[[], list[str]]] = {"task": tasks, "recipe": recipes}


def completing(names: Callable[[], list[str]], *, files: bool = False) -> Callable[[str], list[str]]:
    """What the shell offers for a name, and with `files` for a file, that has been begun."""

    def offered(incomplete: str) -> list[str]:
        begun = [name for name in names() if name.startswith(incomplete)]
        return [*begun, *(_files(incomplete) if files else ())]

    return offered


def _files(incomplete: str) -> Iterable[str]:
    folder, _, beginning = incomplete.rpartition("/")
    try:
        for path in sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).iterdir()):
            if path.name.startswith(beginning) and (beginning or not path.name.startswith(".")):
                shown = f"{folder}/{path.name}" if "/" in incomplete else path.name
                yield f"{shown}/" if path.is_dir() else shown
    except OSError:
        return
