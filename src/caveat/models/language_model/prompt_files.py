"""Prompts as files with a version: what a model is told, by language."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from caveat.core.languages import Language, default_language

__all__ = ["PromptFile", "fence_of", "prompt_file"]


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    system: str
    user: str


class PromptFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is told to a model, in each language, else in the default; `version` changes with every word of it."""

    version: str
    said: dict[Language, _Said]

    def system(self, language: Language) -> str:
        """What the model is told beforehand."""
        return self._in(language).system.strip()

    def _in(self, language: Language) -> _Said:
        return self.said.get(language) or self.said[default_language()]

    def user(self, language: Language, **values: str) -> str:
        """What it is asked, with these values in the places that the file names."""
        said = self._in(language).user.strip()
        # In one go: a value that holds the name of another place is not a place.
        parts = said.split("{")
        filled = [parts[0]]
        for part in parts[1:]:
            name, _, rest = part.partition("}")
            filled += (values[name], rest)
        return "".join(filled)


def fence_of(text: str) -> str:
    """What stands before and behind a document in a prompt: no document can close it, since it depends on its text."""
    return f"##{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}##"


@cache
def prompt_file(name: str) -> PromptFile:
    """A prompt of the package."""
    text = (files("caveat.models.language_model") / "prompts" / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return PromptFile(data.pop("version"), msgspec.convert(data, dict[str, _Said]))
