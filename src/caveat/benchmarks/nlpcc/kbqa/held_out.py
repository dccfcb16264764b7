"""Which questions are kept from a fit: those whose text has the smallest hashes, so that no seed decides it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion

__all__ = ["by_hash", "held_out"]


def by_hash(questions: Iterable[KbqaQuestion]) -> list[KbqaQuestion]:
    """The questions in the order of BLAKE2b of their text, in UTF-8, 8 bytes long; of equal text in the given order."""
    return sorted(questions, key=lambda each: blake2b(each.question.strip().encode(), digest_size=8).digest())


def held_out(questions: Iterable[KbqaQuestion], count: int) -> list[KbqaQuestion]:
    """The first `count` of them in that order; a fit takes the others."""
    return by_hash(questions)[:count]
