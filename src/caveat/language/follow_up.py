"""A condition as a yes/no question to the asker: "your partner gets a pension" → "Does your partner get a pension?"."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from caveat.core.languages import language_of
from caveat.language.packs import pack


class Inquiry(NamedTuple):
    """A question, and whether the words it was made from hold where the answer is no ("you do not smoke")."""

    question: str
    negated: bool = False


def follow_up(text: str, introduction: str = "") -> str:
    """The question that settles a condition; `introduction` is what introduces its list ("You must:").

    Words that deny are asked without the denial ("you do not smoke" → "Do you smoke?"): `inquiry` says which.
    """
    return inquiry(text, introduction).question


@lru_cache(maxsize=4096)
def inquiry(text: str, introduction: str = "") -> Inquiry:
    """The question that settles a condition, and how its answer is to be read; as it is said where no pack asks."""
    own = pack(language_of(text))
    asks = own.load(own.inquiry)
    found: Inquiry = (
        Inquiry(f"{text.strip()}{own.question_mark}") if asks is None else asks(text, introduction)
    )
    return found
