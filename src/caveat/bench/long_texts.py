"""Long texts with all windows read, and with those that share most with the question: answers and time, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, median
from time import perf_counter
from typing import NamedTuple

import msgspec

from caveat.answerers.engine import load
from caveat.bench.measure import Cell, Measured, Watch, in_ratio, in_time
from caveat.bench.questions import Questions, read_questions
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.session import available_cores
from caveat.models.windowed_model import ReadRequest

_SEED = 2018


class Way(NamedTuple):
    """A way to read a text: whether its windows' words count, and how many of them are read."""

    label: str
    words: bool
    limit: Limit | None = None

    def request(self, reader: Reader, question: str, text: str) -> ReadRequest:
        """What the reader is asked: as `ask` does where words count, else as the model itself would have it."""
        reader.limit = self.limit
        return ReadRequest(question, text, reader.choose(question, [text])[0] if self.words else None)


# The others are measured against the first; `ask` reads as the last does, `ask --thorough` as the one before it.
WAYS = (
    Way("all windows", words=False),
    Way("all windows, words counted", words=True),
    Way("chosen windows", words=True, limit=Limit()),
)


class _Course(msgspec.Struct):
    """What was measured of one way: of each question answer and windows read, of each repeat all its seconds."""

    seconds: list[float]
    answers: list[str] = []
    read: list[int] = []


def bench_long_texts(
    *,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    passages: int = 10,
    questions: int = 200,
    repeats: int = 3,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Measure the embedded readers, or those in `models`, on documents of neighbouring passages of the data.

    A document has `passages` of them. Of each file `questions` answerable questions are drawn, the same in each run.
    """
    if not data:
        raise UsageError("Long texts are made of a data file's passages: name one with --en or --zh.")
    for language in models:
        if language not in data:
            raise UsageError(f"--model-{language} reads nothing without --{language}.")
    rows: list[tuple[Cell, ...]] = []
    notes = [
        "Characters and windows are means over the questions. Times are medians over the repeats "
        f"({repeats}) of one run, question by question in turns, threads: {available_cores()}; the texts' tokens are "
        "kept from before. A ratio is the time of reading all windows over this one."
    ]
    languages: tuple[Language, ...] = (CHINESE, ENGLISH)
    for language in [one for one in languages if one in data]:
        reader = load(models.get(language, f"reader-{language}"), thorough=True).reader_for(language)
        asked = read_questions(language, data[language], questions, passages=passages, seed=_SEED)
        rows += _rows(asked, _measure(reader, asked, repeats, watch))
        notes.append(f"{asked.read_by(reader.card)}. Passages in a document: {passages}.")
    columns = ("characters", "windows", "windows read", "F1", "exact match", "a question", "ratio", "spread")
    return Measured("Long texts", ("", *columns), tuple(rows), tuple(notes))


def _measure(reader: Reader, asked: Questions, repeats: int, watch: Watch) -> list[_Course]:
    """A course a way; before the first repeat each way reads once, which loads the model."""
    courses = [_Course([0.0] * repeats) for _ in WAYS]
    for way in WAYS:
        _answer(reader, way.request(reader, *asked.pairs[0]))
    turns = [(repeat, *pair) for repeat in range(repeats) for pair in asked.pairs]
    for repeat, question, text in watch(turns, len(turns)):
        # Otherwise the first way would do it for all.
        reader.encode(text)
        for way, course in zip(WAYS, courses, strict=True):
            begin = perf_counter()
            request = way.request(reader, question, text)
            answer = _answer(reader, request)
            course.seconds[repeat] += perf_counter() - begin
            if not repeat:
                course.answers.append(answer)
                windows = reader.choose(question, [text])[0] if request.windows is None else request.windows
                course.read.append(len(windows))
    return courses


def _answer(reader: Reader, request: ReadRequest) -> str:
    [found] = reader.read([request])
    return found.candidates[0].text if found.candidates else ""


def _rows(asked: Questions, courses: Sequence[_Course]) -> Iterator[tuple[Cell, ...]]:
    plain = courses[0]
    characters = round(mean(len(text) for _, text in asked.pairs))
    for way, course in zip(WAYS, courses, strict=True):
        scores = asked.scores(course.answers)
        yield (
            f"{asked.language}: {way.label}",
            characters,
            float(mean(plain.read)),
            float(mean(course.read)),
            scores["f1"],
            scores["exact_match"],
            in_time(median(course.seconds) / len(asked.pairs)),
            *((None, None) if course is plain else in_ratio(plain.seconds, course.seconds)),
        )
