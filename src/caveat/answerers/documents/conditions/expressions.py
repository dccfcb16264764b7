"""Clauses, and lists of them, as expressions: which words become an atom, and how the atoms are joined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from caveat.answerers.documents.conditions.context import InContext
from caveat.core.logic import All, Any, Atom, Expression, Not
from caveat.language.follow_up import inquiry
from caveat.language.packs.en.clause import parse_clause
from caveat.language.packs.en.connectives import segments, split_clauses, without_aside
from caveat.language.packs.en.introduction import QUANTIFIED, quantifier, stem_of
from caveat.language.sentences import sentences

# No sentence is longer; a text that seems to have one has no full stops, and no rules that can be told apart.
LONGEST_SENTENCE = 1500
# A line end inside an element does not end a sentence: plain text and Markdown break lines anywhere.
LINE_ENDS = str.maketrans("\r\n\v\f\x85\u2028\u2029", "       ")
_JOINED = re.compile(r",?\s+(?:and|but|because)(?:\s+(?:are|is|if))?\s*$", re.IGNORECASE)


class ConditionReader:
    """Reads conditions off the elements of one document; `used` are the items that are conditions of their list."""

    def __init__(self, places: Sequence[InContext]) -> None:
        self.places = places
        self.used: set[int] = set()

    def clauses(self, index: int, start: int, end: int, introduction: str = "") -> Expression:
        """What `start:end` of an element says, whole clauses apart: "you rent your home and you’re under 25"."""
        element = self.places[index].element
        text = element.text[start:end]
        joint, pieces = split_clauses(text.translate(LINE_ENDS))
        if len(pieces) == 1:
            return self._trimmed_atom(index, start, end, introduction)
        # A part may be joined itself: of "A and B, or C" the "or" is cut first.
        found = tuple(
            self.clauses(index, start + low, start + high, subject or introduction)
            for low, high, subject in pieces
        )
        return Any(found) if joint == "or" else All(found)

    def _trimmed_atom(self, index: int, start: int, end: int, introduction: str) -> Expression:
        text = self.places[index].element.text[start:end]
        start += len(text) - len(text.lstrip(" ,;"))
        text = text.strip(" ,;")
        return self.atom(index, start, start + len(text), text, introduction)

    def atom(self, index: int, start: int, end: int, words: str, introduction: str) -> Expression:
        """An atom of `start:end` of an element that asks for `words`; in a Not where they deny."""
        element = self.places[index].element
        asked = inquiry(words, introduction)
        atom = Atom(
            element.text[start:end], asked.question, index, element.start + start, element.start + end
        )
        return Not(atom) if asked.negated else atom

    def condition(
        self, index: int, start: int, end: int, items: Sequence[int] = (), consequence: str = ""
    ) -> Expression:
        """What a condition's clauses say, joined as they are, with the items of the list that they introduce."""
        if not items:
            return self.clauses(index, start, end)
        text = self.places[index].element.text[start:end].translate(LINE_ENDS)
        listed = self.listed(items, text, consequence)
        # "you’re 19 and either:": what stands before the joint is a condition of its own.
        opened = QUANTIFIED.sub("", text)
        how, head = "and", ""
        if ending := _JOINED.search(opened):
            head = opened[: ending.start()]
        else:
            how, pieces = split_clauses(f"{opened.rstrip()} something")
            head = opened[: pieces[-2][1]] if len(pieces) > 1 else ""
        if parse_clause(head) is None:
            return listed
        return (Any if how == "or" else All)((self.clauses(index, start, start + len(head)), listed))

    def listed(
        self, items: Sequence[int], introduction: str, consequence: str = "", *, required: bool = False
    ) -> Expression:
        """The items of a list, all or any or none of them; what is required only in some case says so itself."""
        self.used.update(items)
        texts = [self.places[item].element.text for item in items]
        how = quantifier(introduction, texts, consequence=consequence, required=required)
        parts = tuple(self._item(item, introduction, required) for item in items)
        return All(parts) if how == "all" else Any(parts) if how == "any" else Not(Any(parts))

    def _item(self, index: int, introduction: str, required: bool) -> Expression:
        """An item of a list of conditions; its own "if" and "unless" count, and so does a list inside it."""
        place = self.places[index]
        text = without_aside(place.element.text.translate(LINE_ENDS))
        if place.items:
            return self._nested(index, text, introduction, required)
        start, end = next(iter(sentences(text)), (0, len(text)))
        if end - start > LONGEST_SENTENCE:
            return self._trimmed_atom(index, start, start + LONGEST_SENTENCE, introduction)
        parts = segments(text[start:end])
        main = next((part for part in parts if part.sense == "main"), None)
        if main is None:
            return self.clauses(index, start, end, introduction)
        found = self.clauses(index, start + main.start, start + main.end, introduction)
        for part in parts:
            if part.sense != "main":
                own = self.clauses(index, start + part.start, start + part.end)
                holds = own if part.sense == "if" else Not(own)
                # What is required only in some case is not required in others.
                found = Any((Not(holds), found)) if required else All((found, holds))
        return found

    def _nested(self, index: int, text: str, introduction: str, required: bool) -> Expression:
        items = self.places[index].items
        listed = self.listed(items, f"{stem_of(introduction)} {text}", required=required)
        head = QUANTIFIED.sub("", text.rstrip(" :"))
        if joint := _JOINED.search(head):
            return All((self.clauses(index, 0, joint.start(), introduction), listed))
        return listed
