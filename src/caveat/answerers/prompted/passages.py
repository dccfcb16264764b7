"""What a language model is shown of documents: the best passages, fenced, their sentences numbered."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from caveat.answerers.documents.retrieval import passage_around
from caveat.answerers.documents.spans import name_of
from caveat.core.languages import count_han
from caveat.core.records import Document, Reply
from caveat.language.sentences import sentences
from caveat.models.language_model.completions import fence_of
from caveat.models.reader import Reader
from caveat.sources.outline import element_at, heading_level, headings_at

TOKENS_VARIABLE = "CAVEAT_LLM_PASSAGES"
MOST_TOKENS = 1_200
"""Tokens of all passages together: with prompt and answer they fit into a context of 4,096, the least that servers
are commonly started with, and a processor reads them in some ten seconds."""
# Around each of the embedded reader's best places.
_AROUND, _PLACES = 160, 3
_CHARACTERS_OF_A_TOKEN = 4
# What is longer is no sentence: a table as text, a list of names, an encoded picture.
_LONGEST_SENTENCE = 1_000
# Of a candidate so much is shown: ten of them are as long as the passages of a question.
_LONGEST_CANDIDATE = 300
# Who gives a model orders does so in more than one sentence: so much of the same paragraph goes with the first.
_ADDRESS = 400
# Markers with which chat templates part what is said by whom: a server may take them for its own.
_MARKERS = re.compile(r"<(?=\||/?s>|<SYS|/?(?:start|end)_of)|\[(?=/?INST\])")


class Numbered(NamedTuple):
    """A sentence that is shown under a number, which counts from 1."""

    document: int
    start: int
    end: int


class Shown(NamedTuple):
    """The passages as they are shown, and where each of their sentences stands; `withheld` were not shown."""

    text: str
    sentences: tuple[Numbered, ...]
    withheld: tuple[Numbered, ...] = ()

    @property
    def fence(self) -> str:
        """A line that no document can close, since it depends on all of them."""
        return fence_of(self.text)

    def at(self, number: int) -> Numbered | None:
        """The sentence of a number."""
        return self.sentences[number - 1] if 0 < number <= len(self.sentences) else None


def shown_passages(
    question: str,
    documents: Sequence[Document],
    reply: Reply,
    reader: Reader,
    *,
    most_tokens: int = MOST_TOKENS,
) -> Shown:
    """The passages around the best answers of the embedded reader, then those that share most with the question."""
    kept: dict[int, list[tuple[int, int]]] = {}
    room = most_tokens
    for number, start, end in (*_around(documents, reply), *_windows(question, documents, reader)):
        for part in _less(kept.get(number, []), start, end):
            piece = documents[number].text[slice(*part)]
            if (needed := _tokens(piece)) > room:
                part = (part[0], part[0] + int(len(piece) * room / needed))
            kept[number] = sorted([*kept.get(number, []), part])
            room -= min(needed, room)
        if room <= 0:
            break
    return _numbered(documents, kept)


def shown_whole(document: Document) -> Shown:
    """All of a passage, as far as it does not speak to a model."""
    return _numbered([document], {0: [(0, len(document.text))]})


def shown_candidates(candidates: Sequence[str]) -> Shown:
    """Candidates under their numbers; one that speaks to a model is shown without its words."""
    lines = [
        f"[{number}] {'' if _is_addressed(text) else _harmless(' '.join(text.split())[:_LONGEST_CANDIDATE])}"
        for number, text in enumerate(candidates, 1)
    ]
    return Shown("\n".join(lines), ())


def _around(documents: Sequence[Document], reply: Reply) -> Iterator[tuple[int, int, int]]:
    places = [answer.place for answer in reply.answers if answer.place is not None]
    places += [place for answer in reply.answers[:1] for place in answer.evidence]
    for place in places[:_PLACES]:
        for number, document in enumerate(documents):
            if place.start is None or place.end is None or place.end > len(document.text):
                continue
            if place.source == name_of(document):
                yield number, *passage_around(document, place.start, place.end, _AROUND)
                break


def _windows(question: str, documents: Sequence[Document], reader: Reader) -> Iterator[tuple[int, int, int]]:
    """The windows that the reader would read, those with most of the question first."""
    chosen = reader.choose(question, [document.text for document in documents])
    every = ((window.behind, number, window) for number, windows in enumerate(chosen) for window in windows)
    for _, number, window in sorted(every, key=lambda each: (each[0], each[1], each[2].first)):
        encoded = reader.encode(documents[number].text)
        yield number, int(encoded.starts[window.first]), int(encoded.ends[window.last - 1])


def _less(kept: Iterable[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """What of `start:end` is in none of the ranges."""
    for low, high in sorted(kept):
        if low < end and start < high:
            if start < low:
                yield start, low
            start = max(start, high)
    if start < end:
        yield start, end


def _tokens(text: str) -> int:
    """About how many tokens a text has."""
    han = count_han(text)
    return han + (len(text) - han) // _CHARACTERS_OF_A_TOKEN + 1


def _numbered(documents: Sequence[Document], kept: dict[int, list[tuple[int, int]]]) -> Shown:
    lines: list[str] = []
    found: list[Numbered] = []
    withheld: list[Numbered] = []
    for number in sorted(kept):
        document = documents[number]
        if lines:
            lines.append("")
        if document.title and not document.elements:
            lines.append(f"# {_harmless(document.title)}")
        over: tuple[str, ...] = ()
        until = -1
        for start, end in _sentences(document, kept[number]):
            headings = headings_at(document, start)
            if headings != over:
                shown = [each for each in headings if not _is_addressed(each)]
                lines.append(f"# {_harmless(' > '.join(shown))}")
                over = headings
            text = document.text[start:end]
            if _is_addressed(text):
                until = _end_of_address(document, start, end)
            if start < until:
                withheld.append(Numbered(number, start, end))
                continue
            found.append(Numbered(number, start, end))
            lines.append(f"[{len(found)}] {_harmless(' '.join(text.split()))}")
    return Shown("\n".join(lines), tuple(found), tuple(withheld))


def _sentences(document: Document, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The sentences of the elements that the ranges touch, headings left out, in order and each once."""
    blocks = [(each.start, each.end) for each in document.elements if not heading_level(each)]
    for first, last in blocks or [(0, len(document.text))]:
        if not any(low < last and first < high for low, high in ranges):
            continue
        for start, end in sentences(document.text[first:last]):
            start, end = first + start, first + end
            within = [(low, high) for low, high in ranges if low < end and start < high]
            if end - start <= _LONGEST_SENTENCE and within:
                yield start, end
            else:
                # A text without stops is shown as far as it was chosen.
                yield from ((max(start, low), min(end, high)) for low, high in within)


def _end_of_address(document: Document, start: int, end: int) -> int:
    """Where what is said to a model ends: with its paragraph, or so much later where there are none."""
    at = element_at(document, start)
    return min(end + _ADDRESS, len(document.text) if at is None else document.elements[at].end)


def _harmless(text: str) -> str:
    """Text in which nothing is a marker of a chat template; a zero-width space does not change what it says."""
    return _MARKERS.sub(lambda found: found.group() + "\u200b", text)


def _is_addressed(text: str) -> bool:
    """Whether a sentence speaks to a language model, and not to a reader."""
    plain = " ".join(text.replace("\u200b", "").split())
    return any(pattern.search(plain) for pattern in _addressed())


@cache
def _addressed() -> tuple[re.Pattern[str], ...]:
    text = (files("caveat.answerers.prompted") / "addressed.toml").read_text(encoding="utf-8")
    return tuple(
        re.compile(each, re.IGNORECASE) for several in tomllib.loads(text).values() for each in several
    )
