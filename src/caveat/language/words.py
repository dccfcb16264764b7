"""Words with their offsets, cut the way MRQA's files are: close to spaCy's English rules, without spaCy.

Each chunk between blanks loses punctuation at its two ends, then is cut at dashes, ellipses and commas
between letters. Chinese ideographs are words of their own. Every token is a slice of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from caveat.core.script import HAN
from caveat.language.normalise import normalise_cmrc
from caveat.language.treebank import treebank_words

Token = tuple[str, int]

_CHUNK = re.compile(rf"[{HAN}]|[^\s{HAN}]+")

_QUOTES = "'\"“”‘’`«»„‚´′″「」『』《》〈〉〝〟〞"
_CURRENCY = "$£€¥฿₽﷼₴₹"
_OPENING = re.compile(
    rf"\.{{2,}}|…+|§|%|=|—|–|\+(?![0-9])|[,:;!?¿¡؟¿（）【】｛｝、。，；：！？·~()\[\]{{}}<>*&#|/\\@_^{_QUOTES}{_CURRENCY}]"
)
_CLOSING = re.compile(
    rf"\.{{2,}}$|…+$|(?:'s|'S|’s|’S)$|[—–]$|[,:;!?（）【】｛｝、。，；：！？·()\[\]{{}}<>*&#|/\\@_^{_QUOTES}]$"
    rf"|(?<=[0-9])\+$|(?<=°[FfCcKk])\.$|°$|(?<=[0-9])[{_CURRENCY}]$"
    r"|(?<=[0-9])(?:km|km²|km³|m|m²|m³|dm|cm|mm|ft|ft²|kg|g|mg|lb|lbs|oz|%|mph|kmh|hPa|Pa|mbar|mb|MB|kb|KB|gb|GB|tb|TB|T|G|M|K)$"
    rf"|(?<=[0-9a-zß-öø-ÿ%²\-+{_QUOTES})\]])\.$|(?<=[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ])\.$"
)
_LETTER = r"[^\W\d_]"
_INFIX = re.compile(
    r"\.{2,}|…+"
    r"|(?<=[0-9])[-+*^](?=[0-9-])"
    rf"|(?<=[a-zß-öø-ÿ{_QUOTES}])\.(?=[A-ZÀ-ÖØ-Þ{_QUOTES}])"
    rf"|(?<={_LETTER}),(?={_LETTER})"
    rf"|(?<={_LETTER})(?:--+|[-–—~])(?={_LETTER})"
    rf"|(?<=[^\W_])[:<>=/](?={_LETTER})"
)
# A clitic is its own token: do|n't, we|'ve.
_CLITIC = re.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:ve|re|ll|d|m|s))$")

# A final period belongs to these, however they are written …
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        """a.d. a.m. approx. b.c. bros. co. corp. d.c. dr. e.g. i.e. inc. jr. ltd. messrs. mr. mrs. ms. p.m. ph.d.
        prof. rev. sr. st. u.k. u.s. u.s.a. v. v.s. vs. and/or o'clock""",
    )
)
# … and to these when capitalised ("Ill." is a state, "ill." ends a sentence).
_CAPITALISED = frozenset(
    re.findall(
        r"\S+",
        """Adm. Apr. Ariz. Ark. Aug. Calif. Colo. Conn. Dec. Del. Feb. Fla. Ft. Ga. Gen. Gov. Ill. Ind. Jan. Jul.
        Jun. Kan. Kans. Ky. La. Lt. Mar. Mass. Md. Mich. Minn. Miss. Mo. Mont. Mt. Neb. Nebr. Nev. Nov. Oct. Okla.
        Ore. Pa. Penn. Rep. Sen. Sep. Sept. Tenn. Va. Wash. Wis. N.C. N.D. N.H. N.J. N.M. N.Y. S.C.""",
    )
)
_LONGEST_KNOWN = max(map(len, _ABBREVIATIONS | _CAPITALISED))
_CANNOT = frozenset({"cannot", "Cannot", "CANNOT"})
_INITIALS = re.compile(rf"(?:{_LETTER}\.)+$")


def words(text: str) -> list[Token]:
    """The tokens of a text, each with the offset at which it begins."""
    tokens: list[Token] = []
    for chunk in _CHUNK.finditer(text):
        piece, at = chunk[0], chunk.start()
        if piece.isalpha() and piece not in _CANNOT:
            tokens.append((piece, at))
        else:
            tokens += [(piece[start:end], at + start) for start, end in _cut(piece)]
    return tokens


# A text without blanks (a line of punctuation, a picture in base64) is not worth remembering.
_LONGEST_CACHED = 64
# No closing is longer, but for dots.
_LONGEST_CLOSING = 8


def _cut(chunk: str) -> tuple[tuple[int, int], ...]:
    """Where the tokens of a chunk begin and end."""
    return _cut_short(chunk) if len(chunk) <= _LONGEST_CACHED else _cut_any(chunk)


def _cut_any(chunk: str) -> tuple[tuple[int, int], ...]:
    start, end = 0, len(chunk)
    head: list[tuple[int, int]] = []
    tail: list[tuple[int, int]] = []
    while start < end and not _whole(chunk, start, end):
        if opening := _OPENING.match(chunk, start, end):
            head.append(opening.span())
            start = opening.end()
            continue
        # Only the end is looked at, so that a long chunk takes no more time for each of its marks.
        near = max(start, end - _LONGEST_CLOSING)
        while near > start and chunk[near] in ".…":
            near -= 1
        closing = _CLOSING.search(chunk, near, end) or _CLITIC.search(chunk, near, end)
        if closing is None or closing.start() == start:
            break
        tail.append((closing.start(), end))
        end = closing.start()
    return (*head, *_infixes(chunk, start, end), *reversed(tail))


# A text has far more chunks than different chunks.
_cut_short = lru_cache(maxsize=1 << 16)(_cut_any)


def _whole(chunk: str, start: int, end: int) -> bool:
    if _INITIALS.match(chunk, start, end) is not None:
        return True
    if end - start > _LONGEST_KNOWN:
        return False
    piece = chunk[start:end]
    return piece.lower() in _ABBREVIATIONS or piece in _CAPITALISED


def _infixes(chunk: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if start >= end:
        return
    if _whole(chunk, start, end):
        yield start, end
        return
    if chunk[start:end] in _CANNOT:
        yield from ((start, start + 3), (start + 3, end))
        return
    for infix in _INFIX.finditer(chunk, start, end):
        if infix.start() > start:
            yield start, infix.start()
        yield infix.span()
        start = infix.end()
    if start < end:
        yield start, end


# CMRC 2018's ideographs end at U+9FA5; rarer ones are buffered like Latin letters ("㐀㐁" is one segment).
_OTHER = re.compile("([^\u4e00-\u9fa5]+)")

# Chinese and full-width punctuation, which parts words without blanks: NBA、CBA
_WIDE_PUNCTUATION = "\u3001-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_ALONE_OR_RUN = re.compile(rf"[{HAN}{_WIDE_PUNCTUATION}]|[^\s{HAN}{_WIDE_PUNCTUATION}]+")


def cmrc_segments(text: str) -> list[str]:
    """The segments CMRC 2018's F1 compares: its `mixed_segmentation` with punctuation removed.

    The listed punctuation goes first, so that what stands on both sides of it fuses: "10:30" → 1030.
    """
    segments: list[str] = []
    for ideographs, words_between in runs(normalise_cmrc(text)):
        segments += ideographs
        segments += words_between
    return segments


def runs(text: str) -> Iterator[tuple[str, list[str]]]:
    """A text that `normalise_cmrc` has been through, run by run: ideographs, and the words that follow them."""
    at = 0
    for run in _OTHER.finditer(text):
        yield text[at : run.start()], treebank_words(run[0])
        at = run.end()
    yield text[at:], []


def segments_with_offsets(text: str) -> list[Token]:
    """Slices of the text with their offsets: each ideograph, each Chinese mark, and the words between them."""
    segments: list[Token] = []
    for run in _ALONE_OR_RUN.finditer(text):
        piece, start = run[0], run.start()
        if len(piece) == 1:
            segments.append((piece, start))
        else:
            segments += [(word, start + offset) for word, offset in words(piece)]
    return segments
