"""TREC (the questions YodaQA curated): answers are regular expressions, passages are given or searched for.

Read from `id, type, question, pattern` (tab-separated), or from `id, type, question` with the patterns in a
file beside it (`trec1999-q.tsv`, `trec1999-p.tsv`). The questions come without text; passages are the
companion, in the layouts of `passage_files`. A question with passages of its own gets those, any other the
best five of the collection by BM25; they are joined, best first, into one context a question:
`[DOC] [PAR] … [PAR] …`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import msgspec

from caveat.errors import InputError
from caveat.formats.files import PathLike, read_lines
from caveat.formats.mrqa_sources.build import (
    Drops,
    MrqaSource,
    SourceContext,
    SourceQuestion,
    join_documents,
)
from caveat.formats.mrqa_sources.passage_files import PassageText, read_passage_files
from caveat.formats.mrqa_sources.passage_retrieval import PassageIndex

__all__ = ["SOURCE", "read"]

TOP = 5
NO_PATTERN = "no answer pattern"
NO_PASSAGE = "no passage shares a word with the question"


class _Question(msgspec.Struct, frozen=True):
    id: str
    text: str
    patterns: tuple[str, ...]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: its passages."""
    if documents is None:
        raise InputError(
            "has questions without any text to answer them from: give passages (JSON lines or plain text, "
            "a file or a folder) as the documents",
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
                patterns = (_checked(pattern, path, number, question_id),)
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
            pattern = _checked(rest[0].strip(), path, number, question_id)
            patterns[question_id] = (*patterns.get(question_id, ()), pattern)
    return patterns


def _checked(pattern: str, path: PathLike, line: int, question_id: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of `[[`, which PCRE takes as it stands
            re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise InputError(
            f"the answer pattern {pattern!r} is not a regular expression: {error}",
            path=path,
            line=line,
            id=question_id,
        ) from None
    return pattern


SOURCE = MrqaSource(
    name="trec",
    dataset="TREC",
    reads="questions with answer patterns, tab-separated (curated-test.tsv …)",
    read=read,
    documents="passages: JSON lines or plain text, a file or a folder",
)
