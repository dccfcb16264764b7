"""What a reply is shown with, in the language of its question: in the terminal and on the page alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from caveat.core.certainty import Certainty
from caveat.core.languages import Language, default_language
from caveat.core.records import Remark, Reply

Forms = tuple[str, str]
_GAP = "{}"
# Of the files that were not read so many are named one by one.
_MOST_LISTED = 10


class ConversationWords(msgspec.Struct, frozen=True):
    """What is said in a conversation; `commands` are the usage of each and what it does."""

    opening: Forms
    nothing_to_ask: str
    hint: str
    understood: str
    supposed: str
    noted: str
    nothing_told: str
    forgotten: str
    forgotten_fact: str
    nothing_open: str
    no_reply: str
    no_such_command: str
    no_such_file: str
    needs: str
    written: str
    added: Forms
    unread_more: Forms
    at_most: Forms
    triples: str
    interrupted: str
    help: tuple[str, ...]
    commands: dict[str, tuple[str, str]]


class Words(msgspec.Struct, frozen=True):
    """The words of one language.

    `{}` is what is filled in; a pair is for one and for more, or for the first and for the others.
    """

    answers: str
    ranked: str
    together: str
    text: str
    sources: str
    legend: str
    kinds: dict[str, str]
    verdicts: dict[str, str]
    conditions: Forms
    under: str
    if_one: str
    if_all: str
    if_any: str
    all_of: str
    any_of: str
    unless: Forms
    otherwise: str
    with_otherwise: str
    joints: Forms
    brackets: str
    negated: Forms
    evidence: str
    scenario: str
    corrected: str
    not_found: Forms
    not_sure: str
    may_help: str
    how_sure: str
    certainty: dict[str, str]
    provided: str
    and_more: str
    side_by_side: str
    further: Forms
    page_further: Forms
    table_alone: str
    improbable: Forms
    more: str
    more_rows: Forms
    paragraphs: Forms
    characters: Forms
    rows: Forms
    columns: Forms
    comma: str
    semicolon: str
    left_out: str
    other_texts: Forms
    other_sources: Forms
    standard_input: str
    page_number: str
    files_read: Forms
    files_unread: str
    without_ending: str
    full_stop: str
    remark: str
    unread: str
    unread_more: Forms
    reading: str
    choices: str
    choices_hint: str
    conversation: ConversationWords
    # What is said of files, by the English sentence that the record has; what is not here stays English.
    reasons: dict[str, str] = {}

    def count(self, forms: Forms, number: int) -> str:
        """A number with what it counts."""
        return forms[number != 1].format(f"{number:,}")

    def answer(self, text: str, verdict: str | None) -> str:
        """An answer's words; yes and no, which a record has in English, in this language."""
        return text if verdict is None else self.verdicts.get(text, text)

    def of_certainty(self, certainty: Certainty, score: float) -> str:
        """A word for how sure something is, with its figure."""
        return self.how_sure.format(self.certainty[certainty], percent(score))

    def group(self, how: str) -> str:
        """What stands over conditions that belong together."""
        return {
            "if": self.if_one,
            "if all": self.if_all,
            "if any": self.if_any,
            "all": self.all_of,
            "any": self.any_of,
            "unless": self.unless[0],
            "unless any": self.unless[1],
        }[how]

    def named(self, source: str) -> str:
        """A source's name; "-#2" is the second table of standard input."""
        return self.standard_input + source[1:] if source == "-" or source.startswith("-#") else source

    def of_corrections(self, reply: Reply) -> str:
        """The typing errors of a question, and what was meant by each; "" where it has none."""
        return self.comma.join(self.corrected.format(each.typed, each.meant) for each in reply.understood)

    def of_remark(self, remark: Remark) -> str:
        """A sentence about how a file was read."""
        return self.remark.format(self.named(remark.source), self.reason(remark.text))

    def of_unread(self, unread: Sequence[Remark], more: Forms) -> list[str]:
        """A sentence about each file that was not read; of many the first ones, and how many more there are."""
        sentences = [
            self.unread.format(self.named(each.source), self.reason(each.text))
            for each in unread[:_MOST_LISTED]
        ]
        left = len(unread) - len(sentences)
        return [*sentences, self.count(more, left)] if left else sentences

    def reason(self, text: str) -> str:
        """What a remark says, sentence by sentence."""
        return self.semicolon.join(map(self._translated, text.split("; "))) if self.reasons else text

    def _translated(self, text: str) -> str:
        for english, own in self.reasons.items():
            if found := _pattern(english).fullmatch(text):
                return own.format(*found.groups())
        return text


def plural(count: int, noun: str) -> str:
    """A count and what it counts, in English."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def percent(score: float) -> str:
    """A probability in whole per cent; nothing that is not certain or impossible is called so."""
    if 0.0 < score < 0.01:
        return "<1%"
    if 0.99 < score < 1.0:
        return ">99%"
    return f"{100 * score:.0f}%"


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(map(re.escape, template.split(_GAP))), re.DOTALL)


@cache
def words_of(language: Language) -> Words:
    """The words of a language, as `words.toml` has them; those of the default for one that it has not."""
    text = (files("caveat.render") / "words.toml").read_bytes()
    known = msgspec.toml.decode(text, type=dict[Language, Words])
    return known.get(language) or known[default_language()]
