"""The condition under which a sentence of a page holds: its own, its list's, its headings' and its section's.

Where rules are read off the whole page they tell; in Chinese the sentence itself: "累计缴费满1年的，可以领取" holds for
who has paid for a year, "有下列情形之一的，不得…：" for who is in one of the cases, "应当符合下列条件：" for who meets
all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from caveat.answerers.documents.conditions.context import InContext
from caveat.core.languages import Language
from caveat.core.logic import HOLDS, All, Any, Atom, Expression, Not, simplify
from caveat.core.records import Question
from caveat.language.follow_up import inquiry
from caveat.language.packs import pack

if TYPE_CHECKING:
    from caveat.answerers.documents.page import Page

_NEED = re.compile(
    r"\b(?:needs?|ha(?:ve|s)|required|obliged|mandatory|necessary|compulsory)\b.{0,30}\bto\b|\bmust\b|\brequired?\b|\bneeds?\b",
    re.IGNORECASE,
)


def condition_of(
    page: Page, question: Question, at: int, start: int, end: int, *, told: bool = False
) -> Expression | None:
    """The condition of what `start:end`, in the page's element `at`, says; None where it depends on nothing.

    What the section demands or excepts elsewhere counts where it has most of the question's words; to be `told` to the
    asker, all of them, with its headings.
    """
    if (read := sentence_reader(page.language)) is not None:
        inside = page.document.elements[at]
        return read(page.book.places, at, start - inside.start, end - inside.start)
    concerns = page.held_by(question.text) if told else page.concerned(question.text)
    element, offset = page.book.stated_by(at) or (at, start)
    governing = page.book.governing(element, offset, concerns=concerns)
    # "You need to be a member to swim" says who may swim; asked whether one needs to be, it has no condition.
    demanded = None if _NEED.search(question.text) else page.book.demanded(at, start, end)
    parts = tuple(part for part in (governing, demanded) if part is not None)
    return simplify(All(parts)) if parts else None


_CLAUSE = re.compile(r"[^，,。；;：:！？!?\n]+")
# What begins or ends a clause that states a condition; 目的 and the like are no cases.
_BEGINS = re.compile(r"(?:如果|倘若|假如|若是|只要|只有|凡|除非|如(?![何下实期同此])|若(?![干何]))")
_ENDS = re.compile(r"(?:(?<![目标有是真似])的|的话|的情况下|的情形下|[^小及同按定随适届临到当平]时)$")
_NUMBER = re.compile(
    r"^\s*(?:第[一二三四五六七八九十百千零\d]+[条款项]\s*|[（(][一二三四五六七八九十\d]+[）)]\s*|\d+[.、]\s*|[①-⑳]\s*)"
)
_WHOM = re.compile(r"(?P<case>.{3,})的[^的]{1,8}$")
_RULE = re.compile(r"可以|应当|不得|必须|有权|无需|不需要|免|享受|禁止")
_STOP = re.compile(r"[。；;！？!?]")
_LISTS = re.compile(r"下列|以下|如下")
_CASES = re.compile(r"条件|情形|情况|之一|[的者人]$|人员")
_ONE = re.compile(r"之一|任何一|任一|其中一")
# A rule has few conditions; a clause as long as a paragraph is none.
_LONGEST, _MOST_ITEMS = 160, 12


def chinese_condition(places: Sequence[InContext], element: int, start: int, end: int) -> Expression | None:
    """The condition of `start:end` of an element's text, with that of the list it is in or introduces."""
    place = places[element]
    parts: list[Expression] = list(_clauses(place, start, end))
    if place.introduction is not None and place.element.tag == "li":
        above = places[place.introduction]
        if _LISTS.search(place.introduced_by) and (_ONE.search(place.introduced_by) or _may_be_case(above)):
            parts.insert(0, _item(place))
    elif place.items and _LISTS.search(place.element.text) and _CASES.search(_before_list(place)):
        items = tuple(_item(places[at]) for at in place.items[:_MOST_ITEMS])
        # "one of the following" or all of them
        parts.append(Any(items) if _ONE.search(place.element.text) else All(items))
    found = simplify(All(tuple(parts)))
    return None if found == HOLDS else found


def _clauses(place: InContext, start: int, end: int) -> Iterator[Expression]:
    """The clauses before the rule itself that say when it holds."""
    text = place.element.text
    clauses = list(_CLAUSE.finditer(text, start, end))
    first = 0
    for at, clause in enumerate(clauses[:-1]):
        if at and _STOP.search(text, clauses[at - 1].end(), clause.start()):
            first = at
        said = clause.group().strip()
        begins = _BEGINS.match(_NUMBER.sub("", said))
        if not begins and not _ENDS.search(said) and not _is_measured(said, clauses[at + 1].group()):
            continue
        if _LISTS.search(said):
            first = at + 1
            continue
        # "甲方违约，造成损失的，…": what stands before belongs to it, up to the condition before.
        opening = clauses[at].start() if begins else clauses[first].start()
        yield from _atom(place, opening, clause.end())
        first = at + 1


def _is_measured(said: str, rule: str) -> bool:
    """ "年满60岁的会员，可以…": who it is said of is told by a measure."""
    from caveat.language.intervals import intervals_in

    whom = _WHOM.search(said)
    return whom is not None and _RULE.match(rule.strip()) is not None and bool(intervals_in(whom["case"]))


def _atom(place: InContext, start: int, end: int) -> Iterator[Expression]:
    number = _NUMBER.match(place.element.text[start:end])
    start += number.end() if number else 0
    words = place.element.text[start:end].strip(" 　，,；;。：:")
    if 2 <= len(words) <= _LONGEST:
        at = place.element.text.index(words, start)
        asked = _BEGINS.sub("", words, count=1).removesuffix("的话").removesuffix("的")
        begin = place.element.start + at
        # What denies is asked without the denial, unless it is one of several clauses.
        said = inquiry(asked)
        denied = said.negated and _CLAUSE.fullmatch(asked) is not None
        question = said.question if denied else f"{asked}吗？"
        atom = Atom(words, question, place.index, begin, begin + len(words))
        yield Not(atom) if denied else atom


def _item(place: InContext) -> Expression:
    """A case; where it states several quantities, each clause by itself: they are compared one by one."""
    from caveat.language.intervals import intervals_in

    text = place.element.text
    clauses = list(_CLAUSE.finditer(text))
    if sum(bool(intervals_in(clause.group())) for clause in clauses) > 1:
        return All(tuple(atom for clause in clauses for atom in _atom(place, *clause.span())))
    return All(tuple(_atom(place, 0, len(text))))


def _may_be_case(place: InContext) -> bool:
    return _CASES.search(_before_list(place)) is not None


def _before_list(place: InContext) -> str:
    """What an introduction says right behind 下列: 条件, 情形, 人员."""
    found = _LISTS.search(place.element.text)
    return place.element.text[found.end() : found.end() + 12].rstrip("：: ") if found else ""


# The condition of `start:end` of the text of an element, which is one of several in their places.
SentenceReader = Callable[[Sequence[InContext], int, int, int], Expression | None]

_READERS: dict[str, SentenceReader] = {"chinese": chinese_condition}


def sentence_reader(language: Language) -> SentenceReader | None:
    """What reads the condition of one sentence; None where rules are read off the whole page, or nothing can be."""
    own = pack(language)
    if own.conditions is None:
        return None
    reader: SentenceReader = _READERS.get(own.conditions) or own.load(own.conditions)
    return reader
