"""A Ray cluster beside plain processes of this machine: the same questions, the same engines, in turns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

from caveat.bench.measure import Measured, Watch, in_time, ratio_of
from caveat.bench.questions import generate_questions, read_questions
from caveat.benchmarks.shared.passage import TextQuestion
from caveat.benchmarks.shared.reading_prediction import answering
from caveat.cluster.work import connected, over_ray
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.core.spreading import Load, Spread, over_processes
from caveat.language.packs.zh import CHINESE

_READER = "reader-zh"
_TOGETHER = 8
# What the figures are told for: a large cluster's processors, and a large set's questions.
_PROCESSORS, _QUESTIONS = 64, 10_000_000


def bench_cluster(
    *,
    ray: str = "local",
    questions: int = 128,
    repeats: int = 3,
    processes: int = 2,
    data: Mapping[Language, PathLike] = {},
    models: Mapping[Language, PathLike] = {},
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Chinese questions answered by so many processes, and by the cluster at an address with as many processors.

    Timed from the first answers on, so that how long an engine takes to start does not count; that is told apart.
    """
    path = data.get(CHINESE)
    asked = (
        read_questions(CHINESE, path, questions)
        if path is not None
        else generate_questions(CHINESE, questions)
    )
    items = [TextQuestion(str(number), question, text) for number, (question, text) in enumerate(asked.pairs)]
    load = partial(answering, (models.get(CHINESE, _READER),), threads=1)
    times: list[tuple[float, float]] = []
    starts: list[tuple[float, float]] = []
    same = True
    with connected(ray) as joined_to:
        processors = int(sum(node["Resources"].get("CPU", 0) for node in joined_to.nodes() if node["Alive"]))
        _timed(over_ray(ray), load, items[:_TOGETHER])
        for _ in watch(range(repeats), repeats):
            alone, started, found = _timed(over_processes(processes), load, items)
            cluster, joined, others = _timed(over_ray(ray), load, items)
            times.append((cluster, alone))
            starts.append((started, joined))
            same = same and found == others
    ratio = ratio_of(times)
    spent = _processor_time(load, items)
    hours = _QUESTIONS * spent * ratio.ratio / _PROCESSORS / 3600
    rows: list[tuple[str, str]] = [
        (f"{processes} processes", in_time(ratio.ours)),
        (f"Ray, {processors} processors", in_time(ratio.plain)),
        ("ratio", f"{ratio.ratio:.2f}"),
        ("smallest and largest", f"{ratio.smallest:.2f}–{ratio.largest:.2f}"),
        ("processor time of a question", f"{1000 * spent:.1f} ms"),
        ("first answers, processes", in_time(median(start for start, _ in starts))),
        ("first answers, Ray", in_time(median(start for _, start in starts))),
        ("same answers", "yes" if same else "no"),
        (f"{_QUESTIONS:,} questions on {_PROCESSORS} processors", f"{hours:.1f} hours"),
    ]
    notes = (f"{len(items):,} questions of {asked.source}, {repeats} repeats in turns.",)
    return Measured("Ray beside processes", ("", ""), tuple(rows), notes)


def _processor_time(load: Load, items: list[TextQuestion]) -> float:
    """Seconds of one processor that a question takes, which other work on the machine hardly changes."""
    stream = load()
    list(stream(items[:_TOGETHER]))
    begin = process_time()
    list(stream(items))
    return (process_time() - begin) / len(items)


def _timed(spread: Spread, load: Load, items: list[TextQuestion]) -> tuple[float, float, list[Any]]:
    """Seconds from the first answers to the last, seconds to the first, and all of them."""
    begin = perf_counter()
    found = spread(load, items, _TOGETHER)
    answers = [next(found) for _ in range(min(_TOGETHER, len(items)))]
    first = perf_counter()
    answers.extend(found)
    return perf_counter() - first, first - begin, answers
