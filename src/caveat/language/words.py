"""Words with their offsets, cut the way MRQA's files are: close to spaCy's English rules, without spaCy.

Each chunk between blanks loses punctuation at its two ends, then is cut at dashes, ellipses and commas
between letters. Chinese ideographs are words of their own. Every token is a slice of the text.

`treebank_words` are those of NLTK's `word_tokenize(text, preserve_line=True)`, token for token. The published rules pad
tokens with blanks, one rule after the other, and each sees the blanks that those before it made: "x's';" gives x 's ' ;
while "x's')" gives x's ' ). That order is kept here; rules whose order makes no difference are one step.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from caveat.core.cache import cache_short
from caveat.core.languages import HAN
from caveat.language.normalise import normalise_cmrc

# Text without any of these is cut at blanks only.
_MARK = re.compile(
    r"""["'`«»“”‘’„;@#$%&?!*\[\](){}<>\u2012-\u2015]|--|[,:](?!\d)|\.(?![^\W_])"""
    r"|(?i:\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b)"
)
_CONTRACTED_LENGTHS = (5, 6)  # of those that are letters only
# The separators U+001C to U+001F part tokens at the very end only; no rule takes them for blanks.
_BLANK = r"[^\S\x1c-\x1f]"

# A double quote opens at the start, after a blank (not after a tab or line end), an opening bracket or quote.
_OPENING_QUOTE = re.compile(r"""\A"|(?<=\A")(?:"|'')|(?<=[ (\[{<«“‘„`])(?:"|'')""")
_CLITIC_LETTERS = re.compile(r"(?i)re|ve|ll|[mtsdn]")
# Closing quotes and brackets may follow the period that ends the text.
_FINAL_PERIOD = re.compile(rf"""([^.])\.([\])}}>"'»”’ ]*+){_BLANK}*\Z""")
# The character after a comma or colon goes with it, so a second comma is no comma any more: "a,,b" → a , ,b
_COMMA = re.compile(r"([,:])(\D|\Z)")
_APART = re.compile(r"[«“‘„;@#$%&?!\u2012-\u2015]|`{1,2}|\.{2,}")
_QUOTE_BEFORE_BLANK = re.compile(r"(?<=[^'])' ")
# These come after the rule above, which therefore misses a quote before them.
_APART_LATER = re.compile(r"--|''|[*\[\](){}<>»”’]")
_SHORT_CLITIC = re.compile(rf"(?<=[^' ])'[smdSMD]?(?={_BLANK})")
_LONG_CLITIC = re.compile(rf"(?<=[^' ])(?:'ll|'LL|'re|'RE|'ve|'VE|n't|N'T)(?={_BLANK})")
_CONTRACTION = re.compile(
    r"(?i)\b(can(?=not)|d(?='ye)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|more(?='n)|wan(?=na\s))"
    r"(not|'ye|me|na|ta|'n)\b"
)
# Met only behind a contraction ("cannot'tis"): elsewhere the apostrophe has become a quote before.
_AFTER_CONTRACTION = tuple(re.compile(rf"(?i)(?<={_BLANK})('t)({rest})\b") for rest in ("is", "was"))


def treebank_words(text: str) -> list[str]:
    """The tokens of a text; a straight double quote becomes `` or '' by where it stands."""
    return list(_treebank_cut(text))


# Scoring meets the same short texts again and again: years, names, units.
@cache_short(1 << 14)
def _treebank_cut(text: str) -> tuple[str, ...]:
    if text.isalnum() and len(text) not in _CONTRACTED_LENGTHS:
        return (text,)
    if _MARK.search(text) is None:
        return tuple(text.split())
    text = _OPENING_QUOTE.sub(" `` ", text)
    if "'" in text:
        text = _part_opening_apostrophes(text)
    text = _FINAL_PERIOD.sub(r"\1 . \2 ", text)
    text = _COMMA.sub(r" \1 \2", text)
    text = _APART.sub(r" \g<0> ", text)
    text = _QUOTE_BEFORE_BLANK.sub(" ' ", text)
    text = _APART_LATER.sub(r" \g<0> ", text.replace('"', " '' "))
    text = f" {text} "
    if "'" in text:
        text = _SHORT_CLITIC.sub(r" \g<0>", text)
        text = _LONG_CLITIC.sub(r" \g<0>", text)
    text, contractions = _CONTRACTION.subn(r" \1 \2 ", text)
    if contractions:
        for pattern in _AFTER_CONTRACTION:
            text = pattern.sub(r" \1 \2 ", text)
    return tuple(text.split())


def _part_opening_apostrophes(text: str) -> str:
    """An apostrophe that begins a word is a token ('hello → ' hello), unless that is a clitic ('s, 'll)."""
    pieces = text.split("'")
    for index in range(1, len(pieces)):
        before, after = pieces[index - 1], pieces[index]
        if after and _in_word(after[0]) and not (before and _in_word(before[-1])) and not _is_clitic(after):
            pieces[index] = " " + after
    return "'".join(pieces)


def _is_clitic(text: str) -> bool:
    """Whether the text begins with a clitic's letters as a whole word."""
    letters = _CLITIC_LETTERS.match(text)
    return letters is not None and not _in_word(text[letters.end() : letters.end() + 1])


# Letters that Unicode counts among the symbols: circled, squared and the like.
_SYMBOL_LETTERS = re.compile("[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")


def _in_word(character: str) -> bool:
    """Whether a character is part of a word as Unicode defines it: marks and joiners are, ² and ½ are not."""
    if character.isascii():
        return character.isalnum() or character == "_"
    category = unicodedata.category(character)
    return (
        category[0] in "LM"
        or category in ("Nd", "Nl", "Pc")
        or character in "\u200c\u200d"
        or _SYMBOL_LETTERS.match(character) is not None
    )


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
