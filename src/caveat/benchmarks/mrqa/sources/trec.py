"""The questions of two evaluation campaigns: TREC, whose answers are patterns, and QAST on lectures."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from caveat.benchmarks.mrqa.sources import Member, members, open_records
from caveat.benchmarks.mrqa.sources.build import (
    MAXIMUM_TOKENS,
    MrqaSource,
    SourceContext,
    SourceQuestion,
    is_pattern,
    join_documents,
)
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines
from caveat.core.json_files import decode
from caveat.language.bm25 import K1, damping, idf
from caveat.language.occurrences import Occurrences

# TREC (the questions YodaQA curated): answers are regular expressions, passages are given or searched for.
#
# Read from `id, type, question, pattern` (tab-separated), or from `id, type, question` with the patterns in a
# file beside it (`trec1999-q.tsv`, `trec1999-p.tsv`). The questions come without text; passages are the
# companion, in the layouts of `passage_files`. A question with passages of its own gets those, any other the
# best five of the collection by BM25; they are joined, best first, into one context a question:
# `[DOC] [PAR] … [PAR] …`.

TOP = 5
NO_PATTERN = "no answer pattern"
BAD_PATTERN = "the answer pattern is not a regular expression"
NO_PASSAGE = "no passage shares a word with the question"


class _Question(msgspec.Struct, frozen=True):
    id: str
    text: str
    patterns: tuple[str, ...]


def read_trec(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: its passages."""
    if documents is None:
        raise InputError(
            "has questions without any text to answer them from: give passages (JSON lines or plain text, "
            "a file or a folder) with --documents",
            path=path,
        )
    passages = read_passage_files(documents)
    collection = passages.collection
    index = PassageIndex([f"{passage.title or ''} {passage.text}" for passage in collection])
    for question in _questions(path):
        chosen = passages.given.get(question.id)
        if chosen is None:
            chosen = [collection[number] for number in index.best(question.text, TOP)]
        if not question.patterns:
            drops.add(NO_PATTERN, question.id)
        elif not all(map(is_pattern, question.patterns)):
            # One of the curated files has a bracket that is never closed: a question is lost, not the file.
            drops.add(BAD_PATTERN, question.id)
        elif not chosen:
            drops.add(NO_PASSAGE, question.id)
        else:
            asked = SourceQuestion(question.id, question.text, patterns=question.patterns)
            yield SourceContext(_joined(chosen), (asked,), question.id)


def _joined(passages: list[PassageText]) -> str:
    if any(passage.title for passage in passages):
        return join_documents((passage.title, [passage.text]) for passage in passages)
    return join_documents([(None, [passage.text for passage in passages])])


def _questions(path: PathLike) -> Iterator[_Question]:
    apart: dict[str, tuple[str, ...]] | None = None
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        question_id, *columns = line.split("\t", 3)
        patterns: tuple[str, ...] = ()
        if len(columns) == 3:
            if pattern := columns[2].strip():
                patterns = (pattern,)
        elif len(columns) == 2:
            if apart is None:
                apart = _patterns(path)
            patterns = apart.get(question_id, ())
        else:
            raise InputError(
                "expected id, type, question and answer pattern, separated by tabs", path=path, line=number
            )
        yield _Question(question_id, columns[1].strip(), patterns)


def _patterns(questions: PathLike) -> dict[str, tuple[str, ...]]:
    """Patterns in a file of their own: id and pattern, one or more lines an id."""
    beside = Path(questions).with_name(Path(questions).name.replace("-q.", "-p."))
    candidates = [
        beside,
        beside.with_name(beside.name.removesuffix(".gz")),
        beside.with_name(f"{beside.name}.gz"),
    ]
    path = next(
        (found for found in candidates if found.is_file() and found.name != Path(questions).name), None
    )
    if path is None:
        raise InputError(
            "has no answer patterns: expected them in a fourth column, or in a file …-p.tsv beside …-q.tsv",
            path=questions,
        )
    patterns: dict[str, tuple[str, ...]] = {}
    for number, line in read_lines(path):
        if line and not line.isspace():
            question_id, *rest = line.split(maxsplit=1)
            if not rest:
                raise InputError("expected id and answer pattern", path=path, line=number)
            pattern = rest[0].strip()
            patterns[question_id] = (*patterns.get(question_id, ()), pattern)
    return patterns


TREC = MrqaSource(
    name="trec",
    dataset="TREC",
    reads="questions with answer patterns, tab-separated (curated-test.tsv …)",
    read=read_trec,
    documents="passages: JSON lines or plain text, a file or a folder",
)


PASSAGE_WORDS = 100


class PassageText(msgspec.Struct, frozen=True):
    """A passage and the title of what it is from, if known."""

    text: str
    title: str | None = None


class Passages(msgspec.Struct, frozen=True):
    """Passages that belong to a question, by its id, and those that belong to none."""

    given: dict[str, list[PassageText]]
    collection: list[PassageText]


class _Line(msgspec.Struct):
    qid: str | int | None = None
    passages: list[PassageText | str] | None = None
    text: str | None = None
    title: str | None = None


def read_passage_files(path: PathLike) -> Passages:
    """All passages of a file, a folder or a tar archive."""
    passages = Passages({}, [])
    for member in members(path):
        if member.data.lstrip().startswith(b"{"):
            _add_lines(member, passages)
        else:
            passages.collection.extend(map(PassageText, _paragraphs(member.data.decode())))
    if not passages.given and not passages.collection:
        raise InputError("has no passages", path=path)
    return passages


def _add_lines(member: Member, passages: Passages) -> None:
    for number, line in enumerate(member.data.split(b"\n"), start=1):
        if not line.strip():
            continue
        value = decode(line, _Line, path=member.path, line=number)
        if value.qid is not None and value.passages is not None:
            given = passages.given.setdefault(str(value.qid), [])
            given.extend(PassageText(p) if isinstance(p, str) else p for p in value.passages)
        elif value.text is not None:
            passages.collection.append(PassageText(value.text, value.title))
        else:
            raise InputError(
                "expected a passage with `text`, or `qid` with `passages`", path=member.path, line=number
            )


def _paragraphs(text: str) -> Iterator[str]:
    words: list[str] = []
    for line in [*text.split("\n"), ""]:
        if not line.strip():
            for start in range(0, len(words), PASSAGE_WORDS):
                yield " ".join(words[start : start + PASSAGE_WORDS])
            words = []
        words.extend(line.split())


_TERM = re.compile(r"\w+")


class PassageIndex:
    """An inverted index over passages; terms are lower-cased words."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for number, passage in enumerate(passages):
            counts = Counter(_terms(passage))
            lengths.append(counts.total())
            for term, count in counts.items():
                self._postings[term].append((number, count))
        self._damping = damping(lengths).tolist()

    def best(self, question: str, limit: int) -> list[int]:
        """The numbers of the passages that share words with the question, best first; ties in order."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(_terms(question)):
            postings = self._postings.get(term, [])
            weight = float(idf(len(postings), len(self._damping)))
            for number, count in postings:
                scores[number] += weight * count * (K1 + 1) / (count + self._damping[number])
        return heapq.nsmallest(limit, scores, key=lambda number: (-scores[number], number))


def _terms(text: str) -> list[str]:
    return _TERM.findall(text.lower())


# QAST: questions on transcribed lectures (CLEF 2007, task 1); contexts are sections of at most 800 tokens.
#
# The transcripts went to participants only and their format is not public, so this reads a plain one of its
# own, a JSON list or one object a line:
#
#     {"id": "…", "title": "…", "sections": ["text", …],
#      "questions": [{"id": "…", "question": "…", "answers": ["…", …]}, …]}
#
# A question goes with the first section that has one of its answers; longer sections are left out.

NOT_FOUND = f"no answer in a section of at most {MAXIMUM_TOKENS} tokens"


class _LectureQuestion(msgspec.Struct):
    id: str | int
    question: str
    answers: list[str]


class _Lecture(msgspec.Struct):
    id: str | int
    sections: list[str]
    questions: list[_LectureQuestion]
    title: str = ""


def read_qast(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The sections that answer a question, each with its questions."""
    _, records = open_records(path)
    for record in records:
        lecture = record.to(_Lecture)
        sections = [Occurrences(" ".join(section.split())) for section in lecture.sections]
        fitting = {number: s for number, s in enumerate(sections) if len(s.tokens) <= MAXIMUM_TOKENS}
        asked: dict[int, list[SourceQuestion]] = {number: [] for number in fitting}
        for question in lecture.questions:
            place = _place(question, fitting)
            if place is None:
                drops.add(NOT_FOUND, question.id)
            else:
                asked[place].append(
                    SourceQuestion(str(question.id), question.question.strip(), tuple(question.answers))
                )
        for number, questions in asked.items():
            if questions:
                yield SourceContext(fitting[number].text, tuple(questions), f"{lecture.id}:{number}")


def _place(question: _LectureQuestion, sections: dict[int, Occurrences]) -> int | None:
    return next(
        (n for n, section in sections.items() if any(section.of(answer) for answer in question.answers)), None
    )


QAST = MrqaSource(
    name="qast",
    dataset="QAST",
    reads="lectures in sections with their questions, as JSON",
    read=read_qast,
)
