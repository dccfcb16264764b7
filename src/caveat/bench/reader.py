"""Caveat's reader beside transformers and Haystack: the same weights, questions and cores, in turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

import msgspec

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
from caveat.bench.questions import Questions, generate_questions, read_questions
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.models.card import TOKENIZER, read_card
from caveat.models.embedded import find
from caveat.models.encoding import encode_question, load_tokenizer, pair_layout
from caveat.models.session import available_cores

# Characters of a document, and how much longer the long one is.
_DOCUMENT, _TIMES = 2000, 10
# Documents of that length in a repeat, and questions before the first.
_DOCUMENTS, _WARM_UP = 5, 16

PEERS = {
    "transformers": Peer("torch transformers", SCRIPTS / "transformers_reader.py"),
    "haystack": Peer("torch transformers-haystack", SCRIPTS / "haystack_reader.py"),
}


class _Course(msgspec.Struct):
    """What was measured of one contender: seconds, a number a repeat; peak memory and answers of the first."""

    versions: dict[str, str]
    all_questions: list[float] = []
    cold_start: list[float] = []
    document: list[float] = []
    long_document: list[float] = []
    kilobytes: int = 0
    answers: list[str] = []


def _race(
    contenders: Mapping[str, Contender],
    settings: WorkerSettings,
    asked: Questions,
    repeats: int,
    watch: Watch = lambda items, total: items,
) -> tuple[dict[str, _Course], dict[str, str]]:
    """What was measured, by contender, and why some dropped out; the peers get the settings' model as a checkpoint.

    All load and warm up first. In each repeat all answer the whole set, then documents one at a time, then their
    first question in a new process.
    """
    courses: dict[str, _Course] = {}
    with ExitStack() as stack:
        of = settings_of(contenders, settings, stack)
        turns = stack.enter_context(Turns(contenders, of))

        def answer_all(number: int, name: str) -> None:
            # Caveat keeps the tokens of a text for the next question; one more blank makes it another text.
            found = turns.workers[name].answer([(q, text + " " * number) for q, text in asked.pairs])
            course = courses[name]
            course.all_questions.append(found.seconds)
            if number == 1:
                course.answers, course.kilobytes = found.answers, found.kilobytes

        def answer_documents(number: int, name: str) -> None:
            worker, course = turns.workers[name], courses[name]
            short = asked.documents(_DOCUMENT, number * _DOCUMENTS, _DOCUMENTS)
            course.document.append(median(worker.answer([pair]).seconds for pair in short))
            course.long_document.append(worker.answer(asked.documents(_TIMES * _DOCUMENT, number, 1)).seconds)

        def start_cold(name: str) -> None:
            courses[name].cold_start.append(first_answer(contenders[name], of[name], asked.pairs[0]))

        turns.start(asked.pairs[:_WARM_UP])
        courses.update({name: _Course(worker.versions) for name, worker in turns.workers.items()})
        for number in watch(range(1, repeats + 1), repeats):
            turns.each(partial(answer_all, number))
            turns.each(partial(answer_documents, number))
            turns.each(start_cold)
    return {name: course for name, course in courses.items() if name not in turns.failed}, turns.failed


def bench_reader(
    *,
    repeats: int = 3,
    questions: int = 500,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    peers: Mapping[str, str] = {},
    overlap: int | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Measure the embedded readers, or those in `models`, on data files or, without one, on generated texts.

    `peers` are names of `PEERS` with the interpreter of each one's environment. A language is measured if it has
    data or a model of its own here, both if none has. `overlap` is how many tokens the peers' neighbouring windows
    share; by default as many as Caveat's.
    """
    threads = available_cores()
    contenders, without = contenders_of("caveat_reader.py", PEERS, peers)
    notes = [
        f"Medians over the repeats ({repeats}) of one run, in turns, threads of each: {threads}. Ratios above 1 are "
        "in Caveat's favour.",
        *without,
    ]
    measured: dict[Language, tuple[Questions, dict[str, _Course]]] = {}
    languages: tuple[Language, ...] = (CHINESE, ENGLISH)
    for language in [one for one in languages if one in data or one in models] or languages:
        folder = find(models.get(language, f"reader-{language}"))
        asked = (
            read_questions(language, data[language], questions)
            if language in data
            else generate_questions(language, questions)
        )
        settings = _settings(folder, asked, threads, overlap)
        courses, failed = _race(contenders, settings, asked, repeats, watch)
        measured[language] = asked, courses
        for name, reason in failed.items():
            contenders.pop(name)
            notes.append(left_out(name, PEERS[name], reason))
        notes.append(f"{asked.read_by(read_card(folder))}; those of the peers share {settings.overlap}.")
    every = [courses for _, courses in measured.values()]
    columns = columns_of(PEERS, every)
    rows = [
        row for language, (asked, found) in measured.items() for row in _rows(language, asked, found, columns)
    ]
    notes += versions_of(every)
    return Measured(
        "The reader beside others with the same weights",
        heads_of(columns),
        tuple(rows),
        tuple(notes),
    )


def _settings(folder: Path, asked: Questions, threads: int, overlap: int | None) -> WorkerSettings:
    card = read_card(folder)
    tokenizer = load_tokenizer(folder / TOKENIZER)
    specials = (card.layout or pair_layout(tokenizer)).specials
    lengths = [len(encode_question(tokenizer, question, card.window)) for question, _ in asked.pairs]
    if overlap is None:
        # Caveat's windows move by a number of tokens, so that their overlap depends on the question.
        overlap = int(card.window - specials - median(lengths) - card.stride)
    # The longest question must leave room for more than the overlap.
    most = card.window - specials - max(lengths) - 1
    return WorkerSettings(
        str(folder.resolve()), threads, card.window, max(0, min(overlap, most)), card.max_answer_tokens
    )


def _rows(
    language: Language, asked: Questions, courses: Mapping[str, _Course], columns: Sequence[str]
) -> Iterable[tuple[Cell, ...]]:
    ours = courses[OURS]
    scores = {name: asked.scores(course.answers) for name, course in courses.items() if asked.golds}

    def row(
        label: str, show: Callable[[_Course], Cell], times: Callable[[_Course], list[float]]
    ) -> tuple[Cell, ...]:
        """Ours and each peer's figure, with its ratio to ours, above 1 where Caveat is better."""
        return with_ratios(f"{language}: {label}", courses, columns, show, times)

    def plain(label: str, show: Callable[[str], Cell]) -> tuple[Cell, ...]:
        return without_ratios(f"{language}: {label}", courses, columns, show)

    count = len(asked.pairs)
    yield row(
        "questions a second", lambda c: f"{count / median(c.all_questions):.1f}", lambda c: c.all_questions
    )
    yield row("first answer, cold start", lambda c: in_time(median(c.cold_start)), lambda c: c.cold_start)
    yield row("peak memory", lambda c: f"{c.kilobytes / 1024:.0f} MB", lambda c: [float(c.kilobytes)])
    label = f"one answer, {_DOCUMENT:,} characters"
    yield row(label, lambda c: in_time(median(c.document)), lambda c: c.document)
    yield plain(
        f"{_TIMES} times the characters, times as long",
        lambda name: f"{median(courses[name].long_document) / median(courses[name].document):.1f}",
    )
    yield plain(
        "same answers as caveat",
        lambda name: None if name == OURS else f"{_same(courses[name].answers, ours.answers):.1f}%",
    )
    if scores:
        yield plain("F1", lambda name: scores[name]["f1"])
        yield plain("exact match", lambda name: scores[name]["exact_match"])


def _same(answers: Sequence[str], others: Sequence[str]) -> float:
    pairs = list(zip(answers, others, strict=True))
    return 100 * sum(a.strip() == b.strip() for a, b in pairs) / len(pairs)
