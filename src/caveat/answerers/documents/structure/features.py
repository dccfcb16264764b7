"""What is known of an answer and a possible head: features as numbers, looked up in a table of weights.

A feature has one code for each answer and candidate. Every code tells the candidate's column and the answer's
kind, so that a weight is one of, say, "the nearest coarse answer before a fine one". A worded feature also has
a word, the text at a fixed place beside a span; which words count is learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from caveat.answerers.documents.structure.spans import Booleans, Integers, Layout, wordings

# As in `KINDS`.
CONDITION, COARSE, FINE = range(3)

# None, and of each kind the nearest that begin before the answer and the nearest after it. In CMQA the nearest
# before is the head of 99 % of the answers that hang on a condition and of 89 % of those that hang on a coarse
# answer; the nearest coarse answer after is that of 9 %; 5 of 11,048 heads are not among these.
COLUMNS: tuple[tuple[int, int], ...] = (
    (-1, 0),
    *((CONDITION, place) for place in (-1, -2, 0)),
    *((COARSE, place) for place in (-1, -2, -3, 0)),
)

# Characters between two answers of one list: "、", "，还有", "以及".
_JOINED_BY = 4

_ROLES = 2 * len(COLUMNS)
# Upper bounds of the classes into which lengths fall.
_GAPS = np.array([0, 1, 2, 3, 5, 8, 12, 18, 26, 40, 60, 100, 200])
_LENGTHS = np.array([2, 3, 4, 5, 6, 8, 10, 14, 20])
# Where the head stands: before the answer, around it, after it, or across one of its ends.
_BEFORE, _AROUND, _AFTER, _ACROSS = range(4)
_Part = tuple[Integers | Booleans, int]


@dataclass(frozen=True)
class Candidates:
    """The answers of a layout, and for each the heads it may have: rows are answers, columns are `COLUMNS`."""

    # Indices of spans; -1 is none.
    answers: Integers
    heads: Integers
    valid: Booleans
    # The list that each answer is in, and for each list its first and last answer, as rows.
    run: Integers
    first: Integers
    last: Integers


def find_candidates(layout: Layout) -> Candidates:
    """Every answer with its possible heads; a coarse answer can hang on a condition alone."""
    answers = np.flatnonzero(layout.kind != CONDITION)
    heads = np.full((len(answers), len(COLUMNS)), -1)
    for kind in (CONDITION, COARSE):
        spans = np.flatnonzero(layout.kind == kind)
        before = np.searchsorted(layout.start[spans], layout.start[answers], "right")
        may_be_head = layout.kind[answers] > kind
        for column, (of_kind, place) in enumerate(COLUMNS):
            if of_kind == kind:
                at = before + place
                there = may_be_head & (at >= 0) & (at < len(spans))
                heads[there, column] = spans[at[there]]
    valid = heads >= 0
    valid[:, 0] = True
    return Candidates(answers, heads, valid, *_runs(layout, answers))


def _runs(layout: Layout, answers: Integers) -> tuple[Integers, Integers, Integers]:
    """Answers of one kind with little between them, and no end of a sentence."""
    begins = np.ones(len(answers), bool)
    if len(answers) > 1:
        left, right = answers[:-1], answers[1:]
        between = layout.start[right] - layout.end[left]
        begins[1:] = (
            (layout.kind[left] != layout.kind[right])
            | (between < 0)
            | (between > _JOINED_BY)
            | (layout.end_sentence[left] != layout.sentence[right])
        )
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(answers))[: len(first)] - 1
    return np.cumsum(begins) - 1, first, last


@dataclass(frozen=True)
class Feature:
    """Codes from 0 to `size`, exclusive, by answer and column; a worded one has the words of all spans too."""

    name: str
    codes: Integers
    size: int
    words: Sequence[str] | None = None
    # The span whose word it is, in one column where it is the same for all; -1 where there is none.
    of: Integers | None = None


def describe(layout: Layout, candidates: Candidates, question: str = "") -> list[Feature]:
    """The features of all candidates, in an order that does not depend on the sample."""
    view = _view(layout, candidates)
    return [*_by_place(layout, candidates, view), *_by_text(layout, candidates, view, question)]


@dataclass(frozen=True)
class _View:
    """What most features are made of; by answer and column, except for the list's ends, which are by answer."""

    role: Integers
    head: Integers
    is_none: Booleans
    side: Integers
    # From the head to the answer's list.
    sentences: Integers
    lists: Integers
    # The answer's list as a whole stands for the answer: what introduces a list introduces each item.
    first: Integers
    last: Integers

    def plain(self, name: str, *parts: _Part) -> Feature:
        return Feature(name, *_combine(self.role, parts))

    def worded(self, name: str, words: Sequence[str], of: Integers, *parts: _Part) -> Feature:
        return Feature(name, *_combine(self.role, parts), words, of)


def _view(layout: Layout, candidates: Candidates) -> _View:
    answers, is_none = candidates.answers, candidates.heads < 0
    head = np.maximum(candidates.heads, 0)
    first, last = (answers[ends][candidates.run] for ends in (candidates.first, candidates.last))
    return _View(
        (layout.kind[answers] == FINE)[:, None] * len(COLUMNS) + np.arange(len(COLUMNS)),
        head,
        is_none,
        _side(layout, answers, head, is_none),
        np.where(is_none, 0, abs(layout.sentence[first][:, None] - layout.sentence[head])),
        _lists_since(layout, candidates, head),
        first,
        last,
    )


def _by_place(layout: Layout, candidates: Candidates, view: _View) -> Iterator[Feature]:
    """Order, distance, what stands between, and what stands where in the sample."""
    answers, heads, run = candidates.answers, candidates.heads, candidates.run
    side, sentences = (view.side, 4), (view.sentences, 3)
    low, high = _between(layout, view)
    between = [_count(layout.start[layout.kind == kind], low, high) for kind in (CONDITION, COARSE, FINE)]
    yield view.plain("distance", side, (np.searchsorted(_GAPS, high - low), len(_GAPS) + 1))
    for name, number in zip(("conditions", "coarse", "fine"), between, strict=True):
        yield view.plain(f"{name} between", side, (number, 5))
    counts = zip(between, (2, 3, 3), strict=True)
    yield view.plain("all between", side, *counts, sentences)
    for name, marks in (("commas between", "，,"), ("enumeration between", "、")):
        yield view.plain(name, side, (_count(_places(layout.text, marks), low, high), 4))

    totals = np.bincount(layout.kind, minlength=3)
    everywhere = np.zeros_like(view.role)
    yield view.plain("fine in all", (everywhere + totals[FINE], 6), (everywhere + totals[CONDITION], 2))
    lengths = candidates.last - candidates.first + 1
    place_in_list = np.arange(len(answers)) - candidates.first[run]
    yield view.plain("place in list", (place_in_list[:, None], 4))
    yield view.plain("length of list", (lengths[run][:, None], 5))
    of_answer = np.searchsorted(_LENGTHS, layout.end[answers] - layout.start[answers])
    yield view.plain("length of answer", (of_answer[:, None], len(_LENGTHS) + 1))

    nearest = [heads[:, COLUMNS.index((kind, -1))] for kind in (CONDITION, COARSE)]
    yield view.plain(
        "nearest heads", *((_sentences_to(layout, view.first, one)[:, None], 5) for one in nearest)
    )
    conditions = layout.start[layout.kind == CONDITION]
    above_head = np.searchsorted(conditions, layout.start[view.head], "right")
    above_answer = np.searchsorted(conditions, layout.start[answers], "right")[:, None]
    same = above_head == above_answer
    yield view.plain("same condition above", (same, 2), (above_head > 0, 2), sentences, side)
    yield view.plain("head's own list", (view.lists == 0, 2), sentences)
    yield view.plain("lists since head", (np.maximum(view.lists, 0), 4), sentences, side)


def _by_text(layout: Layout, candidates: Candidates, view: _View, question: str) -> Iterator[Feature]:
    """What the spans say, and what is said beside them."""
    heads = candidates.heads
    offsets = zip(layout.start.tolist(), layout.end.tolist(), strict=True)
    characters = [frozenset(layout.text[start:end]) for start, end in offsets]
    yield view.plain("shared characters", (_shared(characters, candidates.answers, heads), 5))
    asked = frozenset(question)
    with_question = np.array([len(own & asked) for own in characters], np.int64)
    yield view.plain("head in question", (np.where(view.is_none, 0, with_question[view.head]), 5))

    words = wordings(layout)
    first, last, own = view.first[:, None], view.last[:, None], candidates.answers[:, None]
    side, same_sentence = (view.side, 4), (view.sentences, 2)
    for place in ("before 1", "before 2", "before 3", "clause", "all before"):
        yield view.worded(f"{place} list", words[place], first, same_sentence)
    for place in ("after 1", "after 2"):
        yield view.worded(f"{place} list", words[place], last, same_sentence)
    for place in ("before 1", "all before", "after 1"):
        yield view.worded(f"{place} answer", words[place], own, same_sentence)
    for place in ("first 1", "last 2"):
        yield view.worded(f"answer's {place}", words[place], own)
    for place in ("after 2", "after 3", "close before 1", "close before 2", "close before 3", "all before"):
        yield view.worded(f"{place} head", words[place], heads, side)
    yield view.worded("all after head", words["all after"], heads, side, (view.lists == 0, 2))
    for place in ("first 1", "first 2", "last 1", "last 2"):
        yield view.worded(f"head's {place}", words[place], heads)


def _combine(role: Integers, parts: Sequence[_Part]) -> tuple[Integers, int]:
    """One code of the role and all parts; what is beyond a part's size counts as its last value."""
    codes, size = role, _ROLES
    for values, count in parts:
        codes = codes * count + np.minimum(values, count - 1)
        size *= count
    return codes, size


def _side(layout: Layout, answers: Integers, head: Integers, is_none: Booleans) -> Integers:
    start, end = layout.start[answers][:, None], layout.end[answers][:, None]
    head_start, head_end = layout.start[head], layout.end[head]
    around = (head_start <= start) & (head_end >= end)
    side = np.select([head_end <= start, around, head_start >= end], [_BEFORE, _AROUND, _AFTER], _ACROSS)
    return np.where(is_none, _BEFORE, side)


def _between(layout: Layout, view: _View) -> tuple[Integers, Integers]:
    """What lies between the answer's list and a head before or after it; nothing elsewhere."""
    before = view.side == _BEFORE
    low = np.where(before, layout.end[view.head], layout.end[view.last][:, None])
    high = np.where(before, layout.start[view.first][:, None], layout.start[view.head])
    apart = (before | (view.side == _AFTER)) & ~view.is_none
    return low, np.where(apart, np.maximum(low, high), low)


def _count(places: Integers, low: Integers, high: Integers) -> Integers:
    """How many of the places, which ascend, are from `low` to `high`, exclusive."""
    return np.searchsorted(places, high) - np.searchsorted(places, low)


def _places(text: str, marks: str) -> Integers:
    return np.array([at for at, character in enumerate(text) if character in marks], np.int64)


def _sentences_to(layout: Layout, answers: Integers, heads: Integers) -> Integers:
    """Sentences from a head on, at most 3; 4 for none."""
    distance = layout.sentence[answers] - layout.sentence[np.maximum(heads, 0)]
    return np.where(heads < 0, 4, np.clip(distance, 0, 3))


def _lists_since(layout: Layout, candidates: Candidates, head: Integers) -> Integers:
    """Lists from the one with the first fine answer after the head to the answer's own; negative before it."""
    fine = np.flatnonzero(layout.kind == FINE)
    if not len(fine):
        return np.ones_like(head)
    run_of = np.full(len(layout.spans), -1)
    run_of[candidates.answers] = candidates.run
    following = np.searchsorted(layout.start[fine], layout.start[head])
    there = following < len(fine)
    since = candidates.run[:, None] - run_of[fine[np.minimum(following, len(fine) - 1)]]
    return np.where(there, since, -1)


def _shared(characters: Sequence[frozenset[str]], answers: Integers, heads: Integers) -> Integers:
    rows = zip(answers.tolist(), heads.tolist(), strict=True)
    shared = [[len(characters[a] & characters[h]) if h >= 0 else 0 for h in row] for a, row in rows]
    return np.array(shared, np.int64).reshape(heads.shape)
