"""What the readers are asked: questions of a data file with their gold answers, or generated ones without."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

import msgspec

from caveat.benchmarks.shared.passage import Passage, gold_texts
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.language.packs.zh import CHINESE
from caveat.models.card import Card

Item = TypeVar("Item")

# Pieces of words that are made up.
SYLLABLES = "ka to mi ra ne so lu vi den ber gar mon tel fis han wor".split()  # noqa: SIM905
# Frequent words and characters; sentences of them mean nothing, but take as many tokens as others.
_WORDS = (
    "the of and to in a is that it was for on are as with his they at be this from have or by one had not but "
    "what all were when we there can an your which their said if do will each about how up out them then she "
    "many some so these would other into has more her two like him see time could no make than first been its "
    "who now people my made over did down only way find use may water long little very after words called just "
    "where most know house river school north garden letter winter"
)
_CHARACTERS = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好"
    "都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进"
)


def documents_of(passages: Iterable[Passage], count: int) -> Iterator[tuple[str, Passage]]:
    """Each passage, in order, after the document that it is a part of: `count` neighbours, blank lines between.

    Neighbours are passages of one article or, where no article has more than one, of the whole file. The last
    document goes back far enough to have as many as the others; an article with fewer is one document.
    """
    articles = [list(members) for _, members in groupby(passages, key=lambda passage: passage.article)]
    if all(len(article) == 1 for article in articles):
        articles = [[passage for article in articles for passage in article]]
    for article in articles:
        for at in range(0, len(article), count):
            first = max(0, min(at, len(article) - count))
            text = "\n\n".join(passage.text for passage in article[first : first + count])
            for passage in article[at : at + count]:
                yield text, passage


class Questions(msgspec.Struct, frozen=True):
    """Pairs of question and text, and for each the gold answers; none where they are generated."""

    source: str
    language: Language
    pairs: tuple[tuple[str, str], ...]
    golds: tuple[list[str], ...] = ()

    def scores(self, answers: Sequence[str]) -> dict[str, float]:
        """`exact_match` and `f1` of answers in the order of the pairs: CMRC's in Chinese, SQuAD's in English."""
        from caveat.benchmarks.cmrc2018 import task as cmrc
        from caveat.benchmarks.shared import extractive_metric as extractive

        score = cmrc.score if self.language == CHINESE else extractive.score
        gold = {str(number): golds for number, golds in enumerate(self.golds)}
        found = score(gold, {str(number): answer for number, answer in enumerate(answers)}).scores
        return {name: found[name] for name in ("exact_match", "f1")}

    def read_by(self, card: Card) -> str:
        """What was asked of which model, as a note says it."""
        return (
            f"{self.language}: {card.name} ({card.precision}), {len(self.pairs):,} questions of {self.source}, windows "
            f"of at most {card.window} tokens that move by {card.stride}"
        )

    def documents(self, length: int, first: int, count: int) -> list[tuple[str, str]]:
        """Texts of `length` characters, joined from several, with a question on the beginning of each.

        Each begins with its number, `first` and those after it, so that no two are the same.
        """
        made = []
        for number in range(first, first + count):
            begin = at = 17 * number % len(self.pairs)
            text = f"{number}\n"
            while len(text) < length:
                text += f"{self.pairs[at][1]}\n"
                at = (at + 1) % len(self.pairs)
            made.append((self.pairs[begin][0], text[:length]))
        return made


def read_questions(
    language: Language, path: PathLike, count: int, *, passages: int = 1, seed: int | None = None
) -> Questions:
    """At most `count` answerable questions of a CMRC 2018 file (zh) or a SQuAD file (en), in the file's order.

    They are spread evenly over the file or, with a seed, drawn at random. Each is asked of its passage, or of the
    document that `passages` neighbouring passages make.
    """
    from caveat.benchmarks.cmrc2018 import format as cmrc
    from caveat.benchmarks.squad import format as squad

    reader = cmrc if language == CHINESE else squad
    found = [
        (text, question)
        for text, passage in documents_of(reader.read_passages(path), passages)
        for question in passage.questions
        if question.answerable and question.text.strip() and passage.text.strip()
    ]
    if not found:
        raise InputError("the file has no questions with answers", path=path)
    if seed is None:
        chosen = evenly(found, count)
    else:
        numbers = sorted(Random(seed).sample(range(len(found)), min(count, len(found))))
        chosen = [found[number] for number in numbers]
    return Questions(
        Path(path).name,
        language,
        tuple((question.text, text) for text, question in chosen),
        tuple(gold_texts(question) for _, question in chosen),
    )


def evenly(items: Sequence[Item], count: int) -> list[Item]:
    """At most `count` of the items, evenly over all of them."""
    count = min(count, len(items))
    return [items[number * len(items) // count] for number in range(count)]


def generate_questions(language: Language, count: int) -> Questions:
    """Questions on texts of about the length of CMRC's (zh) and SQuAD's (en), the same ones in each run."""
    random = Random(2018)
    sentence = _chinese if language == CHINESE else _english
    pairs = []
    for _ in range(count):
        text = ("" if language == CHINESE else " ").join(
            sentence(random, random.randint(8, 24)) for _ in range(random.randint(4, 10))
        )
        pairs.append((sentence(random, random.randint(6, 14))[:-1] + "?", text))
    return Questions("generated texts", language, tuple(pairs))


def _english(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS.split(), k=words)).capitalize() + "."


def _chinese(random: Random, words: int) -> str:
    return (
        "，".join("".join(random.choices(_CHARACTERS, k=words)) for _ in range(random.randint(2, 5))) + "。"
    )


# What a library is measured with: articles of data files as plain texts in a folder, and the questions on them.
#
# Of the files that are asked every second article is left out of the folder: nothing in it answers its questions.

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
            found += _article_questions(passage, start, language, "" if held_out else str(file))
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


def _article_questions(
    passage: Passage, start: int, language: Language, file: str
) -> Iterator[LibraryQuestion]:
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
