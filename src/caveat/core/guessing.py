"""In which encoding bytes are that say nothing of it and are no UTF-8: a guess, by charset-normalizer.

Texts of Western Europe in Windows-1252 are told before, by how letters and signs stand in words and around them.
"""

from __future__ import annotations

import re
from warnings import warn

# What texts in English and Chinese come in, and what else there is often enough not to be taken for it.
_ENCODINGS = ("cp1252", "gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "cp1251", "koi8_r")
_NAMES = {
    "cp1252": "Windows-1252",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    **dict.fromkeys(("iso2022_jp", "iso2022_jp_2", "iso2022_jp_ext", "iso2022_jp_2004"), "ISO-2022-JP"),
    "iso2022_kr": "ISO-2022-KR",
    "hz": "HZ",
    "utf_7": "UTF-7",
}
# About how many bytes around the first that are not ASCII tell; more take longer and say no more.
_LOOKED_AT = 1 << 15
# So few bytes beyond ASCII are too few for statistics: there the usual characters of an encoding tell.
_TOO_FEW = 16
# A character or two may be either of Chinese's encodings; files with so few are mostly in GB18030.
_TWO_CHARACTERS = 4
# The share of usual characters in a Chinese text; the rest are rare ones, as in names.
_NEARLY_ALL = 0.9
_USUAL = {
    # Punctuation, full-width forms, and the hanzi in most frequent use (level one of GB 2312, of Big5).
    "gb18030": re.compile(rb"[\xa1\xa3\xb0-\xd7][\xa1-\xfe]"),
    "big5hkscs": re.compile(rb"[\xa1\xa4-\xc6][\x40-\xfe]"),
    # Letters, quotation marks, dashes, and the signs of currencies, degrees, paragraphs and fractions.
    "cp1252": re.compile(rb"[\x80\x85\x91-\x97\x99\xa3\xa7\xa9\xab\xae\xb0\xb1\xb7\xbb-\xbe\xc0-\xff]"),
}


class GuessedEncodingWarning(UserWarning):
    """A file was read in an encoding that was only guessed."""


def guess_encoding(data: bytes) -> str | None:
    """The encoding, as Python names it, that the bytes are most probably in; None where none of those known fits."""
    from charset_normalizer import from_bytes

    sample = _telling(data)
    if _is_western(sample, data[:_LOOKED_AT]):
        return "cp1252"
    if is_simplified(sample):
        return "gb18030"
    found = from_bytes(sample, cp_isolation=list(_ENCODINGS))
    if (best := found.best()) is None:
        return None
    matches = {match.encoding for match in found}
    beyond = len(sample) - len(sample.decode("ascii", "ignore"))
    if beyond <= _TOO_FEW:
        likely = (name for name in _USUAL if name in matches and _is_usual(sample, name, beyond))
        return next(likely, best.encoding)
    return best.encoding if best.encoding in _ENCODINGS else None


def _telling(data: bytes) -> bytes:
    """The lines from the first byte that is not ASCII on."""
    first = re.search(rb"[^\x00-\x7f]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    # Far into one long line, a place before the byte does as well: what stands there is ASCII.
    start = max(start, (first.start() if first else 0) - _LOOKED_AT // 2)
    end = min(len(data), start + _LOOKED_AT)
    if end < len(data) and (line := data.rfind(b"\n", start, end)) > start:
        end = line
    return data[start:end]


def is_simplified(sample: bytes) -> bool:
    """Whether nearly all that is beyond ASCII is in frequent use in Simplified Chinese, and is no Korean."""
    characters = [c for c in sample.decode("gb18030", "replace") if not c.isascii()]
    usual = sum(bool(_USUAL["gb18030"].fullmatch(c.encode("gb18030"))) for c in characters)
    if usual < _NEARLY_ALL * len(characters) or not characters:
        return False
    korean = [c for c in sample.decode("cp949", "replace") if not c.isascii()]
    return any(not "\uac00" <= c <= "\ud7a3" for c in korean)


def _is_usual(sample: bytes, encoding: str, beyond: int) -> bool:
    try:
        characters = {character for character in sample.decode(encoding) if not character.isascii()}
    except UnicodeDecodeError:
        return False
    if encoding == "gb18030" and beyond <= _TWO_CHARACTERS:
        return all("\u4e00" <= character <= "\u9fff" for character in characters)
    return all(_USUAL[encoding].fullmatch(character.encode(encoding)) for character in characters)


def encoding_name(encoding: str) -> str:
    """An encoding as people call it."""
    return _NAMES.get(encoding, encoding.upper())


def guessed(encoding: str) -> str:
    """What is said of a text whose encoding was only guessed."""
    return (
        f"its encoding is only guessed to be {encoding_name(encoding)}; if names look wrong, save it as UTF-8"
    )


def warn_of_guess(path: object, encoding: str) -> None:
    """Say so to whoever reads data files: the command line prints it, Python shows it once for a file."""
    warn(f"{path}: {guessed(encoding)}", GuessedEncodingWarning, stacklevel=3)


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


def _is_western(sample: bytes, beginning: bytes) -> bool:
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
