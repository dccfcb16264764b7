"""Questions with another's name: asked of a page on one person what is asked of another, a reader is to be silent.

The questions of a set whose name stands in their passage too, each with that name exchanged for one from an earlier
passage that this one does not have. What the passage tells is still asked for, and it no longer answers.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.shared.passage import Passage, PassageQuestion
from caveat.core.script import HAN, count_han
from caveat.training.kinds.reader.synthetic import EDGES, TOLD_APART

__all__ = ["exchanged"]

# Words with capitals inside a sentence: a name of any length.
_CAPITALS = re.compile(
    r"(?<=[\w,'’\")] )[A-ZÀ-Þ][\w'’.-]*\w(?: (?:of |de |the |van |von )?[A-ZÀ-Þ][\w'’.-]*\w)*"
)
_QUOTED = re.compile(r"(?<=《)[^《》]{2,20}(?=》)")
# Chinese without the characters that begin or end no name, and those that ask.
_SMALL = "".join(sorted(EDGES)) + "什么谁哪几多少如何怎样吗呢点他她它们我你您"
_CONTENT = re.compile(rf"(?:(?![{_SMALL}])[{HAN}])+")
_LONGEST_TOPIC = 8
# The names of so many questions are kept to choose from, and so many are tried.
_KEPT, _TRIED = 5_000, 40
_LONGER_BY = 3


def exchanged(passages: Iterable[Passage], seed: int) -> Iterator[Passage]:
    """The passages with unanswerable questions in place of their own; without those that none can be made for."""
    draw = random.Random(f"exchanged {seed}")
    names: deque[str] = deque(maxlen=_KEPT)
    for passage in passages:
        asked = [(question, _name(question.text, passage)) for question in passage.questions]
        made = [
            _with_another(question, name, other)
            for question, name in asked
            if name and (other := _another(name, passage.text, names, draw))
        ]
        names.extend(dict.fromkeys(name for _, name in asked if name))
        if made:
            yield msgspec.structs.replace(passage, questions=tuple(made))


def _name(question: str, passage: Passage) -> str:
    """The longest name of a question that its passage has, or that it is about; in Chinese else any matter of both."""
    found = [*_CAPITALS.findall(question), *_QUOTED.findall(question)]
    title = TOLD_APART.sub("", passage.title.replace("_", " ")).rstrip()
    if len(title) > 1 and title in question:
        found.append(title)
    name = max((name for name in found if name in passage.text or name == title), key=len, default="")
    return name or _topic(question, passage.text)


def _topic(question: str, text: str) -> str:
    """The longest stretch of a Chinese question, without the characters that hold words together, that the text has."""
    stretches = (
        match[0][start:end]
        for match in _CONTENT.finditer(question)
        for start in range(len(match[0]) - 1)
        for end in range(start + 2, min(len(match[0]), start + _LONGEST_TOPIC) + 1)
    )
    return max((stretch for stretch in stretches if stretch in text), key=len, default="")


def _another(name: str, text: str, names: deque[str], draw: random.Random) -> str:
    """A name like this one that the text has no word of; empty where none was found."""
    folded = text.casefold()
    for other in draw.sample(names, min(_TRIED, len(names))):
        if _are_alike(name, other) and not any(part in folded for part in _parts(other)):
            return other
    return ""


def _are_alike(name: str, other: str) -> bool:
    if bool(count_han(name)) != bool(count_han(other)):
        return False
    sizes = (len(name), len(other)) if count_han(name) else (len(name.split()), len(other.split()))
    return abs(sizes[0] - sizes[1]) <= (_LONGER_BY if count_han(name) else 1)


def _parts(name: str) -> list[str]:
    """What of a name may not stand in a text, in lower case: each longer word of it, in Chinese all of it."""
    if count_han(name):
        return [name.casefold()]
    return [word for word in re.split(r"\W+", name.casefold()) if len(word) > 2] or [name.casefold()]


def _with_another(question: PassageQuestion, name: str, other: str) -> PassageQuestion:
    return PassageQuestion(f"{question.id} {other}", question.text.replace(name, other))
