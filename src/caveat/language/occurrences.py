"""Every place where an answer stands in a text, matched on normalised text, as MRQA records them."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from caveat.language.normalise import normalise_squad
from caveat.language.words import Token, words


class Occurrence(msgspec.Struct, frozen=True):
    """A place: characters `start:end` and tokens `first:last`, both half-open."""

    start: int
    end: int
    first: int
    last: int


class Occurrences:
    """A text, tokenised once, in which answers are looked up."""

    def __init__(self, text: str, tokens: list[Token] | None = None) -> None:
        self.text = text
        self.tokens = words(text) if tokens is None else tokens
        self._normal = [normalise_squad(token) for token, _ in self.tokens]
        self._beginning: dict[str, list[int]] = defaultdict(list)
        for index, normal in enumerate(self._normal):
            if normal:
                self._beginning[normal[0]].append(index)

    def of(self, answer: str) -> list[Occurrence]:
        """The places whose text, once normalised, equals the answer.

        Where the text has the answer's own articles and punctuation they are part of the place ("the 2015
        season"); elsewhere the place is the bare words ("The Broncos" → "Broncos").
        """
        wanted = normalise_squad(answer)
        if not wanted:
            return []
        places = []
        for first in self._beginning.get(wanted[0], ()):
            if wanted.startswith(self._normal[first]) and (place := self._match(first, wanted)):
                places.append(self._widen(place, answer.strip()))
        return places

    def _widen(self, place: Occurrence, answer: str) -> Occurrence:
        """The place together with the articles and punctuation around it that the answer has too."""
        first, last = place.first, place.last
        while first and not self._normal[first - 1] and self._is_part(first - 1, place.last, answer):
            first -= 1
        while (
            last < len(self.tokens)
            and not self._normal[last]
            and self._is_part(place.first, last + 1, answer)
        ):
            last += 1
        if (first, last) == (place.first, place.last):
            return place
        return Occurrence(self.tokens[first][1], self._end(last), first, last)

    def _is_part(self, first: int, last: int, answer: str) -> bool:
        return self.text[self.tokens[first][1] : self._end(last)].lower() in answer.lower()

    def _end(self, last: int) -> int:
        token, offset = self.tokens[last - 1]
        return offset + len(token)

    def _match(self, first: int, wanted: str) -> Occurrence | None:
        start = self.tokens[first][1]
        length = 0  # of the normalised tokens so far: a cheap bound before the text is normalised as a whole
        shortest = len(wanted) - wanted.count(" ")
        for last in range(first, len(self.tokens)):
            normal = self._normal[last]
            length += len(normal)
            if length > len(wanted):
                return None
            if not normal or length < shortest:
                continue
            end = self._end(last + 1)
            if normalise_squad(self.text[start:end]) == wanted:
                return Occurrence(start, end, first, last + 1)
        return None
