"""The words in which questions say what to do with a table, in English and Chinese: lexicon.toml as patterns.

The patterns are for folded text (`tokens.fold`). Lists of words are in the file; what is not a list is here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, NamedTuple

import msgspec

from caveat.answerers.tables.tokens import stem, stems_of
from caveat.language.tokens import STOP_WORDS

Relation = Literal["more", "less", "at least", "at most"]
Cue = Literal[
    "count", "sum", "average", "difference", "different", "who", "when", "where", "how much", "which", "how long",
    "except", "same", "yes or no", "exists", "negation", "in a row", "next", "previous", "both", "or", "other",
    "ratio or change",
]  # fmt: skip

# "No more than" is looked for before "more than".
_RELATIONS: tuple[Relation, ...] = ("at most", "at least", "more", "less")
# The file of a language's folder.
_TABLE_WORDS = "table_words.toml"
# Between a number and what stands after it.
_UNIT = r"[^\d,.;?!，。？]{0,4}?"


class Superlative(NamedTuple):
    """Which end of a column is meant, and the stems of the columns that it usually is about."""

    largest: bool
    about: tuple[str, ...] = ()
    # Columns in which the other end is meant: the fastest has the least time, the oldest the earliest year.
    reversed_in: tuple[str, ...] = ()


Superlatives = tuple[tuple[re.Pattern[str], dict[str, Superlative]], ...]
"""Patterns whose first group is the word, and what the words mean."""


class _SuperlativeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    words: tuple[str, ...]
    largest: bool
    about: tuple[str, ...] = ()
    reversed_in: tuple[str, ...] = ()


class _Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    first: tuple[str, ...]
    last: tuple[str, ...]


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says of one language."""

    cues: dict[Cue, tuple[str, ...]]
    order: _Order
    before_number: dict[Relation, tuple[str, ...]]
    after_number: dict[Relation, tuple[str, ...]]
    parts: dict[str, tuple[str, ...]]
    superlatives: tuple[_SuperlativeWords, ...]
    columns: dict[str, tuple[str, ...]]


class _Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ordinals: tuple[str, ...]
    cardinals: tuple[str, ...]
    chinese: tuple[str, ...]


class _Flags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    yes: frozenset[str]
    no: frozenset[str]
    opposite: frozenset[str]
    negated: tuple[str, ...]
    negated_chinese: tuple[str, ...]


class _Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    up: tuple[str, ...]
    down: tuple[str, ...]
    up_chinese: tuple[str, ...]
    down_chinese: tuple[str, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    en: _Words
    zh: _Words
    flags: _Flags
    changes: _Changes
    numbers: _Numbers
    comparatives: dict[str, str]
    synonyms: dict[str, tuple[str, ...]]
    cells: dict[str, tuple[str, ...]]


class _TableWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """table_words.toml of a language: words of questions, and what columns are called or cells say for them."""

    columns: dict[str, tuple[str, ...]] = {}
    cells: dict[str, tuple[str, ...]] = {}


class OtherWords(NamedTuple):
    """What tables say for some words, as stems, the most usual first; `translated` where that is another language."""

    stems: tuple[str, ...]
    translated: bool


Phrases = Mapping[str, tuple[tuple[tuple[str, ...], tuple[OtherWords, ...]], ...]]
"""Words of questions by the first of their stems, the longest first, each with what tables say for them."""


class Lexicon:
    """The words of the file; each group is made a pattern when it is first needed."""

    def __init__(self, words: _File, more: Iterable[_TableWords] = ()) -> None:
        self._file = words
        self._en, self._zh = words.en, words.zh
        self._more = tuple(more)

    @cached_property
    def column_words(self) -> Phrases:
        """Words of questions, and what columns are called that they ask about, in any language."""
        return _phrases(words.columns for words in self._more)

    @cached_property
    def cell_words(self) -> Phrases:
        """Words of questions, and what cells say for them, in any language."""
        return _phrases(words.cells for words in self._more)

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """Stems that say nothing about which table, row or column is meant."""
        return frozenset(map(stem, STOP_WORDS))

    @cached_property
    def auxiliaries(self) -> frozenset[str]:
        """Stems of the verbs that stand between a question's word and what it asks about."""
        return frozenset(map(stem, self._en.parts["auxiliaries"]))

    @cached_property
    def endings(self) -> frozenset[str]:
        """Endings that make of a column's name another word for the same."""
        return frozenset(self._en.parts["endings"])

    @cached_property
    def columns(self) -> Mapping[str, tuple[str, ...]]:
        """Stems, and Chinese words, that columns of a sort have in their names."""
        en, zh = self._en.columns, self._zh.columns
        return {sort: _stems((*words, *zh.get(sort, ()))) for sort, words in en.items()}

    @cached_property
    def dates(self) -> frozenset[str]:
        """Stems that columns of dates have in their names."""
        return frozenset(self.columns["dates"])

    @cached_property
    def synonyms(self) -> Mapping[str, tuple[str, ...]]:
        """For the stems of a question's words the stems of columns that they may ask about."""
        found: dict[str, tuple[str, ...]] = {}
        for word, others in self._file.synonyms.items():
            # people and person have one stem
            found[stem(word)] = (*found.get(stem(word), ()), *_stems(others))
        return found

    @cached_property
    def cells(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """For the words of a question the stems of what cells may say for them."""
        return {
            word: tuple(tuple(map(stem, other.split())) for other in others)
            for word, others in self._file.cells.items()
        }

    @cached_property
    def cues(self) -> Mapping[Cue, re.Pattern[str]]:
        """What a question says is to be done, and the kind of thing that it asks for."""
        cues = {*self._en.cues, *self._zh.cues, *self._cue_patterns}
        return {cue: re.compile("|".join(self._cue(cue))) for cue in cues}

    def _cue(self, cue: Cue) -> Iterable[str]:
        if words := self._en.cues.get(cue):
            at_once = f"(?:{self._any('at_once')} )?" if cue in ("next", "previous") else ""
            yield rf"\b{at_once}{_any(words)}\b"
        if words := self._zh.cues.get(cue):
            yield _any(words)
        yield from self._cue_patterns.get(cue, ())

    @cached_property
    def _cue_patterns(self) -> dict[Cue, tuple[str, ...]]:
        counters = f"[{''.join(self._zh.parts['counters'])}]"
        return {
            "count": (
                r"\bhow many?\b(?! (?:more|fewer|less)\b.*\bthan\b)",
                f"(?:有|共|总共|一共)?(?:多少|几){counters}|有多少",
            ),
            "sum": (f"总(?!{_any(self._zh.parts['not_sum'])})",),
            "difference": (
                rf"\bhow (?:many|much) (?:{self._any('larger')}|{self._any('smaller')})\b(?=.*\bthan\b)",
                rf"\bhow (?:many|much) \w+ (?:{self._any('larger')}|{self._any('smaller')}) "
                rf"{_any(self._en.parts['auxiliaries'])}\b(?=.*\bthan\b)",
                r"\bhow (?:much|many)\b(?=.*\bseparates?\b)",
                "比(?=.{1,30}?[多高大长重少低贵快早晚远].{0,3}?(?:多少|几))",
                rf"\bhow (?:much|many)\b(?=.*\b{_any((*self._file.changes.up, *self._file.changes.down))}\b)",
                f"{_any((*self._file.changes.up_chinese, *self._file.changes.down_chinese, '输', '赢'))}了?(?:多少|几)",
            ),
            "where": (
                "在哪(?!个|些|家|位|座|一)",
                f"{_any(self._zh.parts['situated'])}(?:哪(?:一?[个座]|一)?|什么|何){_any(self._zh.parts['places'])}",
            ),
            "how much": (f"多少(?!{counters})", "多[高长重远大深宽快]"),
            # "In the list" and "the name" ask for nothing.
            "which": (
                r"(?<!\bthe )(?<!\bthis )(?<!\ba )(?<!\bwhole )(?<!\bentire )(?<!\bfull )\b(?:name|list)\b",
            ),
            "except": ("除(?=[^以])",),
            "yes or no": (rf"^{self._any('yes_or_no')}\b", r"吗\W*$"),
            "negation": ("(?<!是)不(?!同|少|超|低|高|大|小|多|到|足|止)|没有?|未(?!满|知)",),
        }

    def _any(self, part: str) -> str:
        return _any(self._en.parts[part])

    @cached_property
    def orders(self) -> tuple[tuple[re.Pattern[str], bool], ...]:
        """The end of the table, or of time where the table has dates; True is the last."""
        en, zh = self._en.order, self._zh.order
        counters = "".join(self._zh.parts["first"])
        first = rf"\b{_any(en.first)}\b(?! {self._any('not_first')})|{_any(zh.first)}|第一(?=[{counters}])"
        last = rf"\b{_any(en.last)}\b(?! {self._any('not_last')})|{_any(zh.last)}"
        return (re.compile(first), False), (re.compile(last), True)

    @cached_property
    def any_orders(self) -> tuple[tuple[re.Pattern[str], bool], ...]:
        """Words that may say the same."""
        en = self._en.order
        return (
            (re.compile(rf"\b(?:{_any(en.first)}|top|original)\b"), False),
            (re.compile(rf"\b(?:{_any(en.last)}|bottom)\b"), True),
        )

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Ordinals and other words for numbers, from 1 to 10."""
        numbers = self._file.numbers
        return {
            word: number
            for words in (numbers.ordinals, numbers.cardinals, numbers.chinese)
            for number, word in enumerate(words, 1)
        }

    @cached_property
    def ordinals(self) -> Mapping[str, int]:
        """First, second, 1st …, from 1 to 10."""
        words = {word: number for number, word in enumerate(self._file.numbers.ordinals, 1)}
        ends = {1: "st", 2: "nd", 3: "rd"}
        return words | {f"{number}{ends.get(number, 'th')}": number for number in range(1, 11)}

    @cached_property
    def placings(self) -> tuple[re.Pattern[str], ...]:
        """A place in a ranking, whose number is the first group."""
        numbers = self._file.numbers
        ordinals, chinese = "|".join(numbers.ordinals), "".join(numbers.chinese)
        words = f"{ordinals}|{'|'.join(numbers.cardinals)}"
        return (
            re.compile(
                rf"\b{self._any('placing')} (?:in |at |as |the |of )*"
                rf"({words}|#?\d+(?:st|nd|rd|th)?)\b(?! (?:to|or|through)\b)"
            ),
            re.compile(rf"\b({ordinals}|\d+(?:st|nd|rd|th))[- ]{self._any('placed')}\b"),
            re.compile(rf"第([{chinese}]|\d+)[名位]"),
        )

    @cached_property
    def before_number(self) -> tuple[tuple[re.Pattern[str], Relation], ...]:
        """What stands before a number; what it says of a date is the same."""
        larger, smaller = self._any("larger"), self._any("smaller")
        # "Did not score more than": the verb stands between.
        no = rf"\b(?:no|{self._any('not_in')})(?: {self._any('won')})?"
        than = {
            "at most": rf"{no} {larger} (?:than|then)",
            "at least": rf"{no} {smaller} (?:than|then)",
            "more": rf"\b{larger} (?:than|then)",
            "less": rf"\b{smaller} (?:than|then)",
        }
        between = rf"\s*(?:(?:{self._any('before_number')}|\$)\s+)*$"

        def pattern(relation: Relation) -> str:
            en, zh = _any(self._en.before_number[relation]), _any(self._zh.before_number[relation])
            return rf"(?:{than[relation]}|\b{en}|{zh}){between}"

        return tuple((re.compile(pattern(relation)), relation) for relation in _RELATIONS)

    @cached_property
    def after_number(self) -> tuple[tuple[re.Pattern[str], Relation], ...]:
        """What stands after a number and its unit."""
        en = (
            (rf"\s?[^\W\d]{{0,12}}? ?\b{_any(w)}\b", relation)
            for relation, w in self._en.after_number.items()
        )
        zh = ((_UNIT + _any(w), relation) for relation, w in self._zh.after_number.items())
        return tuple((re.compile(pattern), relation) for pattern, relation in (*en, *zh))

    @cached_property
    def excluding(self) -> re.Pattern[str]:
        """What stands before a text that rows must not have …"""
        between = rf"(?: (?:{self._any('between_excluding')}|\W))*"
        zh = _any(self._zh.parts["excluding"])
        return re.compile(rf"(?:\b{self._any('excluding')}{between}|{zh})\W*$")

    @cached_property
    def not_in(self) -> re.Pattern[str]:
        """… the same with the name of the column between …"""
        return re.compile(rf"\b{self._any('not_in')}\b(?: \w+){{0,5}}\W*$")

    @cached_property
    def none_of(self) -> re.Pattern[str]:
        """… and before a column that must be empty or 0."""
        never = rf"{self._any('never')} {self._any('won')}(?: an?| any)?"
        zh = _any(self._zh.parts["none_of"])
        return re.compile(rf"(?:\b(?:{self._any('none_of')}|{never})|{zh})\W*$")

    @cached_property
    def superlatives(self) -> Superlatives:
        """Words for the largest and the smallest."""
        en, zh = self._meanings
        most = [word for word in en if word.startswith(("most", "least"))]
        # "At most" and "at the least" compare with a number.
        words = rf"(?<!at )(?<!at the ){_any(most)}|{_any(word for word in en if word not in most)}"
        return (re.compile(rf"\b({words})\b"), en), (re.compile(f"(?:最|第[二三四五])({_any(zh)})"), zh)

    @cached_property
    def comparatives(self) -> Superlatives:
        """Words for the larger and the smaller of two."""
        en, zh = self._meanings
        regular = {
            word.removesuffix("est") + "er": word for word in en if word.endswith("est") and word != "best"
        }
        words = {word: en[most] for word, most in (regular | self._file.comparatives).items()}
        above, below = self._zh.parts["above"], self._zh.parts["below"]
        than = dict.fromkeys(above, Superlative(True)) | dict.fromkeys(below, Superlative(False))
        return (
            (re.compile(rf"\b({_any(words)})\b"), words),
            # 比赛 and 比分 compare nothing.
            (re.compile(rf"(?:更|比较|较|比[^赛分例].{{0,20}}?)({_any(zh)})"), zh),
            (re.compile(rf"({_any(zh)})于"), zh),
            (
                re.compile(
                    rf"{_any(self._zh.parts['which_of_two'])}[^，。？?]{{0,12}}?({_any(zh)})(?:一些|一点)?\W*$"
                ),
                zh,
            ),
            (re.compile(f"({_any((*above, *below))})"), than),
        )

    @cached_property
    def negated_flag(self) -> re.Pattern[str]:
        """What stands before the name of a column that says yes or no, where no is meant."""
        flags = self._file.flags
        return re.compile(
            rf"(?:\b{_any(flags.negated)}\b[\w\s'-]{{0,12}}|{_any(flags.negated_chinese)}[^，。,]?)$"
        )

    @cached_property
    def opposites(self) -> frozenset[str]:
        """Words for a column that says yes or no, where no is meant."""
        return self._file.flags.opposite

    @cached_property
    def containing(self) -> re.Pattern[str]:
        """What stands before a text that cells have in them, beside other words."""
        en, zh = self._en.parts["containing"], self._zh.parts["containing"]
        return re.compile(rf"(?:\b{_any(en)}|{_any(zh)})[\s\"'“‘「(（:]*$")

    @cached_property
    def of_years(self) -> frozenset[str]:
        """What stands beside the number of a year."""
        return frozenset((*self._zh.parts["of_years"], *self._en.parts["of_years"]))

    @cached_property
    def no_number(self) -> re.Pattern[str]:
        """What begins with a numeral and is no number: 一共, 哪一个."""
        return re.compile(_any(self._zh.parts["no_number"]))

    @cached_property
    def table_itself(self) -> re.Pattern[str]:
        """What speaks of the table itself: in the list, 表里."""
        en, zh = self._en.parts["table_itself"], self._zh.parts["table_itself"]
        return re.compile(rf"\b{_any(en)}\b|{_any(zh)}")

    @cached_property
    def share(self) -> re.Pattern[str]:
        """What asks for a share, which a column may have."""
        en, zh = self._en.parts["share"], self._zh.parts["share"]
        return re.compile(rf"\b{_any(en)}\b|{_any(zh)}")

    @cached_property
    def yes_cells(self) -> frozenset[str]:
        """What cells say for yes."""
        return self._file.flags.yes

    @cached_property
    def no_cells(self) -> frozenset[str]:
        """What cells say for no."""
        return self._file.flags.no

    @cached_property
    def changes(self) -> re.Pattern[str]:
        """What went up, which is the first group, or down."""
        words = self._file.changes
        up = rf"\b{_any(words.up)}\b|{_any(words.up_chinese)}"
        down = rf"\b{_any(words.down)}\b|{_any(words.down_chinese)}"
        return re.compile(rf"({up})|{down}")

    @cached_property
    def tops(self) -> tuple[re.Pattern[str], ...]:
        """So many of the largest or smallest; the number is the first group."""
        numbers = self._file.numbers
        number = rf"(\d{{1,3}}|{'|'.join(numbers.cardinals)})"
        chinese = rf"(\d{{1,3}}|[{''.join(numbers.chinese)}两])"
        most = _any(word for word in self._meanings[0] if " " not in word)
        counters = "".join(self._zh.parts["counters"])
        return (
            re.compile(rf"\b(?:top|bottom|first|last) {number}\b"),
            re.compile(rf"\b{number} (?:\w+ )?{most}\b"),
            re.compile(rf"\b{most} {number}\b"),
            re.compile(rf"[前后]{chinese}(?=[{counters}大的]|$|是|有|分|\W)"),
            re.compile(rf"最.{{1,4}}?的?{chinese}[{counters}]"),
        )

    @cached_property
    def several(self) -> tuple[re.Pattern[str], ...]:
        """So many things that are asked for, whatever is said of them: which two offices, 哪两家; the number is the
        first group.
        """
        numbers = self._file.numbers
        number = rf"(\d{{1,2}}|{'|'.join(numbers.cardinals)})"
        chinese = rf"(\d{{1,2}}|[{''.join(numbers.chinese)}两])"
        counters = "".join(self._zh.parts["counters"])
        plural = r"(?:[^\W\d_]+[^\W\d_su]s|people|men|women|children)"
        return (
            re.compile(
                rf"\b(?:which|what|name|list|give|show|the) (?:me )?(?:the )?{number} (?:\w+ )?{plural}\b"
            ),
            re.compile(rf"哪{chinese}[{counters}]"),
        )

    @cached_property
    def _meanings(self) -> tuple[dict[str, Superlative], dict[str, Superlative]]:
        en, zh = (
            {word: self._superlative(some) for some in words.superlatives for word in some.words}
            for words in (self._en, self._zh)
        )
        return en, zh

    def _superlative(self, words: _SuperlativeWords) -> Superlative:
        about, reversed_in = (
            tuple(stem for sort in sorts for stem in self.columns[sort])
            for sorts in (words.about, words.reversed_in)
        )
        return Superlative(words.largest, about, reversed_in)


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the package, read once."""
    text = (files("caveat.answerers.tables") / "lexicon.toml").read_text(encoding="utf-8")
    return Lexicon(msgspec.convert(tomllib.loads(text), _File), _table_words())


def _table_words() -> Iterable[_TableWords]:
    """The words of tables of every language that has a list of them."""
    for pack in sorted((files("caveat.language") / "packs").iterdir(), key=lambda pack: pack.name):
        if (words := pack / _TABLE_WORDS).is_file():
            yield msgspec.convert(tomllib.loads(words.read_text(encoding="utf-8")), _TableWords)


def _phrases(lists: Iterable[Mapping[str, tuple[str, ...]]]) -> Phrases:
    found: dict[tuple[str, ...], dict[OtherWords, None]] = {}
    reverse: list[tuple[tuple[str, ...], OtherWords]] = []
    for words in lists:
        for word, others in words.items():
            own = stems_of(word)
            for other in others:
                translated = word.isascii() != other.isascii()
                found.setdefault(own, {})[OtherWords(stems_of(other), translated)] = None
                if translated:
                    reverse.append((stems_of(other), OtherWords(own, True)))
    for own, other_words in reverse:
        found.setdefault(own, {})[other_words] = None
    by_first: dict[str, list[tuple[tuple[str, ...], tuple[OtherWords, ...]]]] = {}
    for own, said in sorted(found.items(), key=lambda pair: -len(pair[0])):
        by_first.setdefault(own[0], []).append((own, tuple(said)))
    return {first: tuple(phrases) for first, phrases in by_first.items()}


def _stems(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(stem, words))


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first."""
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"
