"""What a library is measured with: articles of data files as plain texts in a folder, and the questions on them.

Of the files that are asked every second article is left out of the folder: nothing in it answers its questions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import NamedTuple

from caveat.bench.questions import SYLLABLES
from caveat.benchmarks.shared.passage import Passage, gold_texts
from caveat.core.files import PathLike
from caveat.core.script import Language
from caveat.language.packs.zh import CHINESE

__all__ = ["LibraryQuestion", "write_articles", "write_generated"]

_BETWEEN = "\n\n"


class LibraryQuestion(NamedTuple):
    """A question, its gold answers, and where they stand: in which file, and where in its text; nowhere if left out."""

    language: Language
    text: str
    golds: list[str]
    source: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def write_articles(
    path: PathLike, language: Language, folder: Path, *, asked: bool = True
) -> list[LibraryQuestion]:
    """Write the articles of a SQuAD file (en) or a CMRC 2018 file (zh) to a folder, and give the questions on them.

    A file that is not `asked` is written whole.
    """
    from caveat.benchmarks.cmrc2018 import format as cmrc
    from caveat.benchmarks.squad import format as squad

    folder.mkdir(parents=True, exist_ok=True)
    passages = (cmrc if language == CHINESE else squad).read_passages(path)
    found: list[LibraryQuestion] = []
    for number, (_, members) in enumerate(groupby(passages, key=lambda passage: passage.article)):
        article = [passage for passage in members if passage.text.strip()]
        held_out = asked and number % 2 == 1
        texts = [passage.text for passage in article]
        file = folder / f"{number:05} {_name(article[0].title if article else '')}.txt"
        if article and not held_out:
            file.write_text(_BETWEEN.join(texts), encoding="utf-8", newline="")
        for passage, start in zip(article, _starts(texts), strict=True):
            found += _questions(passage, start, language, "" if held_out else str(file))
    return found


def write_generated(folder: Path, passages: int) -> list[str]:
    """Write articles of a hundred paragraphs of 90 words to a folder; the questions are of words of one paragraph.

    Words are drawn so that a few are frequent and most are rare, as in texts.
    """
    draw = random.Random(5)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(60_000)]
    weights = list(accumulate(1 / (rank + 2) for rank in range(len(words))))
    folder.mkdir(parents=True, exist_ok=True)
    asked: list[str] = []
    for number in range(passages // 100):
        paragraphs = [" ".join(draw.choices(words, cum_weights=weights, k=90)) for _ in range(100)]
        (folder / f"{number:06}.txt").write_text(_BETWEEN.join(paragraphs))
        if number % max(1, passages // 20_000) == 0:
            asked.append(" ".join(draw.sample(paragraphs[7].split(), 8)))
    return asked


def _name(title: str) -> str:
    """A title as the name of a file: what a system may refuse is left out."""
    return "".join(letter for letter in title.replace("_", " ") if letter.isalnum() or letter == " ")[
        :60
    ].strip()


def _starts(texts: Sequence[str]) -> list[int]:
    """Where texts begin that are put together."""
    return list(accumulate((len(text) + len(_BETWEEN) for text in texts[:-1]), initial=0)) if texts else []


def _questions(passage: Passage, start: int, language: Language, file: str) -> Iterator[LibraryQuestion]:
    for question in passage.questions:
        if not question.answerable or not question.text.strip():
            continue
        spans = tuple(
            (start + span.start, start + span.end)
            for answer in question.answers
            for span in answer
            if span.start is not None and span.end is not None and span.start >= 0
        )
        yield LibraryQuestion(language, question.text, gold_texts(question), file, spans if file else ())
