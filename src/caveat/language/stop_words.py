"""Words, and in Chinese characters, that say nothing of what a text is about; the lists are in `stop_words.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

__all__ = ["CONDITION_STOP_WORDS", "STOP_WORDS"]

_LISTS = tomllib.loads((files("caveat.language") / "stop_words.toml").read_text(encoding="utf-8"))

STOP_WORDS = frozenset((*_LISTS["english"].split(), *_LISTS["chinese"]))
"""In questions and in texts that are asked."""

CONDITION_STOP_WORDS = STOP_WORDS.union(_LISTS["conditions"].split())
"""In conditions and in what an asker says of themselves."""
