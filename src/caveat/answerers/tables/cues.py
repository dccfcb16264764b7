"""How questions say what to do with a table, in English and Chinese; patterns for folded text (`units.fold`)."""

from __future__ import annotations

import re
from typing import Literal

from caveat.language.numbers import CHINESE_NUMERALS, ORDINAL_WORDS, number_words

__all__ = [
    "AFTER_NUMBER",
    "BEFORE_NUMBER",
    "CUES",
    "EXCLUDING",
    "NONE_OF",
    "NOT_IN",
    "ORDERS",
    "ORDINALS",
    "PLACINGS",
    "Cue",
    "Relation",
]

Relation = Literal["more", "less", "at least", "at most"]
Cue = Literal[
    "count",
    "sum",
    "average",
    "difference",
    "different",
    "who",
    "when",
    "where",
    "how much",
    "which",
    "how long",
    "except",
    "same",
    "yes or no",
    "negation",
    "in a row",
    "next",
    "previous",
    "both",
    "or",
]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_COUNTERS = "个家位名座所条部款支只种本届场次项间台辆件艘架门首栋处颗"
_LARGER = "more|greater|higher|larger|longer|taller|bigger|older|heavier|better|later|further|farther|faster"
_SMALLER = "less|fewer|lower|smaller|shorter|younger|lighter|earlier|cheaper|closer|slower"
_AT_ONCE = "(?:(?:right|immediately|directly|just) )?"

CUES: dict[Cue, re.Pattern[str]] = {
    "count": _any(
        r"\bhow many?\b(?! (?:more|fewer|less)\b.*\bthan\b)",
        r"\b(?:total )?(?:number|count)s? of\b",
        r"\bamount of times\b",
        r"\bhow often\b",
        rf"(?:有|共|总共|一共)?(?:多少|几)[{_COUNTERS}]",
        "有多少",
        "(?:数量|数目)是?多少",
    ),
    "sum": _any(
        r"\b(?:totals?|sum|combined|altogether|all together|in all|overall)\b",
        "总共|一共|合计|总和|加起来|总计|共计",
        "总(?!部|统|理|监|冠军|是|经|编|共|和|计|结)",
    ),
    "average": _any(r"\b(?:average|mean)\b", "平均|均值"),
    "difference": _any(
        r"\bdifference\b",
        rf"\bhow (?:many|much) (?:{_LARGER}|{_SMALLER})\b(?=.*\bthan\b)",
        r"\bhow (?:much|many)\b(?=.*\bseparates?\b)",
        "相差|差多少|之差|差距",
        "比(?=.{1,30}?[多高大长重少低贵快早晚远](?:多少|几|了多少))",
    ),
    "different": _any(r"\b(?:different|distinct|unique)\b", "不同|多少种|几种"),
    "who": _any(r"\bwho(?:m|se)?\b", "谁|哪位|何人"),
    "when": _any(
        r"\bwhen\b",
        r"\b(?:what|which) (?:year|date|day|month|season)\b",
        "什么时候|何时|哪一?年|哪一?天|哪个月|什么时间|几年|几月",
    ),
    "where": _any(
        r"\bwhere\b",
        r"\bwhat (?:place|location|city|venue)\b",
        "哪里|哪儿|何处|何地|什么地方|在哪(?!个|些|家|位)",
    ),
    "how much": _any(
        r"\bhow (?:much|high|tall|long|far|old|heavy|deep|wide|fast|large|big)\b",
        rf"多少(?![{_COUNTERS}])",
        "多[高长重远大深宽快]",
    ),
    "which": _any(
        r"\b(?:which|what|name|list|tell me)\b", "哪[个些家位名座所条部款支只种本届场项一]?|什么|何"
    ),
    "how long": _any(r"\bhow long\b", r"\bhow many years\b", "多久|多长时间"),
    "except": _any(
        r"\b(?:besides|other than|except(?: for)?|aside from|apart from|excluding)\b", "除了|除去|除(?=[^以])"
    ),
    "same": _any(r"\bsame\b", "相同|一样|同样"),
    "yes or no": _any(
        r"^(?:did|does|do|is|are|was|were|has|have|had|can|true or false|will)\b",
        r"吗\W*$",
        "是否|是不是|有没有",
    ),
    "negation": _any(
        r"\b(?:not|never|n't|without|no|none|neither|nor|didnt|dont|didn't|don't|doesn't)\b",
        "(?<!是)不(?!同|少|超|低|高|大|小|多|到|足|止)|没有?|未(?!满|知)",
    ),
    "in a row": _any(
        r"\bconsecutive(?:ly)?\b", r"\bin a row\b", r"\bstraight\b", r"\bback to back\b", "连续|接连"
    ),
    "next": _any(
        rf"\b{_AT_ONCE}(?:after|follow(?:s|ing|ed)?|next(?: to| after)?|below|beneath|succeed(?:s|ed)|replaced)\b",
        "之后|后面|下一|接下来|紧接|下面|以下的",
    ),
    "previous": _any(
        rf"\b{_AT_ONCE}(?:before|preced(?:es?|ing|ed)|previous(?:ly)?(?: to| before)?|prior to|above)\b",
        "之前|前面|上一|前一|上面",
    ),
    "both": _any(r"\bboth\b", "都|同时"),
    "or": _any(r"\bor\b", "还是|或者?"),
}

# The end of the table, or of time where the table has dates; True is the last.
ORDERS: tuple[tuple[re.Pattern[str], bool], ...] = (
    (
        _any(
            r"\b(?:first|earliest)\b(?! (?:place|name|class|division|round|leg|half|runner|team|prize|season))",
            "最早|最先|首个|首位|首次|首届|首部|第一(?=[个家位名届部座次本场条])",
        ),
        False,
    ),
    (
        _any(
            r"\b(?:last|final|latest|newest|most recent(?:ly)?)\b(?! (?:place|name|round|leg|half|season))",
            "最后|最晚|最新|最近一|末位",
        ),
        True,
    ),
)

ORDINALS: dict[str, int] = {
    word: number
    for words in (
        ORDINAL_WORDS,
        number_words(1, 10),
        CHINESE_NUMERALS[:10],
    )
    for number, word in enumerate(words, 1)
}
_ORDINAL = rf"{'|'.join(word for word in ORDINALS if word.isascii())}|#?\d+(?:st|nd|rd|th)?"
_NTH = rf"{'|'.join(word for word in ORDINALS if word.endswith(('st', 'nd', 'rd', 'th')))}|\d+(?:st|nd|rd|th)"
# A place in a ranking.
PLACINGS: tuple[re.Pattern[str], ...] = (
    re.compile(
        r"\b(?:plac(?:e|es|ed|ing)|positions?|rank(?:s|ed|ing)?|finish(?:es|ed)?|came|number) "
        rf"(?:in |at |as |the |of )*({_ORDINAL})\b(?! (?:to|or|through)\b)"
    ),
    re.compile(rf"\b({_NTH})[- ](?:place|position|rank(?:ed)?)\b"),
    re.compile(r"第([一二三四五六七八九十]|\d+)[名位]"),
)


def _before(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})\s*(?:(?:the|years?|an?|of|age|season|about|\$)\s+)*$")


# What stands before a number; what it says of a date is the same.
BEFORE_NUMBER: tuple[tuple[re.Pattern[str], Relation], ...] = (
    (
        _before(
            rf"\b(?:no|not) (?:{_LARGER}) than",
            r"\b(?:at most|up to|a maximum of|until|through)",
            "不超过|不高于|不大于|不多于|至多|最多",
        ),
        "at most",
    ),
    (
        _before(
            rf"\b(?:no|not) (?:{_SMALLER}) than",
            r"\b(?:at least|a minimum of|since|starting (?:in|from))",
            "不少于|不低于|不小于|至少|最少|自从|自",
        ),
        "at least",
    ),
    (
        _before(
            rf"\b(?:{_LARGER}) than",
            r"\b(?:over|above|exceed(?:s|ed|ing)?|in excess of|after|following)",
            "超过|大于|高于|多于|超出|晚于|迟于|重于|长于",
        ),
        "more",
    ),
    (
        _before(
            rf"\b(?:{_SMALLER}) than",
            r"\b(?:under|below|before|prior to)",
            "低于|少于|小于|不到|不足|未满|早于|短于|轻于",
        ),
        "less",
    ),
)
_UNIT = r"[^\d,.;?!，。？]{0,4}?"
# What stands after a number and its unit.
AFTER_NUMBER: tuple[tuple[re.Pattern[str], Relation], ...] = (
    (
        re.compile(r"\s?[^\W\d]{0,12}? ?\bor (?:more|above|greater|higher|better|over|later|longer)\b"),
        "at least",
    ),
    (re.compile(r"\s?[^\W\d]{0,12}? ?\bor (?:less|fewer|below|lower|under|earlier|shorter)\b"), "at most"),
    (re.compile(_UNIT + "(?:以上|及以上|以来|起)"), "at least"),
    (re.compile(_UNIT + "(?:以下|以内|及以下)"), "at most"),
    (re.compile(_UNIT + "(?:之后|以后|后)"), "more"),
    (re.compile(_UNIT + "(?:之前|以前|前)"), "less"),
)

# What stands before a text that rows must not have …
EXCLUDING = re.compile(
    r"(?:\b(?:besides|other than|except(?: for)?|aside from|apart from|excluding|not|isn't|aren't|wasn't|weren't)"
    r"(?: (?:in|from|part|at|by|a|an|the|of|on|with|and|have|has|had|\W))*|除了|除去|除|不在|不是|不来自|非)\W*$"
)
# … the same with the name of the column between …
NOT_IN = re.compile(r"\b(?:not|never|didn't|doesn't|don't)\b(?: \w+){0,5}\W*$")
# … and before a column that must be empty or 0.
NONE_OF = re.compile(
    r"(?:\b(?:no|zero|without(?: an?| any)?|(?:not|never|didn't|doesn't)"
    r" (?:win|won|earn|earned|receive|received|get|have|had|score|scored|record|take)(?: an?| any)?)"
    r"|没有|没得过?)\W*$"
)
