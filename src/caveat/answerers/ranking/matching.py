"""Where the tokens of a question, and runs of neighbouring ones, stand in many texts at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.language.tokens import END, Integers

Floats = NDArray[np.float64]

# Runs of one, two and three tokens are counted each by itself.
_ORDERS = 3


class Run(NamedTuple):
    """The occurrences of the question's distinct runs of one length: in which text, which run."""

    texts: NDArray[np.intp]
    runs: NDArray[np.intp]
    distinct: int

    def counted(self, groups: NDArray[np.intp], number: int) -> Floats:
        """How often each run stands in each group of texts, [number, count]; a text of group -1 is left out."""
        group = groups[self.texts]
        inside = group >= 0
        places = group[inside] * self.distinct + self.runs[inside]
        counts = np.bincount(places, minlength=number * self.distinct)
        return counts.reshape(number, self.distinct).astype(np.float64)


class Matches(NamedTuple):
    """Occurrences by the length of the run, the longest run in each text, and the texts' lengths in tokens."""

    runs: tuple[Run, ...]
    longest: NDArray[np.intp]
    lengths: NDArray[np.intp]


def match(question: Integers, texts: Integers) -> Matches:
    """A question's tokens, without END, in texts that `Vocabulary.encode` has numbered."""
    ends = np.flatnonzero(texts == END)
    lengths = np.diff(ends, prepend=-1) - 1
    longest = np.zeros(len(ends), dtype=np.intp)
    near = np.flatnonzero(np.isin(texts, question))
    where, place = np.nonzero(texts[near, None] == question)
    where = near[where]
    text = np.searchsorted(ends, where)
    found = []
    for length in range(1, max(len(question), _ORDERS) + 1):
        if length <= _ORDERS:
            distinct, first = _distinct(question, length)
            counted = first[place]
            found.append(Run(text[counted], distinct[place[counted]], int(first.sum())))
        elif not len(where):
            break
        longest[text] = length
        # A run that is alive has not met its text's END, so there is a next token.
        goes_on = place + length < len(question)
        where, place, text = where[goes_on], place[goes_on], text[goes_on]
        goes_on = texts[where + length] == question[place + length]
        where, place, text = where[goes_on], place[goes_on], text[goes_on]
    return Matches(tuple(found), longest, lengths)


def _distinct(question: Integers, length: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For the run that begins at each place its number among the distinct runs, and whether it is the first such."""
    numbers: dict[tuple[int, ...], int] = {}
    size = len(question)
    tokens = question.tolist()
    distinct = np.zeros(size, dtype=np.intp)
    first = np.zeros(size, dtype=np.bool_)
    for place in range(size - length + 1):
        run = tuple(tokens[place : place + length])
        first[place] = run not in numbers
        distinct[place] = numbers.setdefault(run, len(numbers))
    return distinct, first
