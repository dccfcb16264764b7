"""The one reading of a question: its language, the answer that it wants, what it is about, and what is meant by it.

The words and patterns are data of the languages' packs. Whatever is not needed of a question is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Literal, NamedTuple

import msgspec

from caveat.core.languages import Language, language_of
from caveat.core.records import Question
from caveat.language.packs import LanguagePack, default_pack, one_of, pack, packs_beside, pattern_of
from caveat.language.question_kind import question_kind
from caveat.language.question_rewriting import plainly
from caveat.language.question_types import question_type
from caveat.language.tokens import content_words, tokens

Wanted = Literal["span", "amount", "date", "person", "place", "list", "steps", "yes or no", "definition"]
"""The kind of answer that a question wants."""

_BY_WORD: dict[str, Wanted] = {
    "when": "date",
    "where": "place",
    "who": "person",
    "how long": "amount",
    "how many": "amount",
}


class ParsedQuestion(msgspec.Struct, frozen=True, dict=True):
    """A question as it was asked, as it is meant, and what both say; each is read when it is first needed."""

    asked: Question
    # Without politeness and typing errors, and with what the asker tells in it as the scenario.
    meant: Question

    @property
    def text(self) -> str:
        """The words of the question that is meant."""
        return self.meant.text

    @cached_property
    def language(self) -> Language:
        """The language given, or else the one that the script shows."""
        return self.meant.spoken

    @cached_property
    def kind(self) -> Wanted:
        """The kind of answer that it wants."""
        if self.wants_yes_or_no:
            return "yes or no"
        if self._has("steps"):
            return "steps"
        by_word = _BY_WORD.get(self.word, "span")
        if by_word == "amount":
            return by_word
        if self.wants_list or self.wants_several:
            return "list"
        return "definition" if self._has("definition") else by_word

    @cached_property
    def wants_yes_or_no(self) -> bool:
        """Whether it asks for yes or no, as its wording as a whole tells."""
        return question_kind(self.text, self.language) == "yes or no"

    @cached_property
    def wants_list(self) -> bool:
        """Whether it asks for the items of a list: "What are the rules?", "Which documents …?"."""
        own = pack(self.language)
        by_words = own.load(own.type_by_words)
        return self.wants_several if by_words is None else by_words(self.text) == "list"

    @cached_property
    def wants_several(self) -> bool:
        """Whether it asks for more than one thing."""
        return asks_for_several(self.text, self.language)

    @cached_property
    def wants_quantity(self) -> bool:
        """Whether its words say that its answer has a number or is a time."""
        return asks_for_quantity(self.text)

    @cached_property
    def word(self) -> str:
        """What its question word asks for, as `question_types` names it."""
        return question_type(self.text, self.language)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What it is about: words without small ones and endings, or pairs of characters, each once."""
        return tuple(content_words(self.text, self.language))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names in it, in languages in which capitals tell them."""
        return tuple(dict.fromkeys(names_in(self.text, self.language)))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers in it."""
        from caveat.language.quantities import quantities_in

        numerals = pack(self.language).numerals
        words = (numerals[word] for word in self.text.casefold().split() if word in numerals)
        return (*(found.value for found in quantities_in(self.text)), *words)

    def _has(self, name: str) -> bool:
        pattern = pattern_of(name, self.language)
        return pattern is not None and pattern.search(self.text) is not None


def parse_question(question: Question, spelt: Question | None = None) -> ParsedQuestion:
    """The reading of a question as somebody asks it; `spelt` is the same without typing errors."""
    return ParsedQuestion(question, plainly(spelt or question))


def asks_for_several(question: str, language: Language | None = None) -> bool:
    """Whether a question asks for more than one thing: "which districts", "name two", "who were", 哪些."""
    several = _several(language or language_of(question))
    return several is not None and several.search(question) is not None


@cache
def _several(language: Language) -> re.Pattern[str] | None:
    wording = pack(language).asks_for_several
    return re.compile(wording, re.IGNORECASE) if wording else None


class _Look(NamedTuple):
    """What the words of a question say of its answer, and how that looks."""

    wording: re.Pattern[str]
    looks: re.Pattern[str]


@cache
def _looks(language: Language) -> tuple[_Look, ...]:
    return tuple(
        _Look(*(re.compile(one_of(look[name]), re.IGNORECASE) for name in _Look._fields))
        for each in packs_beside(language)
        for look in each.data("question.toml").get("looks", ())
    )


def asks_for_quantity(question: str) -> bool:
    """Whether the words of a question say that its answer has a number or is a time."""
    return any(look.wording.search(question) for look in _looks(language_of(question)))


def fits_question(question: str, answer: str) -> float:
    """1 where the answer looks as the question wants it (an amount for "how much"), -1 where it does not; else 0.

    What only says again what was asked is no answer, unless the question gives the answers to choose from.
    """
    language = language_of(question)
    # "Who …?" is not answered with "if you …".
    conditional, choice = (pattern_of(name, language) for name in ("conditional", "choice"))
    if conditional and conditional.match(answer):
        return -1.0
    for look in _looks(language):
        if look.wording.search(question):
            return 1.0 if look.looks.search(answer) else -1.0
    if set(tokens(answer)) <= set(tokens(question)) and not (choice and choice.search(question)):
        return -1.0
    return 0.0


_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_ENDS_SENTENCE = frozenset(".!?:;\"“”‘'(")


class _NoNames(NamedTuple):
    """Capitals that are no name of anything, or that stand before one; and what is named after a country."""

    words: frozenset[str]
    of_a_country: re.Pattern[str] | None


@cache
def _no_names(language: Language) -> _NoNames:
    own: LanguagePack = pack(language)
    data = own.data("question.toml")
    months = (form for month in own.months for form in (month, month[:3]))
    country = data.get("of_a_country")
    return _NoNames(
        frozenset((*data.get("no_names", "").split(), *months)),
        re.compile(country, re.IGNORECASE) if country else None,
    )


def names_in(question: str, language: Language | None = None) -> Iterator[str]:
    """The words with a capital inside a sentence; where small words have capitals too, they tell nothing."""
    own = default_pack() if language is None else pack(language)
    if not own.capitals_tell_names:
        return
    found = list(_WORD.finditer(question))
    before = (question[: match.start()].rstrip()[-1:] for match in found)
    inside = [match for match, last in zip(found, before, strict=True) if last and last not in _ENDS_SENTENCE]
    with_capitals = [re.sub(r"['’]s?$", "", match[0]) for match in inside if match[0][0].isupper()]
    with_capitals = [word for word in with_capitals if not re.match(r"I(?:['’]|$)", word)]
    if any(word.casefold() in own.stop_words for word in with_capitals):
        return
    known, country = _no_names(own.code)
    for word in with_capitals:
        if len(word) > 1 and word.casefold() not in known and not (country and country.fullmatch(word)):
            yield word
