"""The list of a page that answers a question which asks for several things."""

from __future__ import annotations

import re
from collections.abc import Mapping

from caveat.answerers.documents.conditional.choice import Span
from caveat.answerers.documents.conditional.page import Page
from caveat.answerers.ranking.matching import Floats
from caveat.models.decoding import Candidate

__all__ = ["best_list", "introduces_answer", "item_span"]

# What the sentence that introduces a list shares with the question counts so much, its items share the rest.
_INTRODUCTION = 0.8
_SHARED, _TOLD, _READ = 4.0, 1.0, 0.3
# A list of conditions is not what was asked for: "You qualify if:", "… if any of the following apply:".
_CONDITIONS = re.compile(
    r"\b(?:if|when|unless)\b[^.]{0,60}:$|\bfollowing (?:is|are|apply|applies)\b[^.]*:$", re.IGNORECASE
)
# What follows explains the item, or says when it holds; in the training questions' answers it is more often left out
# than not.
_REST = re.compile(r" [-–—] | \(|,? (?:for example|such as|like|if|unless)\b")
_EDGES = " .,;:"
_WHAT = re.compile(r"\b(?:what|which|who)\b", re.IGNORECASE)


def best_list(page: Page, asked: Floats, told: Floats, read: Mapping[int, Candidate]) -> tuple[int, ...]:
    """The items of the list that best fits a question, in order; none where the page has no lists.

    `asked` and `told` are what each element shares with the question and the scenario, `read` is the best span
    that a reader found in each.
    """
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for place in page.book.places:
        items = tuple(at for at in place.items if page.document.elements[at].tag == "li")
        if len(items) < 2 or _CONDITIONS.search(place.element.text[-200:].rstrip()):
            continue
        members = [place.index, *items]
        score = _SHARED * (
            _INTRODUCTION * float(asked[place.index]) + (1 - _INTRODUCTION) * float(asked[list(items)].mean())
        )
        score += _TOLD * float(told[members].max())
        score += _READ * max(read[at].score if at in read else 0.0 for at in members)
        if score > best[0]:
            best = score, items
    return best[1]


def introduces_answer(page: Page, question: str, asked: Floats) -> bool:
    """Whether a list is the answer, since what introduces it has most of the question: "The grant can pay for:"."""
    if not len(asked) or not _WHAT.search(question):
        return False
    best = page.book.places[int(asked.argmax())]
    listed = sum(page.document.elements[at].tag == "li" for at in best.items)
    text = best.element.text.rstrip()
    return listed > 1 and text.endswith(":") and not _CONDITIONS.search(text[-200:])


def item_span(page: Page, item: int) -> Span:
    """What an item names, without what explains it or says when it holds."""
    element = page.document.elements[item]
    rest = _REST.search(element.text)
    text = element.text[: rest.start()] if rest else element.text
    if not text.strip(_EDGES):
        text = element.text
    start = element.start + len(text) - len(text.lstrip(_EDGES))
    return Span(start, max(start + 1, element.start + len(text.rstrip(_EDGES))), item, 0.0)
