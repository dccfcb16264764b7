"""What the file of a user's settings says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import msgspec

from caveat.core.errors import InputError
from caveat.core.languages import languages

VARIABLE = "CAVEAT_CONFIG"
_OFF = frozenset(("off", "0", "no", "false"))


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
