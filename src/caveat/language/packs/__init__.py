"""Language packs: what differs between languages, as data; each is found by the code of its language.

A pack is a folder here, or an entry point `CODE = module:PACK` of the group `caveat.languages` in another package.
Everything but the code and the names may be left out: what is not told of a language is then not used for it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from caveat.core.errors import CaveatError, UnknownNameError
from caveat.core.languages import Language, default_language, registered
from caveat.language.stems import stem

__all__ = [
    "LanguagePack",
    "default_pack",
    "one_of",
    "pack",
    "packs",
    "packs_beside",
    "pattern_of",
    "phrase",
    "words_file",
]


_QUESTION, _PHRASES = "question.toml", "phrases.toml"


class LanguagePack(msgspec.Struct, frozen=True, kw_only=True):
    """A language: its names, its word lists, and what can be done in it."""

    code: Language
    # In the language itself, and in English.
    name: str
    english_name: str
    # Words of a language in another script cannot be mistaken for words of this one.
    script: str = "Latin"
    # Whether a text is in this language; without it, only what says so is.
    recognises: Callable[[str], bool] | None = None
    # The letters that tell it from all other languages, where it has such.
    own_letters: re.Pattern[str] | None = None
    # Words, or characters, that say nothing of what a text is about; and those that say nothing in rules besides.
    stop_words: frozenset[str] = frozenset()
    condition_stop_words: frozenset[str] = frozenset()
    # A word without its endings.
    stem: Callable[[str], str] = stem
    # Whether nothing parts its words, so that pairs of characters are compared.
    in_pairs: bool = False
    # Whether a capital inside a sentence tells a name.
    capitals_tell_names: bool = False
    # The small letters of words in which typing errors are corrected, as in a set of a pattern; "" for none. Its common
    # words are then in the file common_words.txt.
    spelling: str = ""
    # A pattern for each type of question (`question_types`), and what a question ends with.
    question_words: Mapping[str, str] = {}
    question_mark: str = "?"
    # What questions are asked with whatever they are about, as a pattern.
    asking: str = ""
    # What in a question asks for several things, and what says in a text that a list follows, as patterns.
    asks_for_several: str = ""
    list_markers: str = ""
    # What says of a clause that it is an exception, as a pattern.
    exceptions: str = ""
    # The names of the months, January first, and the words that are numbers; those of English and Chinese have a
    # grammar, which is in `numbers.py` and their file numbers.toml.
    months: tuple[str, ...] = ()
    numerals: Mapping[str, int] = {}
    # What reads the rules of a whole page, and what reads the condition of one sentence: the name of a reader that
    # comes with the package (`answerers/documents/conditions`), or `module:function` of another.
    rules: str | None = None
    conditions: str | None = None
    # Whether a list is told to be the answer by what introduces it; with rules it is told by more.
    lists: bool = False
    # Functions that are imported when they are needed, as `module:name` or, in the pack's own package, `.module:name`:
    # what of a question's wording may tell its kind; whether it wants yes or no, a list or a span; a question without
    # its frame ("Could you tell me …"), behind what is told before it; a condition as a question to the asker; a
    # question completed by the one before it.
    cues: str | None = None
    type_by_words: str | None = None
    rewriting: str | None = None
    inquiry: str | None = None
    completion: str | None = None
    # The package that the data files of the language are in.
    package: str = ""

    def load(self, home: str | None) -> Any:
        """What `module:name` names; None for None."""
        if home is None:
            return None
        module, _, name = home.partition(":")
        return getattr(import_module(module, self.package or None), name)

    def file(self, name: str) -> Traversable | None:
        """A data file of the language; None if it has none of that name."""
        found = files(self.package) / name if self.package else None
        return found if found is not None and found.is_file() else None

    def data(self, name: str) -> dict[str, Any]:
        """A data file of the language in TOML; nothing if it has none of that name."""
        return _data(self.package, name)

    def pattern(self, name: str) -> re.Pattern[str]:
        """A pattern over questions, of the file question.toml of the language."""
        return re.compile(one_of(self.data(_QUESTION)[name]), re.IGNORECASE)


@cache
def pattern_of(name: str, language: Language) -> re.Pattern[str] | None:
    """A pattern over questions of a language and those that cannot be mistaken for it; None where no pack has it."""
    found = [one_of(data[name]) for each in packs_beside(language) if name in (data := each.data(_QUESTION))]
    return re.compile("|".join(found), re.IGNORECASE) if found else None


def phrase(name: str, language: Language) -> str:
    """What is said to a language model in a language (`phrases.toml`), else in the default."""
    said: str = (pack(language).data(_PHRASES) or default_pack().data(_PHRASES))[name]
    return said


@cache
def _data(package: str, name: str) -> dict[str, Any]:
    found = files(package) / name if package else None
    return tomllib.loads(found.read_text(encoding="utf-8")) if found is not None and found.is_file() else {}


def words_file(package: str) -> dict[str, Any]:
    """The word lists of a pack, from the file words.toml of its package, as the arguments of a LanguagePack."""
    lists = dict(_data(package, "words.toml"))
    for name in ("stop_words", "condition_stop_words"):
        lists[name] = frozenset(lists.get(name, "").split())
    lists["months"] = tuple(lists.get("months", "").split())
    lists["question_words"] = {type: one_of(words) for type, words in lists.get("question_words", {}).items()}
    for name in ("asking", "asks_for_several", "list_markers", "exceptions"):
        lists[name] = one_of(lists.get(name, ""))
    return {**lists, "package": package}


def one_of(alternatives: str | list[str]) -> str:
    """The pattern of one of several; a long one stands in its file as a list."""
    return alternatives if isinstance(alternatives, str) else "|".join(alternatives)


def packs() -> tuple[LanguagePack, ...]:
    """The packs of all languages, the default first."""
    return tuple(map(pack, registered()))


def pack(code: Language) -> LanguagePack:
    """The pack of a language."""
    found = registered().get(code)
    if found is None:
        raise UnknownNameError("language", code, list(registered()))
    if not isinstance(found, LanguagePack):
        raise CaveatError(
            f"The pack of the language {code!r} is not a LanguagePack, but a {type(found).__name__}."
        )
    return found


def default_pack() -> LanguagePack:
    """The pack of the language of texts that no pack recognises."""
    return pack(default_language())


def packs_beside(code: Language) -> tuple[LanguagePack, ...]:
    """The pack of a language, and those whose words cannot be mistaken for its own, since their script is another."""
    own = pack(code)
    # As in `language_of`, packs from outside come first.
    return tuple(other for other in reversed(packs()) if other is own or other.script != own.script)
