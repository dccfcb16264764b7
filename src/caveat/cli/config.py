"""`caveat config`: what the commands take where no option says otherwise, in one file of the user's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from caveat.cli.arguments import JsonFlag

VARIABLE = "CAVEAT_CONFIG"
_OFF = frozenset(("off", "0", "no", "false"))
# The options of each command that the file may set; the library is for a question without a source.
COMMANDS = {"ask": ("top", "language", "model"), "search": ("language",)}

TEMPLATE = """\
# Caveat's settings: what `caveat ask` and `caveat search` take where no option says otherwise.
# Take away the mark before a line to set it; an option on the command line still comes first.

# The library, its folder or address, that is asked where a question has no source.
# library = "~/library"

# A model's name or folder, or several, instead of the embedded ones.
# model = ["openai:http://127.0.0.1:8080/v1#qwen"]

# How many alternatives are shown.
# top = 1

# The language of questions, en or zh; else their script tells.
# language = "en"
"""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the file says; None where it says nothing."""

    library: str | None = None
    model: list[str] | str | None = None
    top: Annotated[int, msgspec.Meta(ge=1)] | None = None
    language: str | None = None


def config_file() -> Path | None:
    """The file that `CAVEAT_CONFIG` names, none if that is off, else `caveat/config.toml` in the XDG config folder."""
    given = os.environ.get(VARIABLE, "")
    if given.casefold() in _OFF:
        return None
    if given:
        return Path(given).expanduser()
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if os.path.isabs(base) else Path("~/.config").expanduser()
    return folder / "caveat" / "config.toml"


def settings() -> Settings:
    """What the file says; nothing where there is none."""
    from caveat.core.errors import InputError
    from caveat.core.languages import languages

    path = config_file()
    if path is None:
        return Settings()
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    try:
        found = msgspec.toml.decode(data, type=Settings)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be used: {error}; `caveat config` says what may be there", path=path
        ) from None
    if found.language is not None and found.language not in languages():
        raise InputError(f"has the language {found.language!r}: use {' or '.join(languages())}", path=path)
    return found


def defaults() -> dict[str, dict[str, Any]]:
    """The options of commands that the file sets, as click takes them."""
    found = msgspec.to_builtins(settings())
    if isinstance(found.get("model"), str):
        found["model"] = [found["model"]]
    return {name: {key: found[key] for key in keys if key in found} for name, keys in COMMANDS.items()}


def default_library() -> str | None:
    """The library that is asked where a question has no source."""
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
            file.write(TEMPLATE)
    found = msgspec.to_builtins(settings())
    if json:
        print_json({"file": None if path is None else str(path), "settings": found})
        return
    there = "" if path is None or path.exists() else " (not there: `caveat config --init` writes it)"
    print(f"{'no file' if path is None else path}{there}")
    for name, value in found.items():
        print(f"{name} = {value}")
