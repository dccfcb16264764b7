"""Sentences of Chinese, English and mixed text, as spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.core.languages import HAN
from caveat.core.limits import checkpoint

_CLOSING = "”’」』）】》〉〕］｝»)\\]}"
_STOP = re.compile(
    r"(?P<line>[\n\r\v\f\x85\u2028\u2029]+)"
    rf"|(?P<marks>[.!?。！？；…｡]+)(?P<closing>[{_CLOSING}\"']*)"
)
_WIDE = frozenset("。！？；｡")
# After one of these the sentence goes on: “你好。”，他说
_GOES_ON = frozenset(",;:，、；：")
# What follows a narrow mark: blanks (none before Chinese), opening quotes and brackets, then a word.
_NEXT = re.compile(r"(?P<blank>\s*)(?P<opening>[\"'“‘(\[（「『《【〈]*)(?P<word>\w*)(?P<period>\.?)")
_CHINESE = re.compile(rf"[{HAN}“‘（「『《【〈]")
# The chunk that a period ends; longer ones are no abbreviations.
_LAST_CHUNK = re.compile(r"[^\W_][\w.&-]*\Z")
_LONGEST_CHUNK = 16

# A name or an explanation follows, never a new sentence.
_BEFORE_NAMES = re.compile(
    r"mrs?|ms|messrs|dr|prof|st|rev|hon|gen|col|lt|capt|cmdr|sgt|maj|adm|sen|rep|gov|pres|supt"
    r"|vs?|e\.g|i\.e|cf|viz|ca|approx|incl|esp"
)
# Abbreviations before a number, words or ends of sentences elsewhere: "No. 5", "He said no."
_BEFORE_NUMBERS = re.compile(
    r"nos?|figs?|pp?|vols?|ch|sec|art|eq|ref|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
# These end a sentence at times, as initials do ("U.S."); then the next word is one that sentences begin with.
_EITHER = re.compile(
    r"inc|co|corp|ltd|bros|jr|sr|esq|dept|univ|assn|ave|blvd|rd|est|mt|ft|al|ph\.d|[^\W\d_](?:\.[^\W\d_])*"
)
_FIRST_WORD = re.compile(
    r"a|after|all|although|an|and|another|as|at|because|before|both|but|by|during|each|even|every|for|from|he|her"
    r"|here|his|how|however|i|if|in|it|its|last|many|meanwhile|most|my|no|not|now|on|once|one|other|our|several"
    r"|she|since|so|some|such|that|the|their|then|there|these|they|this|those|though|thus|to|today|under|until"
    r"|we|what|when|where|while|who|why|with|yet|you|your"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The sentences in order as half-open spans, without blanks around them; a line end always ends one."""
    return list(_sentences(text))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    # Straight double quotes since the line began: after an odd number of them the next one closes.
    quotes = counted = 0
    for stop in _STOP.finditer(text):
        checkpoint()
        if stop["line"]:
            yield from _trim(text, start, stop.start())
            start = counted = stop.end()
            quotes = 0
            continue
        marks_end = stop.end("marks")
        quotes += text.count('"', counted, marks_end)
        counted = marks_end
        end = _end_of_closing(text, marks_end, stop.end(), inside_quotes=quotes % 2 == 1)
        if _ends_sentence(text, start, stop.start(), marks_end, end):
            yield from _trim(text, start, end)
            start = end
    yield from _trim(text, start, len(text))


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without blanks at its ends, if anything is left."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    if start < end:
        yield start, end


def _end_of_closing(text: str, at: int, end: int, *, inside_quotes: bool) -> int:
    """Where the closing quotes and brackets end; a straight quote may open the next sentence instead."""
    while at < end:
        character = text[at]
        if character == '"':
            if not inside_quotes:
                break
            inside_quotes = False
        elif character == "'" and text[at + 1 : at + 2].isalnum():
            break
        at += 1
    return at


def _ends_sentence(text: str, start: int, marks: int, marks_end: int, end: int) -> bool:
    following = text[end : end + 1]
    if not following:
        return True
    if following in _GOES_ON:
        return False
    mark = text[marks:marks_end]
    if not _WIDE.isdisjoint(mark):
        return True
    next_ = _NEXT.match(text, end)
    if next_ is None or not _may_follow(text, marks, mark, next_):
        return False
    return mark != "." or not _is_abbreviation(text, start, marks, next_)


def _may_follow(text: str, marks: int, mark: str, next_: re.Match[str]) -> bool:
    """Whether a sentence can begin after a narrow mark or an ellipsis: behind a blank, or next to Chinese."""
    word = next_["word"]
    if word[:1].islower():
        return False
    if next_["blank"]:
        return True
    beside_chinese = _CHINESE.match(text, next_.start("opening")) or _CHINESE.match(text, max(marks - 1, 0))
    return beside_chinese is not None and not word[:1].isdigit() and (mark[-1] != "." or bool(word))


def _is_abbreviation(text: str, start: int, period: int, next_: re.Match[str]) -> bool:
    """Whether a single period belongs to the chunk before it and ends no sentence."""
    chunk = _LAST_CHUNK.search(text, max(start, period - _LONGEST_CHUNK), period)
    if chunk is None:
        return False
    short = chunk[0].lower()
    word = next_["word"]
    if _BEFORE_NAMES.fullmatch(short):
        return True
    if _BEFORE_NUMBERS.fullmatch(short):
        return word[:1].isdigit()
    if short.isdigit():
        return not text[start : chunk.start()].strip()  # "1. First point"
    if _EITHER.fullmatch(short):
        is_initial = len(word) == 1 and bool(next_["period"])
        return is_initial or not _FIRST_WORD.fullmatch(word.lower())
    return False
