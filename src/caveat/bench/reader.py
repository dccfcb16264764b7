"""Caveat's reader beside transformers and Haystack: the same weights, questions and cores, in turns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from caveat.bench.measure import Measured, in_time
from caveat.bench.peers import Cell, Peer, left_out, with_ratios
from caveat.bench.questions import Questions, generate_questions, read_questions
from caveat.bench.race import DOCUMENT, OURS, TIMES, Course, Watch, race
from caveat.bench.worker import SCRIPTS, Contender, WorkerSettings
from caveat.core.files import PathLike
from caveat.core.script import Language
from caveat.models.card import TOKENIZER, read_card
from caveat.models.embedded import find
from caveat.models.encoding import encode_question, load_tokenizer, pair_layout
from caveat.models.session import available_cores

__all__ = ["PEERS", "Peer", "bench_reader"]


PEERS = {
    "transformers": Peer("torch transformers", SCRIPTS / "transformers_reader.py"),
    "haystack": Peer("torch transformers-haystack", SCRIPTS / "haystack_reader.py"),
}


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
    contenders = {OURS: Contender(OURS, sys.executable, SCRIPTS / "caveat_reader.py", own_environment=False)}
    notes = [
        f"Medians over the repeats ({repeats}) of one run, in turns, threads of each: {threads}. Ratios above 1 are "
        "in Caveat's favour."
    ]
    for name, peer in PEERS.items():
        if name in peers:
            contenders[name] = Contender(name, peers[name], peer.script)
        else:
            notes.append(left_out(name, peer, f"--{name} names no interpreter"))
    measured: dict[Language, tuple[Questions, dict[str, Course]]] = {}
    languages: tuple[Language, ...] = ("zh", "en")
    for language in [one for one in languages if one in data or one in models] or languages:
        folder = find(models.get(language, f"reader-{language}"))
        asked = (
            read_questions(language, data[language], questions)
            if language in data
            else generate_questions(language, questions)
        )
        settings = _settings(folder, asked, threads, overlap)
        courses, failed = race(contenders, settings, asked, repeats, watch)
        measured[language] = asked, courses
        for name, reason in failed.items():
            contenders.pop(name)
            notes.append(left_out(name, PEERS[name], reason))
        notes.append(f"{asked.read_by(read_card(folder))}; those of the peers share {settings.overlap}.")
    columns = [OURS, *(name for name in PEERS if any(name in courses for _, courses in measured.values()))]
    rows = [
        row for language, (asked, found) in measured.items() for row in _rows(language, asked, found, columns)
    ]
    versions = {
        name: ", ".join(f"{package} {version}" for package, version in course.versions.items())
        for _, courses in measured.values()
        for name, course in courses.items()
    }
    notes += [f"{name} ran with {packages}." for name, packages in versions.items()]
    return Measured(
        "The reader beside others with the same weights",
        ("", OURS, *(cell for name in columns[1:] for cell in (name, "ratio", "spread"))),
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
    language: Language, asked: Questions, courses: Mapping[str, Course], columns: Sequence[str]
) -> Iterable[tuple[Cell, ...]]:
    ours = courses[OURS]
    scores = {name: asked.scores(course.answers) for name, course in courses.items() if asked.golds}

    def row(
        label: str, show: Callable[[Course], Cell], times: Callable[[Course], list[float]]
    ) -> tuple[Cell, ...]:
        """Ours and each peer's figure, with its ratio to ours, above 1 where Caveat is better."""
        return with_ratios(f"{language}: {label}", courses, columns, show, times)

    def plain(label: str, show: Callable[[str], Cell]) -> tuple[Cell, ...]:
        """Figures that have no ratio."""
        cells: list[Cell] = [f"{language}: {label}", show(OURS)]
        for name in columns[1:]:
            cells += [show(name) if name in courses else None, None, None]
        return tuple(cells)

    count = len(asked.pairs)
    yield row(
        "questions a second", lambda c: f"{count / median(c.all_questions):.1f}", lambda c: c.all_questions
    )
    yield row("first answer, cold start", lambda c: in_time(median(c.cold_start)), lambda c: c.cold_start)
    yield row("peak memory", lambda c: f"{c.kilobytes / 1024:.0f} MB", lambda c: [float(c.kilobytes)])
    label = f"one answer, {DOCUMENT:,} characters"
    yield row(label, lambda c: in_time(median(c.document)), lambda c: c.document)
    yield plain(
        f"{TIMES} times the characters, times as long",
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
