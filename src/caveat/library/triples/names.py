"""Further names of a thing: without its brackets, out of its quotes, by its aliases, with a slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from caveat.library.triples.folding import FIRST_WIDE

# Cleaned predicates whose objects are names of their subject; RDF's labels among them.
ALIAS_PREDICATES = frozenset(
    (
        *("别名", "别称", "又名", "又称", "亦称", "也称", "俗称", "简称", "全称", "原名", "本名"),
        *("中文名", "中文名称", "外文名", "外文名称", "英文名", "英文名称"),
        *("alias", "aliases", "also known as", "alternative name", "alternative names"),
        *("label", "alt label", "pref label"),
    )
)

QUOTES = {
    "《": "》",
    "〈": "〉",
    "「": "」",
    "『": "』",
    "【": "】",
    "“": "”",
    "‘": "’",
    '"': '"',
    "«": "»",
    "＂": "＂",
}
_BRACKETS = {"）": "（", ")": "(", "］": "［", "]": "[", "】": "【", "〕": "〔"}
_OPENING, _CLOSING = frozenset(_BRACKETS.values()), frozenset(_BRACKETS)
_ENDS = _CLOSING | frozenset(QUOTES.values())

# Nothing with a longer name is asked for by a part of it; each pair of brackets taken away would be another name.
_LONGEST_NAME = 200
_NO_ALIAS = frozenset({"无", "暂无", "没有", "未知", "不详", "none", "n/a", "null", "unknown"})
_LONGEST_ALIASES, _MOST_ALIASES = 200, 20
_SEPARATORS = re.compile(r"[、；;|/]")
_SEPARATORS_OR_COMMAS = re.compile(r"[、；;|/，,]")


def has_other_names(name: str) -> bool:
    """Whether it is worth asking for `other_names`."""
    return name[-1:] in _ENDS and len(name) <= _LONGEST_NAME


def other_names(name: str) -> Iterator[str]:
    """The name without brackets at its end, one pair after the other, and without quotes or book marks around it."""
    while 0 < len(name) <= _LONGEST_NAME:
        if QUOTES.get(name[0]) == name[-1] and len(name) > 1:
            shorter = name[1:-1].strip()
        elif name[-1] in _CLOSING:
            # Encyclopedias write an underscore before the bracket.
            shorter = name[: _opening_of(name)].rstrip(" _\u3000")
        else:
            return
        if not shorter or shorter == name:
            return
        yield shorter
        name = shorter


def _opening_of(name: str) -> int:
    """Where the bracket was opened that ends the name; its end if nowhere."""
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        if name[at] in _CLOSING:
            depth += 1
        elif name[at] in _OPENING:
            depth -= 1
            if not depth:
                return at
    return len(name)


def aliases_in(text: str) -> Iterator[str]:
    """The names in the object of an alias predicate, which may hold several."""
    if len(text) > _LONGEST_ALIASES:
        return
    # "Smith, John" is one name.
    chinese = any(ord(character) >= FIRST_WIDE for character in text)
    parts = (_SEPARATORS_OR_COMMAS if chinese else _SEPARATORS).split(text)[:_MOST_ALIASES]
    for part in dict.fromkeys([text, *parts]):
        alias = part.strip()
        if alias and alias.lower() not in _NO_ALIAS:
            yield alias
            yield from other_names(alias)


# An ideograph more or less at the end makes another name; in a long word of letters it may have been forgotten.
# A blank more or less is no slip in a short one: "is a" is not "Isa".
_LONG_WORD = 5


def is_slip(written: str, name: str) -> bool:
    """Whether a name may have been meant by what is written, which is not the same; digits are meant as they are."""
    begin = 0
    shorter = min(len(written), len(name))
    while begin < shorter and written[begin] == name[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and written[-1 - end] == name[-1 - end]:
        end += 1
    wrong, right = written[begin : len(written) - end], name[begin : len(name) - end]
    if any(character.isdigit() for character in wrong + right):
        return False
    if len(wrong) == len(right):
        return len(wrong) == 1 or (len(wrong) == 2 and wrong == right[::-1])
    if len(wrong) + len(right) != 1:
        return False
    if 0 < begin < shorter and wrong + right != " ":
        return True
    return len(name) >= _LONG_WORD and all(ord(letter) < FIRST_WIDE for letter in name)
