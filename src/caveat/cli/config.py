"""`caveat config`: what the commands take where no option says otherwise, in one file of the user's."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from caveat.cli.arguments import JsonFlag

# The options of each command that the file may set; the library is for a question without a source.
COMMANDS = {"ask": ("top", "language", "model"), "search": ("language",)}

_TEMPLATE = """\
# Caveat's settings: what `caveat ask` and `caveat search` take where no option says otherwise.
# Take away the mark before a line to set it; an option on the command line still comes first.

# The library, its folder or address, that is asked where a question has no source.
# library = "~/library"

# A model's name or folder, or several, instead of the embedded ones.
# model = ["openai:http://127.0.0.1:8080/v1#qwen"]

# How many alternatives are shown.
# top = 1

# The language of questions, en or zh; else their script tells.
# language = "LANGUAGE"
"""


def template() -> str:
    """The file with every setting explained, and none set."""
    from caveat.core.languages import languages

    return _TEMPLATE.replace("LANGUAGE", next(iter(languages())))


def defaults() -> dict[str, dict[str, Any]]:
    """The options of commands that the file sets, as click takes them."""
    import msgspec

    from caveat.cli.settings import settings

    found = msgspec.to_builtins(settings())
    if isinstance(found.get("model"), str):
        found["model"] = [found["model"]]
    return {name: {key: found[key] for key in keys if key in found} for name, keys in COMMANDS.items()}


def default_library() -> str | None:
    """The library that is asked where a question has no source."""
    from caveat.cli.settings import settings

    given = settings().library
    return given if given is None or "://" in given else os.path.expanduser(given)


def command(
    init: Annotated[
        bool, typer.Option("--init", help="Write the file with every setting explained, if it is not there.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Say where the settings are, and what they are: library, model, top, language.

    Example: `caveat config --init`
    """
    import msgspec

    from caveat.cli.settings import VARIABLE, config_file, settings
    from caveat.cli.terminal import print_json
    from caveat.core.errors import CaveatError
    from caveat.core.files import writing

    path = config_file()
    if init:
        if path is None:
            raise CaveatError(f"{VARIABLE} says that there are no settings.")
        if path.exists():
            raise CaveatError(f"{path} is there already: change it with an editor.")
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as file:
            file.write(template())
    found = msgspec.to_builtins(settings())
    if json:
        print_json({"file": None if path is None else str(path), "settings": found})
        return
    there = "" if path is None or path.exists() else " (not there: `caveat config --init` writes it)"
    print(f"{'no file' if path is None else path}{there}")
    for name, value in found.items():
        print(f"{name} = {value}")
