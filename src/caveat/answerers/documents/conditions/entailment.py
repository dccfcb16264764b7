"""What a scenario says of a condition, by its words alone: a floor for models that read both."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, cached_property, lru_cache
from math import inf
from typing import TYPE_CHECKING, Literal

from caveat.core.cache import cache_short
from caveat.core.languages import HAN
from caveat.core.logic import Atom, Expression, atoms_of, settle_all
from caveat.language.packs import en
from caveat.language.packs.en.vocabulary import any_of, vocabulary
from caveat.language.sentences import sentences
from caveat.language.stems import stem
from caveat.language.tokens import CONDITION_STOP_WORDS

if TYPE_CHECKING:
    from caveat.language.intervals import Interval

Judgement = Literal["entailed", "contradicted", "open"]

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d,.]*")
_DENIALS = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|lack|lacks|nothing|nobody|nowhere)\b|n['’]t\b"
    r"|\b(?:are|ca|did|does|do|had|has|have|is|was|were|wo)nt\b",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    rf"\d\S*|\b(?:{'|'.join(en.PACK.months)})\b",
    re.IGNORECASE,
)
# A Chinese sentence may tell of several things.
_CLAUSES = re.compile("[，；]")
# What is left are words of Chinese.
_MEASURES = re.compile(
    rf"[^{HAN}]|[零〇一二两三四五六七八九十百千万亿半]|个?(?:年|月|周|天|日|小时)|不?满|以[上下内]|累计|超过"
)
# "Have you been a member for a year?" is so after two as well.
_SO_FAR = re.compile(r"^(?:have|has|had)\b.*\bfor\b", re.IGNORECASE)
# How much of a condition's words one sentence must hold, and how many they must be.
_COVERAGE, _FEWEST = 0.75, 2
_UNITS = frozenset(("day", "week", "month", "mile", "metre", "meter", "percent"))
_TOPICAL = frozenset(("duration", "date", "length", "percent", "weight"))


def judge(scenario: str, atom: Atom | str) -> Judgement:
    """Whether the scenario answers the atom's question with yes, with no, or leaves it open.

    It compares quantities of the same kind, and else looks for a sentence with most of the question's words and
    whether that denies. Where neither decides, the question is open; the words of another language are not read.
    """
    question = (atom.question or atom.text) if isinstance(atom, Atom) else atom
    told = _told(scenario)
    if not told.sentences:
        return "open"
    return _by_quantity(question, told) or _by_words(question, told) or "open"


def contradicts_itself(scenario: str, question: str) -> bool:
    """Whether the scenario's quantities answer a question with yes and with no: "I am 14", "I am 40"."""
    wanted = _wanted(question)
    if wanted is None:
        return False
    return {"entailed", "contradicted"} <= _by_quantities(question, wanted, _told(scenario))


def excerpt(scenario: str, question: str, characters: int) -> str:
    """The sentences of a scenario that share most words with a question, in their order, at most so many characters."""
    told = _told(scenario)
    shared = told.shared(_stems(question))
    chosen: list[int] = []
    left = characters
    for number in sorted(range(len(told.sentences)), key=lambda number: -shared[number]):
        if not chosen or len(told.sentences[number]) <= left:
            chosen.append(number)
            left -= len(told.sentences[number]) + 1
    return " ".join(told.sentences[number] for number in sorted(chosen))[:characters]


def settle_by_scenario(expression: Expression, scenario: str) -> Expression:
    """What is left of an expression once all that the scenario answers, by `judge`, is settled."""
    judged = {atom.fact: judge(scenario, atom) for atom in atoms_of(expression)}
    return settle_all(
        expression, {fact: found == "entailed" for fact, found in judged.items() if found != "open"}
    )


class _Told:
    """The sentences of a scenario, and where its words and quantities are: made once for all the conditions."""

    def __init__(self, scenario: str) -> None:
        self.sentences = [scenario[start:end] for start, end in sentences(scenario)]

    @cached_property
    def stems(self) -> list[frozenset[str]]:
        """The words of each sentence."""
        return [_stems(sentence) for sentence in self.sentences]

    @cached_property
    def with_stem(self) -> dict[str, list[int]]:
        """The numbers of the sentences that have a word."""
        found: dict[str, list[int]] = {}
        for number, words in enumerate(self.stems):
            for word in words:
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def quantities(self) -> list[tuple[str, Interval]]:
        """Every quantity with the clause that it stands in."""
        from caveat.language.intervals import intervals_in

        clauses = (clause for sentence in self.sentences for clause in _CLAUSES.split(sentence))
        return list(dict.fromkeys((clause, said) for clause in clauses for said in intervals_in(clause)))

    def shared(self, words: frozenset[str]) -> Counter[int]:
        """How many of the words each sentence has, of those that have any."""
        return Counter(number for word in words for number in self.with_stem.get(word, ()))


@lru_cache(maxsize=8)
def _told(scenario: str) -> _Told:
    return _Told(scenario)


def _wanted(question: str) -> Interval | None:
    """The quantity that a question asks for, if it is one."""
    from caveat.language.intervals import (
        intervals_in,  # its patterns take time, and not all askers say something
    )

    asked = intervals_in(question)
    if len(asked) != 1:
        return None
    wanted = asked[0]
    if wanted.dimension == "duration" and wanted.low == wanted.high and _SO_FAR.search(question):
        return wanted._replace(high=inf)
    return wanted


def _by_quantities(question: str, wanted: Interval, told: _Told) -> set[Judgement | None]:
    """What each quantity of the kind that is asked for says, of whom it may be."""
    return {
        _compare(wanted, said)
        for clause, said in told.quantities
        if said.dimension == wanted.dimension
        and said.periodic == wanted.periodic
        and _same_subject(question, clause, wanted)
    }


def _by_quantity(question: str, told: _Told) -> Judgement | None:
    wanted = _wanted(question)
    if wanted is None:
        return None
    answers = _by_quantities(question, wanted, told)
    answer = answers.pop() if len(answers) == 1 else None
    if answer == "entailed" and wanted.dimension == "date":
        # "a man born before 1951": the date alone does not make it so.
        asked_for = _stems(_NUMBERS.sub(" ", question)) - _UNITS
        if len(asked_for & frozenset().union(*told.stems)) * 2 <= len(asked_for):
            return None
    return answer


def _compare(wanted: Interval, said: Interval) -> Judgement | None:
    if said.low >= wanted.low and said.high <= wanted.high:
        return "entailed"
    return "contradicted" if said.low > wanted.high or said.high < wanted.low else None


def _same_subject(question: str, sentence: str, wanted: Interval) -> bool:
    """Whether the numbers may be of the same thing: the same person's age, a duration of what both speak of."""
    asked_of = {found.lower() for found in _other_subjects().findall(question)}
    said_of = {found.lower() for found in _other_subjects().findall(sentence)}
    if wanted.dimension == "age":
        return asked_of == said_of
    if wanted.dimension in _TOPICAL:
        return bool((_stems(question) & _stems(sentence)) - _UNITS or _pairs(question) & _pairs(sentence))
    return not asked_of or bool(asked_of & said_of) or not said_of


@cache
def _other_subjects() -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(vocabulary().other_subjects)}\b", re.IGNORECASE)


def _by_words(question: str, told: _Told) -> Judgement | None:
    asked = _stems(question)
    if len(asked) < _FEWEST:
        return None
    best: tuple[float, Judgement] | None = None
    opposites = frozenset(_opposites()[word] for word in asked if word in _opposites())
    for number in sorted(told.shared(asked | opposites)):
        said = told.stems[number]
        covered = len(asked & said) / len(asked)
        opposed = opposites & said
        is_opposed = bool(opposed) and covered + len(opposed) / len(asked) >= _COVERAGE
        if is_opposed:
            covered = _COVERAGE
        if covered >= _COVERAGE and (best is None or covered > best[0]):
            denied = is_opposed or _denies(told.sentences[number], asked)
            best = covered, "contradicted" if denied else "entailed"
    return best[1] if best else None


def _denies(sentence: str, asked: frozenset[str]) -> bool:
    """Whether a denial stands before the words that match, in the same part of the sentence."""
    for part in re.split(r"[,;:]|\b(?:but|however|although)\b", sentence):
        if _stems(part) & asked and _DENIALS.search(part):
            return True
    return False


@cache
def _opposites() -> dict[str, str]:
    return {stem(left): stem(right) for left, right in vocabulary().opposites.items()}


@cache_short(4096)
def _pairs(text: str) -> frozenset[str]:
    """Pairs of characters of a Chinese text, without those that measure."""
    runs = _MEASURES.sub(" ", text).split()
    return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))


@cache_short(4096)
def _stems(text: str) -> frozenset[str]:
    found = (word.replace("’", "'").lower() for word in _WORD.findall(text))
    return frozenset(
        stem(word) for word in found if word not in CONDITION_STOP_WORDS and not word.endswith("n't")
    )
