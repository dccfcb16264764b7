"""Questions asked of a library of articles: what is found, what is answered, how sure that was, and how long it took.

Beside it stands bm25s with its own tokeniser over the same passages, and the same engine on the passages that it finds.
Without data it is measured how a library grows: generated ones of more and more passages, made and searched, each in a
process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

from caveat.answerers.engine import Engine, load
from caveat.bench.measure import Cell, Measured, Watch, in_time
from caveat.bench.questions import LibraryQuestion, Questions, evenly, write_articles
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.core.records import Document, Reply
from caveat.library.library import Library
from caveat.library.passages import document_passages

_TOP = 10
# Passages that are read after bm25s, each by itself; as many as a library's question has at most.
_READ = 8
_COLUMNS = ("recall@10", "exact match", "F1", "answered", "wrong", "held out", "surely", "median", "95 %")
# What is surer than this is said to be so.
_SURE = 0.8

Ask = Callable[[str], Reply]
Find = Callable[[str], Sequence[tuple[str, int, int]]]


class _Way(NamedTuple):
    label: str
    find: Find
    ask: Ask


def bench_library(
    *,
    data: Mapping[Language, PathLike] = {},
    filling: Mapping[Language, Sequence[PathLike]] = {},
    questions: int = 200,
    sizes: Sequence[int] = (10_000, 100_000, 1_000_000),
    library_address: str | None = None,
    storage: PathLike | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Index the articles of files in SQuAD's layout (en) and CMRC's (zh), and ask the questions on those of `data`.

    Every second article of these is left out of the library: half as many `questions` are asked on them, which nothing
    in the library answers. The files of `filling` are there to be searched through.

    Without data, libraries of `sizes` generated passages are measured, on servers where there is a `library_address`.
    """
    if not data:
        if library_address is None:
            return bench_library_growth(sizes, watch)
        from caveat.bench.library_on_servers import bench_library_on_servers

        return bench_library_on_servers(library_address, sizes, questions, storage, watch)
    with tempfile.TemporaryDirectory(prefix="caveat-") as place:
        texts = Path(place, "texts")
        asked = {
            language: write_articles(path, language, texts / language) for language, path in data.items()
        }
        for language, several in filling.items():
            for number, path in enumerate(several):
                write_articles(path, language, texts / f"{language}-{number}", asked=False)
        library, note = _indexed(texts, Path(place, "library"))
        engine = load()
        ways = [_ours(library, engine), *_plain(library, engine)]
        rows = [
            row
            for language, several in asked.items()
            for way in ways
            for row in _rows(language, _chosen(several, questions), way, watch)
        ]
    notes = (
        note,
        f"Every second article of the files that are asked is held out: {questions // 2} questions a language on "
        f"these, beside {questions} on the others. Recall: a passage with the answer is among the first {_TOP}. "
        "Answered: of the questions that the library answers those that got an answer that is more probable than "
        "none; wrong: of these those with an F1 below 50. Held out: of the questions that it does not answer those "
        f"that got one; surely: one of more than {_SURE:.0%}. Times are of whole questions, in brackets the "
        "processor's.",
    )
    return Measured("A library", ("", *_COLUMNS), tuple(rows), notes)


def _indexed(texts: Path, folder: Path) -> tuple[Library, str]:
    library = Library.create(folder)
    begin, processor = perf_counter(), process_time()
    added = library.add([texts], processes=1)
    seconds, processor = perf_counter() - begin, process_time() - processor
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return library, (
        f"{added.added:,} articles, {added.passages:,} passages, {added.bytes / 1e6:.1f} MB of text: indexed by one "
        f"process in {in_time(seconds)}, {added.passages / processor:,.0f} passages a second of processor time; the "
        f"library has {size / added.bytes:.2f} times the bytes of its text."
    )


def _chosen(several: Sequence[LibraryQuestion], count: int) -> list[LibraryQuestion]:
    there = [question for question in several if question.source]
    held_out = [question for question in several if not question.source]
    return [*evenly(there, count), *evenly(held_out, count // 2)]


def _ours(library: Library, engine: Engine) -> _Way:
    state = library.state()

    def find(question: str) -> list[tuple[str, int, int]]:
        found = state.find(question, "document", _TOP)
        return [(state.name(each.source), each.start, each.end) for each in found]

    return _Way("library", find, lambda question: engine.ask(question, library))


def _plain(library: Library, engine: Engine) -> Iterator[_Way]:
    """bm25s, where it is installed, as its own page shows it."""
    if find_spec("bm25s") is None:
        return
    import bm25s

    places: list[tuple[str, int, int]] = []
    texts: list[str] = []
    for entry in library.entries():
        document = library.document(entry.source)
        assert isinstance(document, Document)
        for passage in document_passages(document):
            places.append((entry.source, passage.start, passage.end))
            texts.append(document.text[passage.start : passage.end])
    index: Any = bm25s.BM25()
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    def numbers(question: str, top: int) -> list[int]:
        tokens = bm25s.tokenize([question], show_progress=False, return_ids=False)
        if not tokens[0]:
            return []
        found, scores = index.retrieve(tokens, k=top, show_progress=False)
        return [int(number) for number, score in zip(found[0], scores[0], strict=True) if score > 0]

    def ask(question: str) -> Reply:
        found = numbers(question, _READ)
        return engine.ask(question, *(Document(texts[number], url=str(number)) for number in found or [0]))

    yield _Way("bm25s", lambda question: [places[number] for number in numbers(question, _TOP)], ask)


def _rows(
    language: Language, asked: Sequence[LibraryQuestion], way: _Way, watch: Watch
) -> Iterable[tuple[Cell, ...]]:
    replies: list[Reply] = []
    times: list[tuple[float, float]] = []
    way.ask(asked[0].text)  # loads the models
    for question in watch(asked, len(asked)):
        begin, processor = perf_counter(), process_time()
        replies.append(way.ask(question.text))
        times.append((perf_counter() - begin, process_time() - processor))
    there = [number for number, question in enumerate(asked) if question.source]
    held_out = [number for number, question in enumerate(asked) if not question.source]
    texts = [reply.answers[0].text if reply.answers else "" for reply in replies]
    answered = [number for number in there if replies[number].answered]
    wrong = [number for number in answered if _scores([asked[number]], [texts[number]])["f1"] < 50]
    scores = _scores([asked[number] for number in there], [texts[number] for number in there])
    told = [number for number in held_out if replies[number].answered]
    sure = [number for number in told if replies[number].answers[0].score > _SURE]
    wall, processor_times = sorted(time for time, _ in times), sorted(time for _, time in times)
    late = int(0.95 * len(times))
    yield (
        f"{language}: {way.label}",
        100 * sum(_is_found(asked[number], way.find(asked[number].text)) for number in there) / len(there),
        scores["exact_match"],
        scores["f1"],
        100 * len(answered) / len(there),
        100 * len(wrong) / max(1, len(answered)),
        100 * len(told) / max(1, len(held_out)),
        100 * len(sure) / max(1, len(held_out)),
        f"{in_time(median(wall))} ({in_time(median(processor_times))})",
        f"{in_time(wall[late])} ({in_time(processor_times[late])})",
    )


def _scores(asked: Sequence[LibraryQuestion], texts: Sequence[str]) -> dict[str, float]:
    golds = tuple(question.golds for question in asked)
    return Questions("", asked[0].language, (), golds).scores(texts)


def _is_found(question: LibraryQuestion, found: Iterable[tuple[str, int, int]]) -> bool:
    return any(
        source == question.source and any(start < last and first < end for first, last in question.spans)
        for source, start, end in found
    )


_SCRIPT = """
import json, resource, sys, tempfile, time
from pathlib import Path
from statistics import median
from caveat.bench.questions import write_generated
from caveat.library.library import Library

with tempfile.TemporaryDirectory(prefix="caveat-") as place:
    folder = Path(place, "texts")
    asked = write_generated(folder, int(sys.argv[1]))
    library = Library.create(Path(place, "library"))
    begin, processor = time.perf_counter(), time.process_time()
    added = library.add([folder], processes=1)
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    writing = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(path.stat().st_size for path in library.folder.rglob("*") if path.is_file())
    begin = time.perf_counter()
    again = library.add([folder], processes=1)
    unchanged = time.perf_counter() - begin
    state = library.state()
    state.find(asked[0], "document", 10)
    times = []
    for question in asked[:200]:
        begin = time.process_time()
        state.find(question, "document", 10)
        times.append(time.process_time() - begin)
    print(json.dumps([added.passages, added.bytes, seconds, processor, size, unchanged, median(times),
                      sorted(times)[int(0.95 * len(times))], writing]))
"""


def bench_library_growth(sizes: Sequence[int], watch: Watch = lambda items, total: items) -> Measured:
    """Make libraries of so many generated passages: time, bytes, memory, and how long a search takes."""
    rows: list[tuple[Cell, ...]] = []
    for size in watch(sizes, len(sizes)):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(size)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CaveatError(f"A library of {size:,} passages could not be made: {done.stderr[-500:]}")
        passages, text, seconds, processor, kept, unchanged, typical, late, memory = json.loads(done.stdout)
        rows.append(
            (
                int(passages),
                f"{text / 1e6:.0f} MB",
                in_time(seconds),
                f"{passages / processor:,.0f}",
                f"{kept / text:.2f}×",
                in_time(unchanged),
                in_time(typical),
                in_time(late),
                f"{memory / 1024:.0f} MB",
            )
        )
    columns = (
        *("passages", "text", "indexed in", "a second of processor time", "bytes to text", "nothing new in"),
        *("search", "95 %", "peak memory"),
    )
    return Measured("Libraries of generated passages", columns, tuple(rows))
