"""A question as it is compared: folded once, and what is left of it when an entity's name is masked."""

from __future__ import annotations

import numpy as np

from caveat.answerers.knowledge.grams import MASK, units_of
from caveat.answerers.knowledge.index.folding import fold
from caveat.answerers.knowledge.index.names import QUOTES, other_names

__all__ = ["AskedQuestion"]


class AskedQuestion:
    """A question, folded, with the way from offsets in it to those in the folded text."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text = text
        self.folded = folded.text
        self._origin = folded.origin

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the question is in the folded text."""
        first, last = np.searchsorted(self._origin, (start, end)).tolist()
        return first, last

    def masked(self, start: int, end: int) -> str:
        """The folded text with a stretch of it, and the quotes around that, replaced by a mask."""
        before, after = self.folded[:start].rstrip(), self.folded[end:].lstrip()
        while before and after and QUOTES.get(before[-1]) == after[0]:
            before, after = before[:-1].rstrip(), after[1:].lstrip()
        return f"{before}{MASK}{after}"

    def masked_units(self, start: int, end: int) -> list[str]:
        """The units of that."""
        return units_of(self.masked(start, end))

    def find(self, entity: str) -> tuple[int, int] | None:
        """Where the folded text has an entity's name, or that without brackets or quotes; the first place."""
        for name in (entity, *other_names(entity)):
            wanted = fold(name).text
            at = self.folded.find(wanted) if wanted else -1
            if at >= 0:
                return at, at + len(wanted)
        return None
