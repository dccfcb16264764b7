"""How the answer to a question looks, as its words say, in English and Chinese: an amount, a time, a number."""

from __future__ import annotations

import re

from caveat.language.numbers import CHINESE_NUMBER, number_words
from caveat.language.tokens import tokens

__all__ = ["asks_for_quantity", "fits_question"]

# What the words of a question say of its answer, and how it looks.
_AMOUNT = re.compile(
    r"[£$€%]|\b(?:per ?cent|pounds?|euros?|dollars?|pence|cents?|free|nothing|pay)\b", re.IGNORECASE
)
_COUNT = re.compile(
    rf"\d|\b(?:{'|'.join((*number_words(1, 10), *number_words(12, 12)))}|no limit)\b", re.IGNORECASE
)
_NUMERAL = rf"(?:\d|{CHINESE_NUMBER}|[半两])"
_CHINESE_TIME = (
    rf"{_NUMERAL}\s*[万亿余多]*个?\s*(?:年|月|周|星期|礼拜|天|日|工作日|自然日|小时|钟头|分|秒|刻|季度|学期|世纪)"
    r"|终身|终生|长期|永久|永远|立即|当即|当场|当天|即时|随时"
)
_TIME = re.compile(
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|immediately|straight away|automatically|\d{4}|\d{1,2}[:.]\d\d"
    r"|(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov|dec)ember|october)\b",
    re.IGNORECASE,
)
_LOOKS = (
    (
        re.compile(r"多久|多长时间|多少时间|(?:多少|几)个?(?:天|日|年|月|周|星期|小时|钟头|分钟|秒)"),
        re.compile(_CHINESE_TIME),
    ),
    (
        re.compile(r"什么时候|什么时间|何时|哪一?[天年月日]|几[点月号]"),
        re.compile(rf"{_CHINESE_TIME}|{_NUMERAL}\s*点|[日天时期][前后内]|之[前后]|以[前后]|[时期]"),
    ),
    (re.compile(r"多少|多[大长高重远宽深]|(?<![十好数])几(?![乎何率])"), re.compile(_NUMERAL)),
    # How much of something: an amount in any unit. Before a verb it is money.
    (
        re.compile(
            r"\bhow much (?!time|notice|longer|money|it\b|is\b|are\b|was|were|do\b|does|did|can|could|will|would|should"
            r"|must|may\b|might|has|have)[a-z]",
            re.IGNORECASE,
        ),
        re.compile(r"[£$€¥]\s?\d|\d[\d.,]*\s?(?:[a-z%°])", re.IGNORECASE),
    ),
    (
        re.compile(
            r"\bhow much (?!time|notice|longer)|\bwhat (?:is the )?(?:amount|rate|fee|cost)\b", re.IGNORECASE
        ),
        _AMOUNT,
    ),
    (re.compile(r"\bhow many\b", re.IGNORECASE), _COUNT),
    (
        re.compile(
            r"\bhow (?:long|soon|often|much (?:time|notice))\b|\bwhen\b (?:can|do|does|will|should|must|is)\b",
            re.IGNORECASE,
        ),
        _TIME,
    ),
)
# The answers to choose from stand in the question itself.
_EITHER = re.compile(r"\bor\b|还是|或|哪", re.IGNORECASE)
# "Who …?" is not answered with "if you …".
_CONDITIONAL = re.compile(r"(?:if|unless|when|while|because)\b", re.IGNORECASE)


def asks_for_quantity(question: str) -> bool:
    """Whether the words of a question, in either language, say that its answer has a number or is a time."""
    return any(wording.search(question) for wording, _ in _LOOKS)


def fits_question(question: str, answer: str) -> float:
    """1 where the answer looks as the question wants it (an amount for "how much"), -1 where it does not; else 0.

    What only says again what was asked is no answer, unless the question gives the answers to choose from.
    """
    if _CONDITIONAL.match(answer):
        return -1.0
    for wording, looks in _LOOKS:
        if wording.search(question):
            return 1.0 if looks.search(answer) else -1.0
    if set(tokens(answer)) <= set(tokens(question)) and not _EITHER.search(question):
        return -1.0
    return 0.0
