"""How many different texts there are among millions, in eight bytes each."""

from __future__ import annotations

from array import array

__all__ = ["Distinct"]

_BUCKETS = 256
_SMALLEST = 1024


class Distinct:
    """Counts different texts by their 64-bit hashes, exactly unless two texts share one.

    Among ten million texts the odds of that are one in 370,000. Hashes wait in buckets and lose their
    repetitions whenever a bucket has doubled, so that memory follows the number of different texts, whatever
    their lengths and however often they come.
    """

    def __init__(self) -> None:
        self._buckets = [array("q") for _ in range(_BUCKETS)]
        self._limits = [_SMALLEST] * _BUCKETS
        self._last: str | None = None

    def add(self, text: str) -> None:
        """Count a text, unless it was counted before."""
        if text == self._last:
            return  # files of triples are mostly in the order of their subjects
        self._last = text
        hashed = hash(text)
        number = hashed & (_BUCKETS - 1)
        bucket = self._buckets[number]
        bucket.append(hashed)
        if len(bucket) >= self._limits[number]:
            bucket = self._buckets[number] = array("q", set(bucket))
            self._limits[number] = max(_SMALLEST, 2 * len(bucket))

    def __len__(self) -> int:
        return sum(len(set(bucket)) for bucket in self._buckets)
