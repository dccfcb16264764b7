"""What reads conditions in a language: its pack names one of the readers here, or one of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from caveat.answerers.documents.conditions.chinese import chinese_condition
from caveat.answerers.documents.conditions.context import InContext
from caveat.core.languages import Language
from caveat.core.logic import Expression
from caveat.language.packs import pack

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
