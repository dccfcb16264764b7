"""English words as in the Penn Treebank: NLTK's `word_tokenize(text, preserve_line=True)`, token for token.

The published rules pad tokens with blanks, one rule after the other, and each sees the blanks that those
before it made: "x's';" gives x 's ' ; while "x's')" gives x's ' ). That order is kept here; rules whose order
makes no difference are one step.
"""

from __future__ import annotations

import re
import unicodedata

from caveat.core.short_cache import cache_short

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
    return list(_cut(text))


# Scoring meets the same short texts again and again: years, names, units.
@cache_short(1 << 14)
def _cut(text: str) -> tuple[str, ...]:
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
