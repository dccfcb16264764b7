"""Which passages of somebody's documents are asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil
from pathlib import PurePath

from caveat.core.errors import CaveatError
from caveat.core.records import Document
from caveat.core.script import Language, language_of
from caveat.language.stop_words import STOP_WORDS
from caveat.language.tokens import tokens
from caveat.library.passages import document_passages, passage_text, title_of
from caveat.training.adaptation.records import Passage
from caveat.training.sampling import spread

__all__ = ["QUESTIONS_A_PASSAGE", "chosen_passages", "language_of_most"]

QUESTIONS_A_PASSAGE = 6
"""Questions that the teacher is asked to write on one passage: of more it repeats itself."""
# With fewer words of substance there is nothing to ask about: headings, captions, links.
_FEWEST_WORDS = 20


def language_of_most(documents: Iterable[Document]) -> Language:
    """The language of most of the text."""
    characters: Counter[Language] = Counter()
    for document in documents:
        characters[language_of(document.text)] += len(document.text)
    if not characters:
        raise CaveatError("There is no text to learn from: the sources hold no document.")
    return characters.most_common(1)[0][0]


def chosen_passages(documents: Iterable[Document], language: Language, questions: int) -> tuple[Passage, ...]:
    """Enough passages in a language for so many questions, spread evenly over all that there are, none twice."""
    found: dict[str, Passage] = {}
    for document in documents:
        for number, passage in enumerate(document_passages(document)):
            text = passage_text(document, passage).strip()
            if language_of(text) != language or len(set(tokens(text)) - STOP_WORDS) < _FEWEST_WORDS:
                continue
            title = " › ".join(dict.fromkeys((title_of(document), *passage.headings)))
            name = PurePath(document.url).name or title_of(document)
            found.setdefault(text, Passage(f"{name}:{number}", document.url, title, text))
    if not found:
        raise CaveatError(
            f"There is no passage to ask about: none in {'Chinese' if language == 'zh' else 'English'} has "
            f"{_FEWEST_WORDS} different words of substance."
        )
    return tuple(spread(tuple(found.values()), ceil(questions / QUESTIONS_A_PASSAGE)))
