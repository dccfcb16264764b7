"""Whether bytes are text of Western Europe in Windows-1252, by how letters and signs stand in words and around them."""

from __future__ import annotations

import re

__all__ = ["is_western"]

_LETTERS = "A-Za-zÀ-ÖØ-öø-ÿŠšŽžŒœ"
_WORD = re.compile(f"[{_LETTERS}]+")
_BEYOND = re.compile("[^A-Za-z]+")
_ENGLISH = re.compile(rb"[A-Za-z]{2,}")
# Of fewer letters than three there are only these, as in "à la carte".
_SHORT_WORDS = re.compile("[àáâéóöøåæ]|o[ùú]|l[àá]|[ndlst]é|d[ûú]|ça|às|já|él|tú|[ms]í|öl|än|[åé]t|[psf]å|én")
_NOT_LETTERS = re.compile(f"[^\x00-\x7f{_LETTERS}]")
_PLACED = re.compile(
    r"[£€](?=\s?\d)|(?<=\d)€(?!\w)|(?<=\d\s)€(?!\w)|[§©](?=[\s\d])|(?<=\w)[®™](?!\w)"
    r"|(?<=\d)°(?![^\WCFK\d_])|(?<=\d\s)°(?=[CF])|(?<=[nN])°(?=[\s\d])"
    r"|±(?=\s?\d)|(?<![^\W\d_])[¼½¾](?![^\W\d_])|[·•](?=\s)"
    r"|(?<!\w)[«\u2018\u201c]|[»\u201d](?!\w)|[\u2019\u2013\u2014\u2026\xa0]"
)
_TWO_SIGNS = re.compile("[£€§©®™°±¼½¾·•«»]{2}")
_PAIRS = (("«", "»"), ("\u201c", "\u201d"))


def is_western(sample: bytes, beginning: bytes) -> bool:
    """Whether all that is beyond ASCII stands as it does in words of English, French or German, or around them.

    Of "cafés" the last two letters are a Chinese character in GB18030: the letters before it tell that they are none.
    """
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    words = [word for word in _WORD.finditer(text) if not word[0].isascii()]
    symbols = list(_NOT_LETTERS.finditer(text))
    if not all(_is_western_word(text, *word.span()) for word in words):
        return False
    if not all(_PLACED.match(text, symbol.start()) for symbol in symbols):
        return False
    if _TWO_SIGNS.search(text) or any((opening in text) != (closing in text) for opening, closing in _PAIRS):
        return False
    # Symbols are no words: there have to be some, if only in the headings of a table.
    return bool(words) or _ENGLISH.search(sample) is not None or _ENGLISH.search(beginning) is not None


def _is_western_word(text: str, start: int, end: int) -> bool:
    """Whether its letters go together: most are of English, a capital begins a word or is among capitals."""
    word = text[start:end]
    if len(word) < 3:
        # As in "à", but not in "à°".
        return (
            _SHORT_WORDS.fullmatch(word.lower()) is not None
            and not _is_symbol(text, start - 1)
            and not _is_symbol(text, end)
        )
    beyond = [letter for letter in word if not letter.isascii()]
    if 2 * len(beyond) > len(word) and set(beyond) != {"é"}:  # as in "été"
        return False
    if not word[-1].isascii() and _is_symbol(text, end) and word[-1].isupper():
        return False
    return all(_is_western_run(word, *run.span()) for run in _BEYOND.finditer(word))


def _is_symbol(text: str, at: int) -> bool:
    return 0 <= at < len(text) and not text[at].isascii()


def _is_western_run(word: str, start: int, end: int) -> bool:
    """Whether letters beyond ASCII stand where they may in a word."""
    capitals = [letter.isupper() for letter in word[start:end]]
    if len(capitals) > 2 or (not capitals[-1] and word[end : end + 1].isupper()):
        return False
    if not any(capitals) or (start == 0 and not any(capitals[1:])):
        return True
    # Two at the end of a word of capitals may as well be a Chinese character behind it: "APP中".
    return word.isupper() and (len(capitals) == 1 or 0 < start < end < len(word))
