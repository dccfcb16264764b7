"""A generated knowledge base whose names are as long, and as often shared, as those of an encyclopedia's."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec

__all__ = ["Asked", "generate_kb"]

# 43 million triples about 6.5 million entities with 588 thousand predicates, as the task's knowledge base has.
_TRIPLES_AN_ENTITY = 6.6
_TRIPLES_A_PREDICATE = 73
_ASKED = 2_000

_SYLLABLES = (
    "ka",
    "to",
    "mi",
    "ra",
    "ne",
    "so",
    "lu",
    "vi",
    "den",
    "ber",
    "gar",
    "mon",
    "tel",
    "fis",
    "han",
    "wor",
)


class Asked(msgspec.Struct, frozen=True):
    """An entity of the knowledge base, its name as a question has it, and one of its predicates."""

    entity: str
    name: str
    predicate: str


def generate_kb(path: Path, triples: int, seed: int = 43) -> list[Asked]:
    """Write so many triples in NLPCC's format; returns entities, evenly over the file, to ask for."""
    random = Random(seed)
    words = _Words(random, max(200, triples // _TRIPLES_A_PREDICATE))
    asked: list[Asked] = []
    apart = max(1, triples // _ASKED)
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        written = 0
        while written < triples:
            name = words.name()
            entity = f"{name}（{words.phrase()}）" if random.random() < 0.15 else name
            count = min(1 + int(random.expovariate(1 / (_TRIPLES_AN_ENTITY - 1))), triples - written)
            lines = [(words.predicate(), words.object()) for _ in range(count)]
            out.writelines(f"{entity} ||| {predicate} ||| {object}\n" for predicate, object in lines)
            if written // apart != (written + count) // apart:
                asked.append(Asked(entity, name, lines[0][0]))
            written += count
    return asked


class _Words:
    """Names, predicates and values put together from pieces that are made once."""

    def __init__(self, random: Random, predicates: int) -> None:
        self._random = random
        self._characters = [chr(0x4E00 + random.randrange(0x5000)) for _ in range(3_000)]
        # Two thirds of the names in Chinese have two or three characters a part.
        self._pieces = [self._han(2 + (number % 3 == 0)) for number in range(60_000)]
        self._latin = ["".join(random.choices(_SYLLABLES, k=3)).capitalize() for _ in range(5_000)]
        self._predicates = list(dict.fromkeys(self._han(2 + number % 4) for number in range(predicates)))
        self._common = random.choices(self._pieces, k=2_000)
        self._values = [self._value() for _ in range(100_000)]

    def _han(self, length: int) -> str:
        # Some characters are far more frequent than others.
        most = len(self._characters)
        return "".join(self._characters[int(most ** self._random.random()) - 1] for _ in range(length))

    def name(self) -> str:
        """Of four to six characters, some shorter, some longer, some in Latin letters."""
        random = self._random
        kind, pieces, latin = random.random(), self._pieces, self._latin
        if kind < 0.08:
            return f"{latin[int(random.random() * 5_000)]} {latin[int(random.random() * 5_000)]}"
        name = pieces[int(random.random() * 60_000)] + pieces[int(random.random() * 60_000)]
        return name if kind < 0.75 else name + pieces[int(random.random() * 60_000)]

    def phrase(self) -> str:
        """A few words, as they explain a name in brackets."""
        return "".join(self._random.choices(self._pieces, k=3))

    def predicate(self) -> str:
        """The first of the predicates far more often than the last."""
        return self._predicates[int(len(self._predicates) ** self._random.random()) - 1]

    def object(self) -> str:
        """A name, a value that many things have, a date or measure, a phrase, now and then a text."""
        random = self._random
        kind = random.random()
        if kind < 0.35:
            return self.name()
        if kind < 0.5:
            return self._common[int(random.random() * 2_000)]
        # Nearly every value is met once: a number makes it so.
        return f"{self._values[int(random.random() * 100_000)]}{int(random.random() * 10_000)}"

    def _value(self) -> str:
        random = self._random
        kind = random.random()
        if kind < 0.4:
            return f"{random.randint(1800, 2024)}年{random.randint(1, 12)}月"
        if kind < 0.9:
            return "".join(random.choices(self._pieces, k=random.randint(2, 5)))
        return "".join(random.choices(self._pieces, k=random.randint(10, 35)))
