"""CMRC 2018's preparation of plain text: Simplified script, passages of at most 500 words, unfit ones dropped.

A word is an ideograph or a run of Latin letters or digits. Paragraphs (lines) are joined to passages as long as
they fit; a longer paragraph is cut at the ends of sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from caveat.benchmarks.shared.passage import Passage
from caveat.benchmarks.squad import format as squad
from caveat.core.files import PathLike, read_text
from caveat.core.json_files import write_json_lines
from caveat.core.languages import HAN, count_han
from caveat.language.sentences import sentences
from caveat.language.simplify import is_traditional, simplify
from caveat.language.words import segments_with_offsets

# CMRC 2018's own limits.
MAXIMUM_WORDS = 500
# Counted in words, as the passage's length is: letters would punish every foreign name in brackets.
MAXIMUM_NOT_CHINESE = 0.3
# Of the characters. Encyclopaedic text has below 0.01 in 19 of 20 passages; markup, formulas and tables have more.
MAXIMUM_SYMBOLS = 0.05

# Function words of classical Chinese, apart from the modern words that the same characters are part of
# (也 "also", 之间, 其他, 土耳其, 而且, 所谓), and function characters of modern Chinese.
CLASSICAL_WORD = re.compile(
    "[矣焉哉曰乃兮吾汝岂孰欤弗毋遂亦皆尝盖咸勿欲]"
    "|[也乎](?=[，。！？；、：”’」』]|$)|者(?=[，也])"
    "|之(?![间后前一中下上外内时际类所])|(?<![尤极耳])其(?![他它中实次余])"
    "|(?<![然因从进反])而(?![且是言已])|(?<![所无可])谓"
)
MODERN_CHARACTER = re.compile("[的了是在这们个着过吗呢吧很把被让]")
# Of the ideographs. Classical prose mostly has above 0.07; modern prose rarely has 0.05, and where it imitates the
# classical manner (lives of officials, say) it still has modern function characters, a third as many or more.
MINIMUM_CLASSICAL = 0.05
CLASSICAL_TO_MODERN = 3
# A proverb or a book's title is no passage in classical Chinese.
MINIMUM_CLASSICAL_COUNT = 3

# A shorter paragraph (a heading, a date) says too little about itself and goes with its neighbours.
MINIMUM_JUDGED_WORDS = 10

NOT_CHINESE = f"more than {MAXIMUM_NOT_CHINESE:.0%} of the words are not Chinese"
SYMBOLS = f"more than {MAXIMUM_SYMBOLS:.0%} of the characters are special symbols"
CLASSICAL = "the text is in classical Chinese"

# Neither letter nor digit nor blank, nor a mark, sign of measure or currency that prose is written with.
_SYMBOL = re.compile(
    r"[^\w\s，。、；：？！“”‘’（）《》〈〉「」『』【】〔〕—–…·～－.,;:?!'\"()%/&°′″℃×±$€£¥-]|_"
)
_COMMAS = frozenset("，、；：,;:")
_PARAGRAPH = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]+")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_NOT_HAN = re.compile(rf"[^\s{HAN}]+")


class PreparedPassage(msgspec.Struct, frozen=True):
    """A passage in Simplified script, and the span of the original text it was made from."""

    text: str
    start: int
    end: int
    words: int
    source: str = ""


class DroppedPassage(msgspec.Struct, frozen=True):
    """A passage that is unfit for questions, and why."""

    text: str
    start: int
    end: int
    words: int
    reason: str
    source: str = ""


class _Piece(msgspec.Struct, frozen=True):
    """A span on its way to a passage; `verdict` is a reason to drop it, "" if there is none, None if not judged."""

    start: int
    end: int
    words: int
    text: str
    verdict: str | None = None


def prepare(text: str, *, source: str = "") -> Iterator[PreparedPassage | DroppedPassage]:
    """The passages of a text and those dropped, in order; `source` (a title, a file) is noted on each."""
    for piece in _join(_paragraphs(text), text):
        reason = piece.verdict or reason_to_drop(piece.text)
        if reason is None:
            yield PreparedPassage(piece.text, piece.start, piece.end, piece.words, source)
        else:
            yield DroppedPassage(piece.text, piece.start, piece.end, piece.words, reason, source)


def to_passages(prepared: Iterable[PreparedPassage | DroppedPassage], prefix: str) -> Iterator[Passage]:
    """The kept passages, numbered `PREFIX_0`, `PREFIX_1` …, each an article of its own as in CMRC 2018's files."""
    kept = (passage for passage in prepared if isinstance(passage, PreparedPassage))
    for number, passage in enumerate(kept):
        id = f"{prefix}_{number}"
        article = {"id": id, "title": passage.source}
        yield Passage(passage.text, id=id, title=passage.source, article=number, article_extra=article)


def count_words(text: str) -> int:
    """Ideographs, and runs of other letters and digits."""
    return count_han(text) + _count_other_words(text)


def _count_other_words(text: str) -> int:
    count = 0
    for run in _NOT_HAN.findall(text):
        if run.isalnum():
            count += 1
        elif _is_word(run):
            count += sum(_is_word(segment) for segment, _ in segments_with_offsets(run))
    return count


def _is_word(segment: str) -> bool:
    return _LETTER_OR_DIGIT.search(segment) is not None


def reason_to_drop(text: str) -> str | None:
    """Why a text in Simplified script makes no passage, or None if it does."""
    han = count_han(text)
    other = _count_other_words(text)
    if not han or other > MAXIMUM_NOT_CHINESE * (han + other):
        return NOT_CHINESE
    # Combining marks are parts of letters.
    symbols = sum(unicodedata.category(symbol)[0] != "M" for symbol in _SYMBOL.findall(text))
    if symbols > MAXIMUM_SYMBOLS * sum(map(len, text.split())):
        return SYMBOLS
    classical = len(CLASSICAL_WORD.findall(text))
    modern = len(MODERN_CHARACTER.findall(text))
    if classical >= max(MINIMUM_CLASSICAL_COUNT, MINIMUM_CLASSICAL * han, CLASSICAL_TO_MODERN * modern):
        return CLASSICAL
    return None


def _paragraphs(text: str) -> Iterator[_Piece]:
    """The paragraphs in Simplified script, a long one in several pieces, each with the verdict on it alone."""
    for line in _PARAGRAPH.finditer(text):
        for whole in _pieces(text, [line.span()]):
            if whole.words <= MAXIMUM_WORDS:
                yield _judge(whole)
            else:
                yield from map(_judge, _join(_pieces(text, _sentences(whole)), text))


def _pieces(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[_Piece]:
    """The spans without blanks at their ends, as far as anything is left."""
    for start, end in spans:
        left = text[start:end].lstrip()
        trimmed = left.rstrip()
        if trimmed:
            start = end - len(left)
            yield _Piece(start, start + len(trimmed), count_words(trimmed), trimmed)


def _sentences(piece: _Piece) -> Iterator[tuple[int, int]]:
    """The sentences of a piece; one that is too long is cut after commas, failing these between words."""
    for start, end in sentences(piece.text):
        at, comma = start, None
        words = after_comma = 0  # since `at`, since `comma`
        for segment, offset in segments_with_offsets(piece.text[start:end]):
            if _is_word(segment):
                if words == MAXIMUM_WORDS:
                    cut, words = (start + offset, 0) if comma is None else (comma, after_comma)
                    yield piece.start + at, piece.start + cut
                    at, comma = cut, None
                words += 1
                after_comma += 1
            elif words and segment in _COMMAS:
                comma, after_comma = start + offset + len(segment), 0
        yield piece.start + at, piece.start + end


def _judge(piece: _Piece) -> _Piece:
    """The piece in Simplified script and, unless it is too short, with a verdict."""
    text = simplify(piece.text).text if is_traditional(piece.text) else piece.text
    verdict = (reason_to_drop(text) or "") if piece.words >= MINIMUM_JUDGED_WORDS else None
    return _Piece(piece.start, piece.end, piece.words, text, verdict)


def _join(pieces: Iterable[_Piece], text: str) -> Iterator[_Piece]:
    """Neighbours as one piece, as long as their words fit and no two of their verdicts differ."""
    group: list[_Piece] = []
    words, verdict = 0, None
    for piece in pieces:
        agree = verdict is None or piece.verdict is None or verdict == piece.verdict
        if group and (words + piece.words > MAXIMUM_WORDS or not agree):
            yield _merge(group, text, verdict)
            group, words, verdict = [], 0, None
        group.append(piece)
        words += piece.words
        verdict = piece.verdict if verdict is None else verdict
    if group:
        yield _merge(group, text, verdict)


def _merge(group: list[_Piece], text: str, verdict: str | None) -> _Piece:
    parts = [group[0].text]
    for last, piece in pairwise(group):
        parts += text[last.end : piece.start], piece.text
    words = sum(piece.words for piece in group)
    return _Piece(group[0].start, group[-1].end, words, "".join(parts), verdict)


class Preparation(msgspec.Struct, frozen=True):
    """How many passages were written, and how many were dropped for which reason."""

    passages: int
    dropped: dict[str, int]


def prepare_files(
    files: Sequence[PathLike], out: PathLike, *, prefix: str = "TRAIN", drops: PathLike | None = None
) -> Preparation:
    """Write the passages of the files to `out` and, where `drops` is given, what was dropped as JSON lines."""
    kept: list[PreparedPassage] = []
    dropped: list[DroppedPassage] = []
    for passage in _prepared(files):
        if isinstance(passage, PreparedPassage):
            kept.append(passage)
        else:
            dropped.append(passage)
    squad.write(out, to_passages(kept, prefix), {"version": "v1.0"})
    if drops is not None:
        write_json_lines(drops, dropped)
    return Preparation(len(kept), dict(Counter(passage.reason for passage in dropped)))


def _prepared(files: Sequence[PathLike]) -> Iterator[PreparedPassage | DroppedPassage]:
    for path in files:
        yield from prepare(read_text(path), source="-" if str(path) == "-" else Path(path).name)
