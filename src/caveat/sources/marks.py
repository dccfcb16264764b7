"""Marks of Markdown, reStructuredText, HTML and templates inside a line: what of a span is text to be shown.

Texts are kept as they were written, so that offsets stay exact; marks are left out by choosing spans without them.
"""

from __future__ import annotations

import re

from caveat.sources.plain_text import trimmed

# The longest first: "**" is not two of "*".
_PAIRS = ("**", "__", "~~", "``", "`", "*", "_")
# Names of programs begin and end so too: "_first", "__init__".
_NAME = re.compile(r"__?[^\W_]+|__[a-z]+__")
# A link of Markdown, `[shown](target)`, and of reStructuredText, `shown <target>`_.
_LINK = re.compile(r"!?\[(?P<shown>[^\[\]]+)\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])")
_REFERENCE = re.compile(r"`(?P<shown>[^`<>]+?)\s*(?:<[^<>`]*>)?`__?")
_ROLE = re.compile(r":[a-z][\w:+-]*:`(?P<shown>[^`<>]+?)(?:\s*<[^<>`]*>)?`")
# Words of a program, on one line or two.
_LITERAL = re.compile(
    r"(?<!`)(?P<mark>``?)(?![`\s])(?P<shown>(?:[^`<>\n]|\n(?!\s*\n)){1,80}?)(?<!\s)(?P=mark)(?![`_\w])"
)
# What is left at an end of a link, a reference or a template that the span does not have all of.
_BEFORE = re.compile(r"(?:!?\[(?=[^\[\]]*\Z)|\{\{[^{}]*\}\}\s*|\{%[^{}]*%\}\s*|</?[a-zA-Z][^<>]*>\s*)")
_AFTER = re.compile(
    r"\](?:\([^()]*\)?|\[[^\[\]]*\]?)?\Z|\s*(?:\{\{[^{}]*\}\}|\{%[^{}]*%\}|</?[a-zA-Z][^<>]*>)\Z"
)
# `PostgreSQL_`, but not a name of a program such as `made_up_`.
_NAMED_TARGET = re.compile(r"(?<!\w)[^\W_]+(?P<mark>_[.,;:]?)\Z")
_PUNCTUATION = ".,;:。，；："
# Where something that is not shown begins, and what ends it: a link's target, a tag with attributes, a template.
_HIDDEN = (("](", ")"), ("{{", "}}"), ("{%", "%}"), ("<!--", "-->"))
_TAG = re.compile(r"<[a-zA-Z][\w-]*\s[^<>]*\Z")
_UNSHOWN = re.compile(r"\{\{[^{}]*\}\}|\{%[^{}]*%\}|<!--[^<>]*-->|</?[a-zA-Z][^<>]*>")
_EMPHASIS = re.compile(r"\*\*|``|(?<!\w)[*_`](?=\w)|(?<=\w)[*`](?!\w)")
# The target of a reference of reStructuredText.
_TARGET = re.compile(r"`[^`<>]*<[^<>`]*\Z")
# Nothing that is not shown is longer than this, or it is no such thing.
_REACH = 400
# No text has more marks around it; each is looked for in all of the span.
_MOST_MARKS = 32


def without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without marks at its ends; what it has in its middle stays, since a span has no holes."""
    for _ in range(_MOST_MARKS):
        start, end = trimmed(text, start, end)
        narrower = _narrower(text[start:end], text[end : end + 1])
        if narrower is None or narrower[0] >= narrower[1]:
            break
        start, end = start + narrower[0], start + narrower[1]
    return trimmed(text, start, end)


def shown(text: str) -> str:
    """A text as it is read: links by what they show, no emphasis, no templates; blanks as one."""
    for link in (_LINK, _REFERENCE, _ROLE):
        text = link.sub(r"\g<shown>", text)
    text = _UNSHOWN.sub(" ", text)
    return " ".join(_EMPHASIS.sub("", text).split())


def whole_literal(text: str, start: int, end: int) -> tuple[int, int]:
    """The words of a program that a span stands in, all of them: ``make.py --all`` is not cut at its dot."""
    for found in _LITERAL.finditer(text, max(0, start - _REACH), min(len(text), end + _REACH)):
        first, last = found.span("shown")
        if first <= start and end <= last and (start, end) != (first, last):
            return first, last
    return start, end


def is_markup(text: str, start: int, end: int) -> bool:
    """Whether the span stands in what is not shown: a link's target, an attribute of a tag, a template."""
    before = text[max(0, start - _REACH) : start]
    for opening, closing in _HIDDEN:
        at = before.rfind(opening)
        if at >= 0 and closing not in before[at + len(opening) :] and _closes(text, closing, start):
            return True
    if _TARGET.search(before) is not None and _closes(text, ">`", start):
        return True
    return _TAG.search(before) is not None and _closes(text, ">", start)


def _closes(text: str, closing: str, start: int) -> bool:
    return text.find(closing, start, start + _REACH) >= 0


def _narrower(span: str, after: str) -> tuple[int, int] | None:
    """The span without one more mark at an end, as offsets into it; None where there is none."""
    if not span or (span[0].isalnum() and span[-1].isalnum()):
        return None
    for link in (_LINK, _REFERENCE, _ROLE):
        if whole := link.fullmatch(span.rstrip(_PUNCTUATION)):
            return whole.span("shown")
    if (found := _BEFORE.match(span)) and found.end() < len(span):
        return found.end(), len(span)
    if (
        (found := _AFTER.search(span, max(0, len(span) - _REACH)))
        and found.start()
        and _is_cut(span, found.start())
    ):
        return 0, found.start()
    for mark in () if _NAME.fullmatch(span) else _PAIRS:
        begins, ends, count = span.startswith(mark), span.endswith(mark), span.count(mark)
        if begins and ends and count == 2 and len(span) > 2 * len(mark):
            return len(mark), len(span) - len(mark)
        if (begins or ends) and count == 1 and mark[0] != "_" and len(span) > len(mark):
            return (len(mark), len(span)) if begins else (0, len(span) - len(mark))
        if begins or ends:
            break  # "**" at an end is not "*"
    target = _NAMED_TARGET.search(span)
    if target and not (after.isalnum() or after == "_"):
        return 0, target.start("mark")
    return None


def _is_cut(span: str, at: int) -> bool:
    """Whether what begins there is the end of a link whose beginning the span has not, or no link at all."""
    return span[at] != "]" or "[" not in span[:at]
