"""Caveat's ranker beside sentence-transformers' CrossEncoder: the same weights, pairs and cores, in turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import msgspec
import numpy as np

from caveat.answerers.ranking.evidence import CandidateList
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.bench.peers import (
    OURS,
    SCRIPTS,
    Contender,
    Peer,
    Turns,
    WorkerSettings,
    columns_of,
    contenders_of,
    first_answer,
    heads_of,
    left_out,
    settings_of,
    versions_of,
    with_ratios,
    without_ratios,
)
from caveat.bench.questions import generate_questions
from caveat.benchmarks.nlpcc import metric as ranking
from caveat.benchmarks.nlpcc.ranked_predict import ranked, read_sentence_lists
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.core.records import Table
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.sentences import sentences
from caveat.models.card import read_card
from caveat.models.embedded import embedded, find
from caveat.models.ranker import Ranker
from caveat.models.session import available_cores

PEERS = {
    "sentence-transformers": Peer(
        "torch transformers sentence-transformers", SCRIPTS / "sentence_transformers_ranker.py"
    )
}
# Pairs before the first that is measured; the candidate tables that are ranked, and their rows.
_WARM_UP, _TABLES, _ROWS = 32, 20, 100


class _Course(msgspec.Struct):
    """What was measured of one contender: seconds, a number a repeat; peak memory and scores of the first."""

    versions: dict[str, str]
    all_pairs: list[float] = []
    cold_start: list[float] = []
    kilobytes: int = 0
    scores: list[float] = []


def bench_ranking(
    *,
    repeats: int = 3,
    pairs: int = 1000,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    peers: Mapping[str, str] = {},
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Measure the embedded rankers, or those in `models`, on pairs of DBQA files or, without one, on generated ones.

    `peers` are names of `PEERS` with the interpreter of each one's environment. A language is measured if it has data
    or a model of its own here, both if none has.
    """
    threads = available_cores()
    contenders, without = contenders_of("caveat_ranker.py", PEERS, peers)
    notes = [
        f"Medians over the repeats ({repeats}) of one run, in turns, threads of each: {threads}. Ratios above 1 are "
        "in Caveat's favour.",
        *without,
    ]
    languages: tuple[Language, ...] = (CHINESE, ENGLISH)
    measured: dict[Language, tuple[Path, list[CandidateList], dict[str, _Course]]] = {}
    for language in [one for one in languages if one in data or one in models] or languages:
        if language not in models and f"rank-{language}" not in embedded():
            notes.append(
                f"{language} is left out: no rank-{language} came with this installation; "
                f"--model-{language} names one."
            )
            continue
        folder = find(models.get(language, f"rank-{language}"))
        lists, source = _lists(language, data.get(language), pairs)
        card = read_card(folder)
        settings = WorkerSettings(str(folder.resolve()), threads, card.window, 0, 0)
        courses, failed = _race(contenders, settings, lists, repeats, watch)
        measured[language] = folder, lists, courses
        for name, reason in failed.items():
            contenders.pop(name)
            notes.append(left_out(name, PEERS[name], reason))
        count = sum(len(each.candidates) for each in lists)
        notes.append(f"{language}: {card.name} ({card.precision}), {count:,} pairs of {source}.")
    if not measured:
        raise CaveatError("There is no ranker to measure: name one with --model-zh or --model-en.")
    every = [courses for _, _, courses in measured.values()]
    columns = columns_of(PEERS, every)
    rows: list[tuple[Cell, ...]] = []
    for language, (folder, lists, courses) in measured.items():
        rows += _rows(language, lists, courses, columns)
        rows.append(_tables_row(language, folder, repeats, len(columns)))
    notes += versions_of(every)
    return Measured(
        "The ranker beside another with the same weights",
        heads_of(columns),
        tuple(rows),
        tuple(notes),
    )


def _lists(language: Language, path: PathLike | None, pairs: int) -> tuple[list[CandidateList], str]:
    """About `pairs` pairs, as whole lists, spread evenly over a file, or generated."""
    if path is None:
        made = generate_questions(language, max(1, pairs // 7))
        texts = ((question, [text[a:b] for a, b in sentences(text)]) for question, text in made.pairs)
        found, source = (
            [CandidateList(question, tuple(parts)) for question, parts in texts if parts],
            made.source,
        )
    else:
        found, source = list(read_sentence_lists(path)), Path(path).name
    mean = sum(len(each.candidates) for each in found) / len(found)
    count = min(len(found), max(1, round(pairs / mean)))
    return [found[number * len(found) // count] for number in range(count)], source


def _race(
    contenders: Mapping[str, Contender],
    settings: WorkerSettings,
    lists: Sequence[CandidateList],
    repeats: int,
    watch: Watch,
) -> tuple[dict[str, _Course], dict[str, str]]:
    pairs = [(each.question, str(text)) for each in lists for text in each.candidates]
    with ExitStack() as stack:
        of = settings_of(contenders, settings, stack)
        turns = stack.enter_context(Turns(contenders, of))
        turns.start(pairs[:_WARM_UP])
        courses = {name: _Course(worker.versions) for name, worker in turns.workers.items()}

        def score_all(number: int, name: str) -> None:
            # Caveat keeps the tokens of a text; one more blank makes it another text.
            found = turns.workers[name].answer([(question, text + " " * number) for question, text in pairs])
            course = courses[name]
            course.all_pairs.append(found.seconds)
            if number == 1:
                course.scores, course.kilobytes = list(map(float, found.answers)), found.kilobytes

        def start_cold(name: str) -> None:
            courses[name].cold_start.append(first_answer(contenders[name], of[name], pairs[0]))

        for number in watch(range(1, repeats + 1), repeats):
            turns.each(partial(score_all, number))
            turns.each(start_cold)
    return {name: course for name, course in courses.items() if name not in turns.failed}, turns.failed


def _rows(
    language: Language, lists: Sequence[CandidateList], courses: Mapping[str, _Course], columns: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    count = sum(len(each.candidates) for each in lists)

    def row(
        label: str, show: Callable[[_Course], Cell], times: Callable[[_Course], list[float]]
    ) -> tuple[Cell, ...]:
        return with_ratios(f"{language}: {label}", courses, columns, show, times)

    def plain(label: str, show: Callable[[_Course], Cell]) -> tuple[Cell, ...]:
        return without_ratios(f"{language}: {label}", courses, columns, lambda name: show(courses[name]))

    yield row("pairs a second", lambda c: f"{count / median(c.all_pairs):.1f}", lambda c: c.all_pairs)
    yield row("first score, cold start", lambda c: in_time(median(c.cold_start)), lambda c: c.cold_start)
    yield row("peak memory", lambda c: f"{c.kilobytes / 1024:.0f} MB", lambda c: [float(c.kilobytes)])
    best = {name: _best(lists, course.scores) for name, course in courses.items()}
    yield plain(
        "same best candidate as caveat",
        lambda c: None if c is courses[OURS] else f"{_same(_best(lists, c.scores), best[OURS]):.1f}%",
    )
    if all(each.right for each in lists):
        groups = [(each.question, each.right) for each in lists]
        yield plain("MRR", lambda c: ranking.score(groups, c.scores).scores["mrr"])


def _best(lists: Sequence[CandidateList], scores: Sequence[float]) -> list[int]:
    ends = np.cumsum([len(each.candidates) for each in lists])[:-1]
    return [int(part.argmax()) for part in np.split(np.array(scores), ends)]


def _same(ours: Sequence[int], theirs: Sequence[int]) -> float:
    return 100 * sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(ours)


def _tables_row(language: Language, folder: Path, repeats: int, columns: int) -> tuple[Cell, ...]:
    """The time for one question on candidate tables, with its evidence and the ranker's scores, here alone."""
    ranker = Ranker.load(folder)
    times = []
    for number in range(repeats + 1):
        asked = CandidateList(*_tables(language, number))
        begin = perf_counter()
        for _ in ranked([asked], "combined", ranker):
            pass
        times.append(perf_counter() - begin)
    label = f"{language}: {_TABLES} tables of {_ROWS} rows"
    # The first has loaded the model.
    return (label, in_time(median(times[1:])), *[None] * (3 * (columns - 1)))


def _tables(language: Language, seed: int) -> tuple[str, tuple[Table, ...]]:
    """Tables of generated words, new ones each time."""
    made = generate_questions(language, 40)
    words = [word for _, text in made.pairs for word in _words(language, text)]
    draw = Random(seed)

    def cells(count: int, longest: int) -> tuple[str, ...]:
        return tuple(" ".join(draw.choices(words, k=draw.randint(1, longest))) for _ in range(count))

    tables = tuple(
        Table(cells(6, 2), tuple(cells(6, 3) for _ in range(_ROWS)), caption=cells(1, 5)[0])
        for _ in range(_TABLES)
    )
    return made.pairs[seed % len(made.pairs)][0], tables


def _words(language: Language, text: str) -> Iterable[str]:
    return (text[at : at + 2] for at in range(0, len(text) - 1, 2)) if language == CHINESE else text.split()
