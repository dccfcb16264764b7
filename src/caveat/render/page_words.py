"""What a page says itself, in the language of the question."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from caveat.core.script import Language
from caveat.render.page_tree import Kind

__all__ = ["Words", "page_words"]


class Words(msgspec.Struct, frozen=True):
    """The words of a page in one language.

    `{}` is a number; a pair is for one and for more, or for the first and for the others.
    """

    answers: str
    ranked: str
    together: str
    text: str
    sources: str
    legend: str
    kinds: dict[Kind, str]
    conditions: tuple[str, str]
    evidence: str
    scenario: str
    not_answered: tuple[str, str]
    not_answered_by_sources: tuple[str, str]
    table_alone: str
    improbable: tuple[str, str]
    paragraphs: tuple[str, str]
    characters: tuple[str, str]
    rows: tuple[str, str]
    columns: tuple[str, str]
    comma: str
    left_out: str
    other_texts: tuple[str, str]
    other_sources: tuple[str, str]
    standard_input: str

    def count(self, forms: tuple[str, str], number: int) -> str:
        """A number with what it counts."""
        return forms[number != 1].format(f"{number:,}")


@cache
def page_words(language: Language) -> Words:
    """The words of a page in a language, as `page_words.toml` has them."""
    text = (files("caveat.render") / "page_words.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[Language, Words])[language]
