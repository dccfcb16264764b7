"""Which languages there are, each a pack known by its code, and which script and language a text is in.

The package registers its own packs; those of other packages are entry points of the group `caveat.languages`. What a
pack holds is said in `caveat.language.packs`; here it counts only by which texts it is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Protocol

Language = str
"""The code of a language: the name under which its pack is registered."""

GROUP = "caveat.languages"
# Where the packs that come with the package are, as `module:name`, in the order in which they are listed.
_HOMES: list[str] = []


class Recognised(Protocol):
    """What is needed of a pack to tell its texts from others."""

    @property
    def code(self) -> Language: ...
    @property
    def english_name(self) -> str: ...
    @property
    def recognises(self) -> Callable[[str], bool] | None: ...
    @property
    def own_letters(self) -> re.Pattern[str] | None: ...


def register(home: str) -> None:
    """Say where a pack is, as `module:name`; it is imported when a language is first asked for."""
    _HOMES.append(home)
    registered.cache_clear()


@cache
def registered() -> Mapping[Language, Recognised]:
    """All packs by their codes, the package's own first; the very first is the default."""
    found: dict[Language, Recognised] = {}
    for home in _HOMES:
        module, _, name = home.partition(":")
        pack = getattr(import_module(module), name)
        found[pack.code] = pack
    for name, pack in _from_outside().items():
        found.setdefault(name, pack)
    return found


def _from_outside() -> dict[Language, Recognised]:
    from importlib.metadata import entry_points

    found: dict[Language, Recognised] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        pack: Any = point.load()
        if getattr(pack, "code", None) != point.name:
            from caveat.core.errors import CaveatError

            raise CaveatError(
                f"The entry point {point.name} = {point.value} of {GROUP} is no pack of the language {point.name!r}."
            )
        found[point.name] = pack
    return found


def languages() -> tuple[Language, ...]:
    """The codes of all languages."""
    return tuple(registered())


def default_language() -> Language:
    """The language of a text that no pack recognises."""
    return next(iter(registered()))


def check_language(code: str) -> Language:
    """The code itself; a ValueError that names the languages where none has it."""
    if code not in registered():
        there = ", ".join(f"{pack.code} ({pack.english_name})" for pack in registered().values())
        raise ValueError(f"Invalid enum value {code!r} for a language; the languages are {there}")
    return code


# CJK unified ideographs with extensions A to H, compatibility ideographs, and 〇.
HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN = re.compile(f"[{HAN}]")


def is_han(character: str) -> bool:
    """Whether a character is a Chinese ideograph."""
    return _HAN.match(character) is not None


def count_han(text: str) -> int:
    """The number of Chinese ideographs in a text."""
    return len(_HAN.findall(text))


def language_of(text: str) -> Language:
    """The language whose pack recognises the text, else the default; packs from outside are asked first.

    What is rarer is looked for first: a pack from outside may be for a language in the script of another.
    """
    for pack in reversed([*registered().values()]):
        if pack.recognises is not None and pack.recognises(text):
            return pack.code
    return default_language()
