"""Named columns of evidence, a row a candidate, and patterns of what is asked for: a date for "when" …"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.language.packs import en
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


class Features(NamedTuple):
    """Evidence for the candidates of one question: [candidates, names]."""

    names: tuple[str, ...]
    values: Floats

    def column(self, name: str) -> Floats:
        """One of the columns."""
        values: Floats = self.values[:, self.names.index(name)]
        return values

    def with_columns(self, columns: dict[str, Floats]) -> Features:
        """These and further columns."""
        more = np.stack(list(columns.values()), axis=1) if columns else np.empty((len(self.values), 0))
        return Features((*self.names, *columns), np.concatenate([self.values, more], axis=1))


class Columns:
    """Columns as they are added, each with a value for every candidate."""

    def __init__(self, candidates: int) -> None:
        self._candidates = candidates
        self._columns: dict[str, Floats] = {}

    def add(
        self, name: str, values: Iterable[float] | Floats | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    ) -> Floats:
        """Add a column and give it back."""
        column = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
        self._columns[name] = column
        return column

    def by_type(self, name: str, types: Iterable[str], asked: str, values: Floats) -> None:
        """A column for each type of question: the values for the type that is asked, 0 for the others."""
        for type in types:
            self._columns[f"{type}: {name}"] = values if type == asked else np.zeros(self._candidates)

    def features(self) -> Features:
        """All of them."""
        return Features(tuple(self._columns), np.stack(list(self._columns.values()), axis=1))


# Patterns are crude on purpose. How much each tells for each type of question is fitted, so that one which finds too
# much, or the wrong thing, weighs little.
_NUMERAL = "[0-9一二三四五六七八九十百千万亿两半〇零]"
_PATTERNS = {
    "number": (r"[0-9]|[一二三四五六七八九十百千万亿两]+[个名位年月日米里人种次元岁层座只部章件条所]", r"\d"),
    "amount": (
        rf"{_NUMERAL}+ ?[多余几]?(?:个|名|位|米|公里|千米|平方|人|种|次|元|岁|层|座|只|部|章|件|条|所|吨|公斤|克|年|天"
        r"|小时|分钟|%|％|集|家|万|亿|届|套|首|卷|册|页)",
        r"\d+(?:[.,]\d+)* ?(?i:%|percent|million|billion|thousand|hundred|dozen|miles?|km|met(?:er|re)s?|feet|ft|kg"
        r"|pounds?|tons?|people|years?|days?|hours?|minutes?|times)"
        r"|(?i:two|three|four|five|six|seven|eight|nine|ten) [a-z]+s\b",
    ),
    "date": (
        r"[12][0-9]{3}|[0-9]{1,2}[月日]|世纪|年代|公元|[一二三四五六七八九〇○零]{4}年|年",
        # "May" is more often a verb.
        rf"\b1[0-9]{{3}}\b|\b20[0-9]{{2}}\b|\b(?i:{'|'.join(month for month in en.PACK.months if month != 'may')}"
        r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|morning|evening)\b",
    ),
    "place": (
        "位于|地处|坐落|境内|[省市县区镇乡村路街州国洲岛山东西南北]",
        r"\b(?i:in|at|near|from) [A-Z]|\b(?i:north|south|east|west|city|town|county|state|country|village|river"
        r"|street)\b",
    ),
    "person": (
        r"·|[（(][^（()）]{0,20}[）)]|先生|女士|教授|博士|导演|主演|作者|创始人|发明|总统|主席|皇帝|饰",
        r"[A-Z][a-z]+ (?:[A-Z]\. ?|de |van |von )?[A-Z][a-z]+|\b(?:Mr|Mrs|Dr|Sir|King|Queen|President)\b",
    ),
    "title": ("《[^》]+》", r"\b(?i:novel|film|book|song|album|series)\b"),
    "quotation": ("[“”「」]", '"'),
    "enumeration": ("、", r", [^,.]{1,40},? and\b"),
    "reason": (
        "因为|由于|因此|所以|原因|为了|因而|导致|以致|故",
        r"\b(?i:because|due to|since|therefore|so that|in order to|as a result|caused?|led to)\b",
    ),
    "definition": (
        "是指|是一|是由|即|称为|又称|简称|别名|叫做|叫|名为",
        r"\b(?:is|was|are|were) (?:an?|the)\b|\b(?i:called|known as|named|refers? to|defined)\b",
    ),
}


def _either(patterns: tuple[str, str]) -> re.Pattern[str]:
    # Capitals tell names from words, so that only lists of words are blind to them.
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


CUES: dict[str, re.Pattern[str]] = {name: _either(patterns) for name, patterns in _PATTERNS.items()}
"""A pattern for each sort of content."""

HEADER_CUES: dict[str, re.Pattern[str]] = {
    "when": re.compile(
        r"年|日期|时间|季|\b(?:years?|dates?|season|time|day|month|term|from|until|born|release)", re.I
    ),
    "where": re.compile(
        r"地|城市|国|省|场|\b(?:location|cit(?:y|ies)|country|countries|venue|place|nation|state|town|county|site|stadium"
        r"|region|hometown)",
        re.I,
    ),
    "who": re.compile(
        r"姓名|人|者|员|演|\b(?:name|player|artist|winner|driver|title|actor|director|candidate|member|champion|author"
        r"|president|representative|judge|rider|athlete|swimmer|wrestlers?|opponent|team|party)",
        re.I,
    ),
    "how many": re.compile(
        r"数|量|率|额|分|\b(?:total|number|no\.|points?|goals?|votes?|population|wins?|score|attendance|gold|matches|games"
        r"|apps|played|length|height|area|passengers|rank|%)",
        re.I,
    ),
}
"""What a table's column headers say where it has what a type of question asks for."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERIC_CELL = re.compile(r"[\s\d.,:;%+\-–−/$€£¥()]*\d[\s\d.,:;%+\-–−/$€£¥()]*")
_ASKED = re.compile(
    r"(?:什么|哪个|哪种|哪些|哪|多少|几)([\u4e00-\u9fff]{1,4})"
    r"|\b(?:what|which|whose|how many|how much) ((?:[a-z]+ ){1,2})",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"([\u4e00-\u9fff]{2})(?:是|有|为|在|叫)?(?:什么|哪|多少|谁|几|怎|如何)")


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, without marks between thousands."""
    return {number.replace(",", "") for number in _NUMBER.findall(text)}


def is_number(cell: str) -> bool:
    """Whether a cell is a number, a score, a share or a date in figures."""
    return _NUMERIC_CELL.fullmatch(cell) is not None


def asked_about(question: str) -> tuple[str, str]:
    """What stands right behind the question word (什么颜色 → 颜色, "which river" → "river"), and right before it."""
    behind, before = _ASKED.search(question), _BEFORE.search(question)
    return (behind[1] or behind[2]) if behind else "", before[1] if before else ""
