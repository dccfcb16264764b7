"""What a question asks for, before any table is looked at: its tokens, its cues, its numbers and dates."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from caveat.answerers.tables.lexicon import (
    Cue,
    OtherWords,
    Phrases,
    Relation,
    Superlative,
    Superlatives,
    lexicon,
)
from caveat.answerers.tables.tokens import Token, fold, is_han, parted, tokens
from caveat.core.languages import Language, language_of
from caveat.language.dates import MONTHS, PartialDate, dates_in
from caveat.language.packs.zh import CHINESE
from caveat.language.quantities import quantities_in

Span = tuple[int, int]

# What is said of a number stands this near to it, in characters.
_BEFORE = 40
_ASKING: tuple[Cue, ...] = ("count", "which")
# The second largest, 第二大.
_NTH = re.compile(r"(?:\b(second|third|fourth|fifth)[- ]|第([二三四五]))$")

_CAPITAL = re.compile(r"\b[A-ZÀ-Þ][^\W_]*")
_DECADE = re.compile(r"\d{3}0(?:'?s\b|年代)")
_VERB = "weigh"
# A shorter word with a capital letter may be a unit.
_SHORT_NAME = 3
# From one year to another.
_UNTIL = ("到", "至", "~", "～")
# The 1800s are a century, the 1900s mostly too; the 2000s are ten years.
_NO_DECADE = 2000


_BRACKETS = re.compile(r"[(（\[【][^()（）\[\]【】]+[)）\]】]")
# The most characters, or words, that are one name before its brackets.
_LONGEST_GLOSSED = 8


class Literal(NamedTuple):
    """A number or a date (or what may be either, such as 1998) in the question, with its span in the folded text."""

    number: float | None
    date: PartialDate | None
    unit: str
    start: int
    end: int


class Comparison(NamedTuple):
    """More than, before, at least …, and what is compared with; the span is that of the words and the number."""

    relation: Relation
    literal: Literal
    start: int
    end: int


class SuperlativeSpan(NamedTuple):
    """A superlative or comparative, with its span in the folded text; `rank` is 2 for the second largest."""

    meaning: Superlative
    start: int
    end: int
    rank: int = 1


class Phrase(NamedTuple):
    """Tokens [start, end) for which tables say something else."""

    start: int
    end: int
    others: tuple[OtherWords, ...]


class ParsedQuestion:
    """A question and all that its own words say."""

    def __init__(self, question: str) -> None:
        self.question = question
        parts = parted(question)
        self.text = fold(parts)
        # Folding may lengthen letters with accents; then no capital is told from its place.
        self._written = parts if len(parts) == len(self.text) else self.text
        self.tokens: list[Token] = tokens(self.text)
        self.language: Language = language_of(question)
        self._cues: dict[Cue, Span | None] = {}

    def cue(self, cue: Cue) -> Span | None:
        """Where the question says this; None where it does not."""
        if cue not in self._cues:
            found = lexicon().cues[cue].search(self.text)
            self._cues[cue] = found.span() if found else None
        return self._cues[cue]

    @cached_property
    def column_phrases(self) -> list[Phrase]:
        """Words for which columns are called something else."""
        return list(self._phrases(lexicon().column_words))

    @cached_property
    def cell_phrases(self) -> list[Phrase]:
        """Words for which cells say something else; of those inside of each other the longest."""
        found = sorted(self._phrases(lexicon().cell_words), key=lambda phrase: phrase.start - phrase.end)
        kept: list[Phrase] = []
        for phrase in found:
            if not any(other.start <= phrase.start and phrase.end <= other.end for other in kept):
                kept.append(phrase)
        return kept

    def _phrases(self, words: Phrases) -> Iterator[Phrase]:
        stems = tuple(token.stem for token in self.tokens)
        for start, first in enumerate(stems):
            for own, others in words.get(first, ()):
                end = start + len(own)
                if stems[start:end] == own and self._hangs_together(start, end):
                    yield Phrase(start, end, others)

    def _hangs_together(self, start: int, end: int) -> bool:
        """Whether Chinese characters stand side by side."""
        return not is_han(self.tokens[start].stem) or all(
            one.end == two.start for one, two in pairwise(self.tokens[start:end])
        )

    @cached_property
    def literals(self) -> list[Literal]:
        """Numbers and dates in their order; a date that has a number inside is one literal."""
        dates = [Literal(None, date, "", start, end) for date, start, end in dates_in(self.text)]
        numbers: list[Literal] = []
        none = [found.span() for found in lexicon().no_number.finditer(self.text)]
        for value, unit, start, end in quantities_in(self.text):
            if any(first <= start < last for first, last in none):
                continue
            index = bisect_right(dates, start, key=attrgetter("start")) - 1
            if index >= 0 and start < (date := dates[index]).end:
                if date.date is not None and not date.date.month:
                    dates[index] = date._replace(number=value, unit=unit)
            else:
                numbers.append(Literal(value, None, unit, start, end))
        return sorted(dates + numbers, key=attrgetter("start"))

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """The numbers and dates that something is compared with."""
        found: list[Comparison] = []
        between = self._between()
        for literal in self.literals:
            if between and literal in between:
                first = literal is between[0]
                found.append(
                    Comparison("at least" if first else "at most", literal, literal.start, literal.end)
                )
            elif (comparison := self._comparison(literal)) is not None:
                found.append(comparison)
            else:
                found += self._decade(literal)
        return found

    def _decade(self, literal: Literal) -> tuple[Comparison, ...]:
        """In the 1990s, in the 1800's: from the first of its years to the last."""
        years = literal.date
        written = _DECADE.match(self.text, literal.start)
        if years is None or written is None:
            return ()
        last = years.year + (99 if years.year % 100 == 0 and years.year < _NO_DECADE else 9)
        until = literal._replace(date=PartialDate(last), number=float(last))
        return (
            Comparison("at least", literal, literal.start, written.end()),
            Comparison("at most", until, literal.start, written.end()),
        )

    def _comparison(self, literal: Literal) -> Comparison | None:
        for pattern, relation in lexicon().before_number:
            if found := pattern.search(self.text, max(0, literal.start - _BEFORE), literal.start):
                return Comparison(relation, literal, found.start(), literal.end)
        for pattern, relation in lexicon().after_number:
            if found := pattern.match(self.text, literal.end):
                return Comparison(relation, literal, literal.start, found.end())
        return None

    def _between(self) -> tuple[Literal, Literal] | None:
        for first, second in zip(self.literals, self.literals[1:], strict=False):
            before = self.text[max(0, first.start - _BEFORE) : first.start].rstrip()
            middle = self.text[first.end : second.start].strip()
            if (
                (before.endswith(("between", "from")) and middle in ("and", "to", "-", "–", "through"))
                or (
                    middle.strip("年") in ("到", "至", "和", "与")
                    and self.text[second.end : second.end + _BEFORE].lstrip("年").startswith(("之间", "间"))
                )
                or (middle.strip("年") in _UNTIL and first.date is not None and second.date is not None)
            ):
                return first, second
        return None

    @cached_property
    def superlatives(self) -> list[SuperlativeSpan]:
        """Every largest, smallest, longest … in the question."""
        return self._found(lexicon().superlatives)

    @cached_property
    def comparative(self) -> SuperlativeSpan | None:
        """The larger, smaller, longer … of two, which is none where a number is compared with.

        What is compared may be said by a verb, and which of the two by another word: "weighs less".
        """
        found = self._found(lexicon().comparatives)
        told = [one for one in found if not self.text[one.start : one.end].startswith(_VERB)]
        return next(iter(told or found), None)

    def _found(self, patterns: Superlatives) -> list[SuperlativeSpan]:
        found: list[SuperlativeSpan] = []
        for pattern, meanings in patterns:
            for match in pattern.finditer(self.text):
                start, end = match.span(1)
                if any(comparison.start <= start < comparison.end for comparison in self.comparisons):
                    continue
                before = _NTH.search(self.text, 0, start)
                rank = lexicon().numbers.get(before[1] or before[2], 1) if before else 1
                start = before.start() if before else match.start() if match[0].startswith("最") else start
                found.append(SuperlativeSpan(meanings[match[1]], start, end, rank))
        return found

    @cached_property
    def order(self) -> tuple[bool, Span] | None:
        """Whether the last (True) or the first is asked for, and where it says so."""
        for pattern, last in lexicon().orders:
            if found := pattern.search(self.text):
                return last, found.span()
        return None

    @cached_property
    def any_order(self) -> tuple[bool, Span] | None:
        """The same where the words mostly say something else: the first team, the last season, the top title."""
        for pattern, last in lexicon().any_orders:
            if found := pattern.search(self.text):
                return last, found.span()
        return None

    @cached_property
    def placing(self) -> tuple[int, Span] | None:
        """The place in a ranking that is spoken of: 1 for "first place", "ranked first", 第一名."""
        for pattern in lexicon().placings:
            if found := pattern.search(self.text):
                word = found[1]
                number = lexicon().numbers.get(word) or int("".join(filter(str.isdecimal, word)) or 0)
                if number:
                    return number, found.span()
        return None

    @cached_property
    def top(self) -> tuple[int, Span] | None:
        """How many of the largest or smallest are asked for: the top 3, 最高的三个, which two have the largest; one
        alone is none.
        """
        for pattern in (*lexicon().tops, *(lexicon().several if self.superlatives else ())):
            for found in pattern.finditer(self.text):
                word = found[1]
                number = int(word) if word.isdecimal() else lexicon().numbers.get(word, 2)
                if number > 1:
                    return number, found.span()
        return None

    @cached_property
    def change(self) -> tuple[bool, Span] | None:
        """Whether something is said to have risen (True) or fallen, and where."""
        found = lexicon().changes.search(self.text)
        return (found[1] is not None, found.span()) if found else None

    @cached_property
    def names(self) -> frozenset[int]:
        """The tokens that are written as names are: with a capital letter inside, or in another script."""
        found = {fold(word[0]) for word in _CAPITAL.finditer(self.question) if word.start()}
        latin = self.language == CHINESE
        return frozenset(
            at
            for at, token in enumerate(self.tokens)
            if self.is_content(at)
            and any(map(str.isalpha, token.stem))
            and (
                self.text[token.start : token.end].removesuffix("'s") in found
                or (latin and not is_han(token.stem))
            )
        )

    @cached_property
    def proper_names(self) -> frozenset[int]:
        """Those of them that have a capital letter and then small ones, and are no months."""
        words = {at: self._written[token.start : token.end] for at, token in enumerate(self.tokens)}
        return frozenset(
            at
            for at in self.names
            if len(words[at]) > _SHORT_NAME and words[at].istitle() and words[at].lower() not in MONTHS
        )

    @cached_property
    def asked_nouns(self) -> frozenset[int]:
        """The tokens that say what the rows are: the noun after "how many" or "which", and one joined to it."""
        spans = [span for cue in _ASKING if (span := self.cue(cue))]
        if not spans or self.language == CHINESE:
            return frozenset()
        after = min(spans)[1]
        place = next((at for at, token in enumerate(self.tokens) if token.start >= after), len(self.tokens))
        found: set[int] = set()
        while place < len(self.tokens):
            end = place
            while end < len(self.tokens) and self.is_content(end):
                end += 1
            if end == place:
                break
            # A verb may follow: of "firms drive cars" the first is what is asked for, of "old firms are" the last.
            verb = end < len(self.tokens) and self.tokens[end].stem in lexicon().auxiliaries
            found.add(end - 1 if verb else place)
            if end == len(self.tokens) or self.tokens[end].stem not in ("and", "or"):
                break
            place = end + 1
        return frozenset(found)

    @cached_property
    def glosses(self) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
        """Tokens that brackets behind them say in another way, and those inside: 数据分析师（Data Analyst）."""
        return tuple(
            (said, inside)
            for found in _BRACKETS.finditer(self.text)
            if (inside := self._tokens_in(found.start(), found.end()))
            and (said := self._said_before(min(inside)))
        )

    def _said_before(self, place: int) -> frozenset[int]:
        """The name that ends before a token: a run of Chinese characters but those of other names, or names and one
        word more in other scripts.
        """
        known = {
            at
            for phrase in self.cell_phrases
            if phrase.end != place
            for at in range(phrase.start, phrase.end)
        }
        known |= {
            at
            for phrase in self.column_phrases
            if phrase.end != place
            for at in range(phrase.start, phrase.end)
        }
        found: list[int] = []
        for at in range(place - 1, max(-1, place - 1 - _LONGEST_GLOSSED), -1):
            han = is_han(self.tokens[at].stem)
            apart = found and han != is_han(self.tokens[found[-1]].stem)
            if (
                apart
                or at in known
                or not self.is_content(at)
                or (found and not han and at not in self.names)
            ):
                break
            found.append(at)
        return frozenset(found)

    def _tokens_in(self, start: int, end: int) -> frozenset[int]:
        return frozenset(
            at for at, token in enumerate(self.tokens) if start <= token.start and token.end <= end
        )

    @cached_property
    def of_the_table(self) -> frozenset[int]:
        """The tokens that speak of the table itself: in this list, 表里."""
        spans = (found.span() for found in lexicon().table_itself.finditer(self.text))
        return frozenset().union(*(self._tokens_in(*span) for span in spans))

    def with_said_again(self, explained: frozenset[int]) -> frozenset[int]:
        """The explained tokens, with those that say the same beside them, and those of the table itself."""
        more = explained | self.of_the_table
        for said, inside in self.glosses:
            if not inside.isdisjoint(explained):
                more |= said
            elif not said.isdisjoint(explained):
                more |= inside
        return more

    def is_content(self, index: int) -> bool:
        """Whether the token at an index says something about what is meant; IT does, and it does not."""
        token = self.tokens[index]
        if token.stem not in lexicon().stop_words:
            return True
        word = self._written[token.start : token.end]
        return len(word) > 1 and word.isupper() and word.isascii() and not self._written.isupper()

    @cached_property
    def terms(self) -> list[str]:
        """What is searched for: stems that say something, Chinese characters and pairs of them; each once."""
        return self.terms_in(0, len(self.tokens))

    @cached_property
    def asking_terms(self) -> frozenset[str]:
        """Those of them that only say what to do: how many, the largest, 多少."""
        spans = [span for cue in lexicon().cues if (span := self.cue(cue))]
        spans += [(found.start, found.end) for found in self.superlatives]
        spans += [self.top[1]] if self.top else []
        spans += [self.order[1]] if self.order else []
        spans += [(c.start, c.literal.start) for c in self.comparisons if c.start < c.literal.start]
        spans += [(c.literal.end, c.end) for c in self.comparisons if c.literal.end < c.end]
        inside = {
            at
            for at, token in enumerate(self.tokens)
            if any(start <= token.start and token.end <= end for start, end in spans)
        }
        outside = {
            term for at in range(len(self.tokens)) if at not in inside for term in self.terms_in(at, at + 1)
        }
        pairs = {
            term
            for at in range(len(self.tokens) - 1)
            if at in inside or at + 1 in inside
            for term in self.terms_in(at, at + 2)
            if len(term) == 2
        }
        return frozenset(pairs | {term for at in inside for term in self.terms_in(at, at + 1)} - outside)

    def terms_in(self, start: int, end: int) -> list[str]:
        """What is searched for of the tokens [start, end)."""
        found: dict[str, None] = {}
        before: Token | None = None
        for index, token in enumerate(self.tokens[start:end], start):
            han = is_han(token.stem)
            if self.is_content(index):
                found[token.stem] = None
            if han and before is not None and before.end == token.start and is_han(before.stem):
                found[before.stem + token.stem] = None
            before = token
        return list(found)
