"""Parallel cases of a text ("3 to 15 years: 6 hours", 满1年不满10年的，5天), and the one that the asker is in.

A reader knows nothing of what the asker says of themselves: of cases side by side it finds any. What the asker measures
(fifteen years, grade eight) is compared with the band that each case is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from caveat.core.languages import HAN
from caveat.core.records import Document, Question
from caveat.language.intervals import Interval, intervals_in
from caveat.language.quantities import quantities_in
from caveat.language.question import asks_for_quantity, fits_question
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice
from caveat.sources.outline import element_at, headings_at, lists_of
from caveat.sources.plain_text import trimmed

Span = tuple[int, int]

# Where clauses side by side are parted: first sentences and what semicolons part, then what commas part as well.
_PARTED = (re.compile(r"[；;。！？\n]+|[.!?]\s+"), re.compile(r"[；;。！？\n，、]+|[.!?,]\s+"))
_SEMICOLONS = re.compile("[；;]+")
_SAID = re.compile(r"[^，。；！？;!?\n]+")
# "A week" is how long something is after these words only.
_ONE = re.compile(r"an?\b", re.IGNORECASE)
_HOW_LONG = re.compile(
    r"\b(?:for|after|about|over|under|than|only|just|nearly|almost|is|was|of|within|least|most)\s$",
    re.IGNORECASE,
)
# What stands between a band and what is said of it.
_BEFORE_BAND = re.compile(r"(?<=\w)[,\s]+(?:if|when|where|for)\b[^,;]*$")
_AFTER_BAND = re.compile(r"[^，：:,|]{0,40}[，：:,|]\s*")
_RUN = re.compile(rf"[{HAN}]+")
# The share of a case's own words that the asker must say.
_TELLING = 1 / 3
# An element as long as a book is no list of cases.
_LONGEST = 4000


class Case(NamedTuple):
    """A clause, an item of a list or a row of a table, and the band that it is for, if it is for one."""

    start: int
    end: int
    band: Interval | None


class Cases(NamedTuple):
    """The choices, those of the asker's own case cut to it; which are in it, which in another; and where it stands."""

    choices: tuple[Choice, ...]
    inside: tuple[Choice, ...] = ()
    beside: tuple[Choice, ...] = ()
    own: tuple[tuple[int, Case], ...] = ()

    def features(self, choice: Choice) -> dict[str, float]:
        """What is known of a choice: that it stands in the asker's own case, or in that of others."""
        if choice in self.inside:
            return {"span: own case": 1.0}
        return {"span: case of others": 1.0} if choice in self.beside else {}


def case_at(cases: Sequence[tuple[int, Case]], number: int, offset: int) -> Case | None:
    """The asker's own case that has a place, if one does."""
    for source, case in cases:
        if source == number and case.start <= offset < case.end:
            return case
    return None


class _Fact(NamedTuple):
    """A measure that the asker gives, and the words beside it."""

    measure: Interval
    words: frozenset[str]


class _Group(NamedTuple):
    """Cases side by side in a document, the one that the asker is in, if any, and the choices that stand in them."""

    number: int
    cases: tuple[Case, ...]
    own: Case | None
    choices: list[Choice]


def in_cases(question: Question, documents: Sequence[Document], choices: Sequence[Choice]) -> Cases:
    """Which of the choices stand in cases side by side, and in which of them the asker is.

    What the asker's own case says in the place of a choice from another case is a choice too.
    """
    facts, told = _facts(question), _words(question.scenario) - _words(question.text)
    if not facts and not told:
        return Cases(tuple(choices))
    groups: dict[tuple[int, int, int], _Group] = {}
    others: list[Choice] = []
    quantity = asks_for_quantity(question.text)
    for choice in choices:
        group = _group(choice, documents, facts, quantity)
        if group is None and quantity:
            group = _told_group(choice, documents, told)
        if group is None:
            others.append(choice)
        else:
            key = group.number, group.cases[0].start, group.cases[-1].end
            groups.setdefault(key, group).choices.append(choice)
    inside: list[Choice] = []
    beside: list[Choice] = []
    own: list[tuple[int, Case]] = []
    for group in groups.values():
        if group.own is None:
            beside += group.choices
            continue
        mine = _chosen(group, group.own, documents[group.number], question.text)
        inside.append(mine)
        own.append((group.number, group.own))
        first = mine.places[0][1]
        beside += (each for each in group.choices if not _overlap(each.places[0][1], first))
    every = (*inside, *others, *beside)
    return Cases(every, tuple(inside), tuple(beside), tuple(own))


def _facts(question: Question) -> list[_Fact]:
    """What the asker measures in the scenario, or else in the question."""
    for text in (question.scenario, question.text):
        facts = [
            _Fact(measure, _words(said.group()))
            for said in _SAID.finditer(text)
            for measure in intervals_in(said.group())
            if not _is_rate(said.group(), measure.start)
        ]
        if facts:
            return facts
    return []


def _is_rate(text: str, start: int) -> bool:
    """Whether a measure is what something is counted by: "30 hours a week"."""
    return _ONE.match(text, start) is not None and _HOW_LONG.search(text, 0, start) is None


def _words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about; in Chinese pairs of characters."""
    pairs = (run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1))
    words = (word for word in tokens(text) if word.isascii() and word.isalpha() and len(word) > 2)
    return frozenset((*pairs, *words)) - STOP_TOKENS


def _group(
    choice: Choice, documents: Sequence[Document], facts: Sequence[_Fact], quantity: bool
) -> _Group | None:
    """The cases that a choice stands in, with the asker's own where one of the facts tells it."""
    number, best = choice.places[0]
    document = documents[number]
    for dimension in dict.fromkeys(fact.measure.dimension for fact in facts):
        cases = cases_at(document, best.start, dimension, quantity=quantity)
        if not cases:
            continue
        context = _words(_context(document, cases))
        spoken = [(len(fact.words & context), fact) for fact in facts if fact.measure.dimension == dimension]
        most = max(shared for shared, _ in spoken)
        if not most:
            continue
        own = {_own(cases, fact.measure) for shared, fact in spoken if shared == most}
        if len(own) == 1:
            return _Group(number, cases, own.pop(), [])
    return None


def _told_group(choice: Choice, documents: Sequence[Document], told: frozenset[str]) -> _Group | None:
    """The quantities side by side that a choice stands in, where the asker's words are those of one case alone."""
    number, best = choice.places[0]
    document = documents[number]
    for units in _units(document, best.start, (_SEMICOLONS,)):
        here = next((at for at, (start, end) in enumerate(units) if start <= best.start < end), None)
        if here is None:
            continue
        has_value = [bool(_values(document.text, unit, None)) for unit in units]
        first = last = here
        while first and has_value[first - 1]:
            first -= 1
        while last + 1 < len(units) and has_value[last + 1]:
            last += 1
        run = units[first : last + 1]
        if not has_value[here] or len(run) < 2 or not _are_parallel(document.text, run):
            continue
        said = [_words(document.text[start:end]) for start, end in run]
        met = [
            unit
            for at, unit in enumerate(run)
            if _tells(told, said[at] - frozenset().union(*said[:at], *said[at + 1 :]))
        ]
        if len(met) == 1:
            cases = tuple(Case(start, end, None) for start, end in run)
            return _Group(number, cases, Case(*met[0], None), [])
    return None


def _tells(told: frozenset[str], own: frozenset[str]) -> bool:
    return len(told & own) >= _TELLING * len(own) > 0


def _own(cases: Sequence[Case], measure: Interval) -> Case | None:
    """The one case whose band has all of what is measured."""
    met = [
        case
        for case in cases
        if case.band is not None
        and case.band.periodic == measure.periodic
        and case.band.low <= measure.low
        and measure.high <= case.band.high
    ]
    # "Between 3 and 15 years" and "15+ years": the later one begins where the other ends.
    return max(met, key=lambda case: case.band.low if case.band else 0.0, default=None)


def _context(document: Document, cases: Sequence[Case]) -> str:
    """The cases with the element before them, which may introduce them, and the headings over them."""
    at = element_at(document, cases[0].start)
    before = document.elements[at - 1].text if at else ""
    headings = headings_at(document, cases[0].start)
    return " ".join((*headings, before, document.text[cases[0].start : cases[-1].end]))


def cases_at(document: Document, offset: int, dimension: str, *, quantity: bool) -> tuple[Case, ...]:
    """The cases side by side around a place, each for a band of this dimension of its own; none where there are none.

    Where a `quantity` is asked for, each case has another number beside its band.
    """
    for units in _units(document, offset):
        here = next((at for at, (start, end) in enumerate(units) if start <= offset < end), None)
        if here is None:
            continue
        for last in (False, True):
            bands = [_band(document.text, unit, dimension, last=last, quantity=quantity) for unit in units]
            run = _run(bands, here)
            if len(run) > 1 and _are_parallel(document.text, [units[at] for at in run]):
                return tuple(Case(*units[at], band) for at in run if (band := bands[at]) is not None)
    return ()


def _units(
    document: Document, offset: int, parting: Sequence[re.Pattern[str]] = _PARTED
) -> Iterator[list[Span]]:
    """What may be cases side by side: the items of a list or the rows of a table, the clauses of an element."""
    elements = document.elements
    at = element_at(document, offset)
    if at is None:
        start = document.text.rfind("\n", 0, offset) + 1
        stop = document.text.find("\n", offset)
        element = start, len(document.text) if stop < 0 else stop
    else:
        element = elements[at].start, elements[at].end
        if elements[at].tag == "li":
            items = next((each.items for each in lists_of(document) if at in each.items), ())
            yield [(elements[item].start, elements[item].end) for item in items]
        elif elements[at].tag == "tr":
            yield [(each.start, each.end) for each in elements if each.tag == "tr"]
    if element[1] - element[0] <= _LONGEST:
        for parted in parting:
            yield _parts(document.text, *element, parted)


def _parts(text: str, start: int, end: int, parted: re.Pattern[str]) -> list[Span]:
    edges = [start, *(edge for found in parted.finditer(text, start, end) for edge in found.span()), end]
    spans = (trimmed(text, *span) for span in zip(edges[::2], edges[1::2], strict=True))
    return [span for span in spans if span[0] < span[1]]


def _band(text: str, unit: Span, dimension: str, *, last: bool, quantity: bool) -> Interval | None:
    """The first or the last measure of this dimension in a unit, where the unit says more than that."""
    start, end = unit
    found = [each for each in intervals_in(text[start:end]) if each.dimension == dimension]
    if not found:
        return None
    band = found[-1 if last else 0]
    band = band._replace(start=start + band.start, end=start + band.end)
    said = bool(_values(text, unit, band)) if quantity else band.low < band.high or dimension == "grade"
    return band if said else None


def _run(bands: Sequence[Interval | None], here: int) -> range:
    """The units around one of them that have bands which do not overlap."""
    first = last = here
    if bands[here] is None:
        return range(here, here)
    while first and _apart(bands[first - 1], bands[first : last + 1]):
        first -= 1
    while last + 1 < len(bands) and _apart(bands[last + 1], bands[first : last + 1]):
        last += 1
    return range(first, last + 1)


def _apart(band: Interval | None, others: Sequence[Interval | None]) -> bool:
    if band is None:
        return False
    return all(
        other is not None and (band.high <= other.low or other.high <= band.low) and band[1:3] != other[1:3]
        for other in others
    )


def _are_parallel(text: str, units: Sequence[Span]) -> bool:
    """Whether each says something of what the one before it says: sentences with numbers in a row are no cases."""
    said = [_words(text[start:end]) for start, end in units]
    return all(one & next_ for one, next_ in pairwise(said))


def _values(text: str, unit: Span, band: Interval | None) -> list[Span]:
    """The quantities of a unit beside its band, with their units of measure."""
    start, end = unit
    piece = text[start:end]
    found = [(start + each.start, start + each.end) for each in intervals_in(piece)]
    for each in quantities_in(piece):
        first, last = start + each.start, start + each.end
        if not any(a < last and first < b for a, b in found):
            found.append((first, last))
    return sorted(span for span in found if band is None or span[1] <= band.start or band.end <= span[0])


def _chosen(group: _Group, own: Case, document: Document, question: str) -> Choice:
    """What the choices of a group come to: the best one of the asker's own case, or what stands there in its place."""
    best = group.choices[0]
    mine = [
        choice
        for choice in group.choices
        if own.start <= choice.places[0][1].start < own.end
        and (own.band is None or not _overlap(choice.places[0][1], own.band))
        and fits_question(question, choice.text) >= 0
    ]
    if mine:
        (number, found), *_ = mine[0].places
        end = min(found.end, own.end)
        within = Candidate(document.text[found.start : end], found.start, end, found.score)
        return Choice(mine[0].probability, ((number, within), *mine[0].places[1:]))
    span = _counterpart(group, own, best.places[0][1], document.text, asks_for_quantity(question))
    value = Candidate(document.text[slice(*span)], *span, best.places[0][1].score)
    return Choice(best.probability, ((group.number, value),))


def _overlap(candidate: Candidate, other: Interval | Candidate) -> bool:
    return candidate.start < other.end and other.start < candidate.end


def _beside_band(text: str, case: Case) -> Span:
    """What a case says behind its band, or before the condition that the band stands in; else all of it."""
    if case.band is None:
        return case.start, case.end
    if before := _BEFORE_BAND.search(text, case.start, case.band.start):
        return case.start, before.start()
    after = _AFTER_BAND.match(text, case.band.end, case.end)
    return (after.end(), case.end) if after and after.end() < case.end else (case.start, case.end)


def _counterpart(group: _Group, own: Case, found: Candidate, text: str, quantity: bool) -> Span:
    """What in the asker's own case stands where a span stands in another."""
    other = next((case for case in group.cases if case.start <= found.start < case.end), own)
    values, theirs = _values(text, own[:2], own.band), _values(text, other[:2], other.band)
    place = next((at for at, (start, end) in enumerate(theirs) if start < found.end and found.start < end), 0)
    return values[min(place, len(values) - 1)] if quantity and values else _beside_band(text, own)
