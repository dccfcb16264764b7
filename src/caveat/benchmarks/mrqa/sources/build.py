"""The 18 sub-domains by name, and what the shared task makes of any: contexts cut to 800 tokens, answers located."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import msgspec

from caveat.benchmarks.mrqa.format import DetectedAnswer, MrqaContext, MrqaQuestion, build_question
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError, UnknownNameError
from caveat.core.files import PathLike
from caveat.core.loading import load
from caveat.language.occurrences import Occurrence, Occurrences
from caveat.language.words import Token, words

MAXIMUM_TOKENS = 800

_MARKERS = frozenset({"[DOC]", "[TLE]", "[PAR]"})
_CHUNK = re.compile(r"\S+")


class SourceQuestion(msgspec.Struct, frozen=True):
    """A question of a source; `patterns` are regular expressions whose matches count as answers (TREC)."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


class SourceContext(msgspec.Struct, frozen=True):
    """A context of a source, already joined to one text, and its questions."""

    text: str
    questions: tuple[SourceQuestion, ...]
    id: str = ""


# Reads a source's native file; the third argument is its companion (evidence folder, abstracts, answers …).
SourceReader = Callable[[PathLike, Drops, PathLike | None], Iterable[SourceContext]]


class MrqaSource(msgspec.Struct, frozen=True):
    """One sub-domain: its name here and in MRQA's files, what it reads, and what `--documents` must name."""

    name: str
    dataset: str
    reads: str
    read: SourceReader
    documents: str = ""


def join_documents(documents: Iterable[tuple[str | None, Iterable[str]]]) -> str:
    """Titles and paragraphs of documents as one context: `[DOC] [TLE] title [PAR] text [PAR] … [DOC] …`."""
    parts = []
    for title, paragraphs in documents:
        texts = [text.strip() for text in paragraphs if text and text.strip()]
        head = ["[DOC]"]
        if title and title.strip():
            head += ["[TLE]", title.strip()]
        parts.append(" ".join([*head, *(f"[PAR] {text}" for text in texts)]))
    return " ".join(parts)


def build(source: MrqaSource, contexts: Iterable[SourceContext], drops: Drops) -> Iterator[MrqaContext]:
    """MRQA contexts: cut to 800 tokens, without the questions whose answer is not in there."""
    for context in contexts:
        text, tokens = first_tokens(context.text)
        occurrences = Occurrences(text, tokens)
        questions = []
        for asked in context.questions:
            question = _question(source.dataset, asked, occurrences)
            if question.detected:
                questions.append(question)
            else:
                drops.add(f"no answer within the first {MAXIMUM_TOKENS} tokens", asked.id)
        if questions:
            yield MrqaContext(text, tuple(questions), tuple(tokens), {"id": context.id})


def first_tokens(text: str, maximum: int = MAXIMUM_TOKENS) -> tuple[str, list[Token]]:
    """The text up to the end of its 800th token, and those tokens; a marker is one, as in MRQA's files."""
    tokens: list[Token] = []
    # As a stream: of a text of many documents only the beginning is looked at.
    for chunk in _CHUNK.finditer(text):
        start = chunk.start()
        if chunk[0] in _MARKERS:
            tokens.append((chunk[0], start))
        else:
            tokens.extend((token, start + offset) for token, offset in words(chunk[0]))
        if len(tokens) > maximum:
            del tokens[maximum:]
            token, offset = tokens[-1]
            return text[: offset + len(token)], tokens
    return text, tokens


def _question(dataset: str, asked: SourceQuestion, occurrences: Occurrences) -> MrqaQuestion:
    if asked.patterns:
        found = _matches(asked.patterns, occurrences)
        question = build_question(dataset, asked.id, asked.text, found, occurrences)
        detected = [DetectedAnswer(text, tuple(places)) for text, places in found.items()]
    else:
        question = build_question(dataset, asked.id, asked.text, asked.answers, occurrences)
        detected = list(question.detected)
    return msgspec.structs.replace(question, detected=tuple(_off_markers(detected, occurrences)))


def _off_markers(detected: Iterable[DetectedAnswer], occurrences: Occurrences) -> Iterator[DetectedAnswer]:
    """Without the places that hold a marker: the answer "par" does not stand in `[PAR]`."""
    for answer in detected:
        places = tuple(
            place
            for place in answer.places
            if not any(token in _MARKERS for token, _ in occurrences.tokens[place.first : place.last])
        )
        if places:
            yield DetectedAnswer(answer.text, places)


def _matches(patterns: Iterable[str], occurrences: Occurrences) -> dict[str, list[Occurrence]]:
    """What the regular expressions match, with its places; a match begins and ends at token boundaries."""
    first = {offset: index for index, (_, offset) in enumerate(occurrences.tokens)}
    last = {offset + len(token): index for index, (token, offset) in enumerate(occurrences.tokens)}
    found: dict[str, list[Occurrence]] = {}
    for pattern in patterns:
        for start, end in matching_spans(pattern, occurrences.text):
            if start < end and start in first and end in last:
                place = Occurrence(start, end, first[start], last[end] + 1)
                places = found.setdefault(occurrences.text[start:end], [])
                if place not in places:
                    places.append(place)
    return found


# Name → where it is, in the order of the shared task: training sets, then those out of domain. "squad" by itself
# names a format.
_SOURCES = {
    "mrqa-squad": "squad:SQUAD",
    "newsqa": "newsqa:NEWSQA",
    "triviaqa": "trivia:TRIVIAQA",
    "searchqa": "trivia:SEARCHQA",
    "hotpotqa": "reasoning:HOTPOTQA",
    "naturalquestions": "naturalquestions:NATURAL_QUESTIONS",
    "bioasq": "biology:BIOASQ",
    "drop": "reasoning:DROP",
    "duorc": "squad:DUORC",
    "race": "multiple_choice:RACE",
    "relationextraction": "squad:RELATION_EXTRACTION",
    "textbookqa": "multiple_choice:TEXTBOOKQA",
    "bioprocess": "biology:BIOPROCESS",
    "complexwebquestions": "reasoning:COMPLEX_WEB_QUESTIONS",
    "mctest": "multiple_choice:MCTEST",
    "qamr": "squad:QAMR",
    "qast": "trec:QAST",
    "trec": "trec:TREC",
}


def names() -> list[str]:
    """The names of the sources."""
    return list(_SOURCES)


def source(name: str) -> MrqaSource:
    """The source of that name."""
    if name not in _SOURCES:
        raise UnknownNameError("MRQA source", name, names())
    found: MrqaSource = load(f"{__package__}.{_SOURCES[name]}")
    return found


def convert_source(
    name: str, path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[MrqaContext]:
    """A source's native file as MRQA contexts, as a stream; what is left out is counted in `drops`."""
    found = source(name)
    if documents is not None and not found.documents:
        raise InputError(f"{name} is read from one path and needs no documents", path=documents)
    return build(found, found.read(path, drops, documents), drops)


# Answers given as regular expressions: a pattern that may never come to an end is searched for with a time limit.

# Answers are a few words: longer patterns are none.
_LONGEST = 10_000
# What takes longer than this for one context will not end.
_SECONDS = 10
# A group that is repeated, or so many repetitions in a row, may be tried in ever more ways.
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,)")
_REPETITION = re.compile(r"[*+]|\{\d*,")
_MOST_REPETITIONS = 2
_SEARCH = (
    "import json, re, sys, warnings; warnings.simplefilter('ignore'); pattern, text = json.load(sys.stdin); "
    "json.dump([match.span() for match in re.finditer(pattern, text, re.IGNORECASE)], sys.stdout)"
)


@cache
def is_pattern(pattern: str) -> bool:
    """Whether it is a regular expression that can be searched for."""
    if len(pattern) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of `[[`, which PCRE takes as it stands
            re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def matching_spans(pattern: str, text: str) -> list[tuple[int, int]]:
    """The half-open spans that a pattern matches, whatever their case; none where the search does not end."""
    if not _may_not_end(pattern):
        return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-c", _SEARCH],
            input=json.dumps([pattern, text]),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []
    return [(start, end) for start, end in json.loads(ran.stdout)]


def _may_not_end(pattern: str) -> bool:
    return bool(_REPEATED_GROUP.search(pattern)) or len(_REPETITION.findall(pattern)) > _MOST_REPETITIONS
