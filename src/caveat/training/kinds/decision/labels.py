"""Which candidates are right for a labelled question: an answer may have a little more or less at its edges."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from caveat.answerers.documents.candidates import Proposal

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[a-z]+|[^\W\d_a-z]", re.UNICODE)
_ARTICLES = frozenset(("a", "an", "the"))
# An answer may be so many times as long as what is right, and must share so much of it.
_LONGEST, _LEAST_SHARED = 3, 0.6
_LEAST_ITEMS = 0.7


def is_right(proposal: Proposal, kind: str, answers: Sequence[str]) -> bool:
    """Whether a candidate is the answer to a question whose answer is of this kind."""
    if proposal.kind != kind:
        return False
    if kind == "span":
        return any(says(proposal.places[0][1].text, answer) for answer in answers)
    if kind == "list":
        given = [place.text for _, place in proposal.places]
        hits = sum(any(says(one, answer) for one in given) for answer in answers)
        true = sum(any(says(one, answer) for answer in answers) for one in given)
        if not hits or not true:
            return False
        precision, recall = true / len(given), hits / len(answers)
        return 2 * precision * recall / (precision + recall) >= _LEAST_ITEMS
    return kind in ("yes", "no", "none")


def says(answer: str, wanted: str) -> bool:
    """Whether an answer says what is wanted: the same, with a little around it, or all of its numbers and most else."""
    given, right = _tokens(answer), _tokens(wanted)
    if not given or not right:
        return False
    if given == right:
        return True
    if _contains(given, right):
        return len("".join(given)) <= _LONGEST * len("".join(right))
    if _contains(right, given):
        numbers = {token for token in right if token[0].isdigit()}
        common = sum((Counter(given) & Counter(right)).values())
        return 2 * common / (len(given) + len(right)) >= _LEAST_SHARED and numbers <= set(given)
    return False


def shares_words(one: str, other: str) -> bool:
    """Whether two clauses say the same: the shorter has most of its words in the other."""
    first, second = Counter(_tokens(one)), Counter(_tokens(other))
    least = min(first.total(), second.total())
    return least > 0 and (first & second).total() >= _LEAST_SHARED * least


def is_clause(one: str, other: str) -> bool:
    """Whether two clauses say the same and neither is much longer: a sentence is not the clause that stands in it."""
    longer, shorter = sorted((len("".join(_tokens(text))) for text in (one, other)), reverse=True)
    return shares_words(one, other) and longer <= _LONGEST * shorter


def _tokens(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [token for token in _WORD.findall(plain) if token not in _ARTICLES]


def _contains(whole: Sequence[str], part: Sequence[str]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
