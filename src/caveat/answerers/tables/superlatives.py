"""Words for the largest and the smallest, in English and Chinese, and the columns that they usually are about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from caveat.answerers.tables.stop_words import stems

__all__ = ["COMPARATIVES", "SUPERLATIVES", "Superlative"]


class Superlative(NamedTuple):
    """Which end of a column is meant, and the stems of the columns that it usually is about."""

    largest: bool
    about: tuple[str, ...] = ()
    # Columns in which the other end is meant: the fastest has the least time, the oldest the earliest year.
    reversed_in: tuple[str, ...] = ()


_DATES = stems(
    "date year season born birth founded established built opened 年 日期 时间 成立 出生 建成 开业"
)
_TIMES = stems("time react result notes 用时 成绩 时间")
_SPEEDS = (*stems("speed 速度 时速"), *_TIMES)
_LENGTHS = stems("length long distance duration run span km miles 长度 全长 时长 里程 长")
_HEIGHTS = stems("height elevation altitude 高度 海拔 身高 高")
_WEIGHTS = stems("weight mass lb lbs kg 重量 体重 重")
_PRICES = stems("price cost fare fee value 价格 票价 单价 售价 门票 价")
_DISTANCES = stems("distance km miles kilometers 距离 里程")
_PLACES = stems("rank position place pos score points 名次 排名 得分 分数 评分")
_DEPTHS = stems("depth 深度 水深 深")
_WIDTHS = stems("width 宽度 宽")
_TEMPERATURES = stems("temperature 气温 温度")
_SIZES = stems("面积 规模 年龄")
_AGES = (*stems("age 年龄"), *_DATES)

_ENGLISH: dict[str, Superlative] = {
    "most": Superlative(True),
    "highest": Superlative(True),
    "largest": Superlative(True),
    "biggest": Superlative(True),
    "greatest": Superlative(True),
    "maximum": Superlative(True),
    "max": Superlative(True),
    "least": Superlative(False),
    "lowest": Superlative(False),
    "smallest": Superlative(False),
    "fewest": Superlative(False),
    "minimum": Superlative(False),
    "min": Superlative(False),
    "longest": Superlative(True, (*_LENGTHS, *stems("time year"))),
    "shortest": Superlative(False, (*_LENGTHS, *_HEIGHTS, *stems("time"))),
    "tallest": Superlative(True, _HEIGHTS),
    "heaviest": Superlative(True, _WEIGHTS),
    "lightest": Superlative(False, (*_WEIGHTS, *stems("density"))),
    "oldest": Superlative(True, _AGES, _DATES),
    "youngest": Superlative(False, _AGES, _DATES),
    "fastest": Superlative(True, _SPEEDS, _TIMES),
    "quickest": Superlative(True, _SPEEDS, _TIMES),
    "slowest": Superlative(False, _SPEEDS, _TIMES),
    "cheapest": Superlative(False, _PRICES),
    "most expensive": Superlative(True, _PRICES),
    "most populous": Superlative(True, stems("population")),
    "most populated": Superlative(True, stems("population")),
    "farthest": Superlative(True, _DISTANCES),
    "furthest": Superlative(True, _DISTANCES),
    "nearest": Superlative(False, _DISTANCES),
    "closest": Superlative(False, _DISTANCES),
    "deepest": Superlative(True, _DEPTHS),
    "widest": Superlative(True, _WIDTHS),
    "hottest": Superlative(True, _TEMPERATURES),
    "coldest": Superlative(False, _TEMPERATURES),
    "richest": Superlative(True, stems("wealth gdp income worth")),
    "best": Superlative(True, _PLACES),
    "top": Superlative(True, _PLACES),
    "worst": Superlative(False, _PLACES),
}
# A comparative says the same of two rows as a superlative of all.
_COMPARATIVES = {
    "more": "most",
    "more expensive": "most expensive",
    "less": "least",
    "better": "best",
    "worse": "worst",
    "weigh": "heaviest",
    "weighs": "heaviest",
    "farther": "farthest",
    "further": "furthest",
} | {word.removesuffix("est") + "er": word for word in _ENGLISH if word.endswith("est") and " " not in word}
_CHINESE = {
    "大": Superlative(True, _SIZES),
    "多": Superlative(True),
    "高": Superlative(True, _HEIGHTS),
    "长": Superlative(True, _LENGTHS),
    "重": Superlative(True, _WEIGHTS),
    "远": Superlative(True, _DISTANCES),
    "贵": Superlative(True, _PRICES),
    "快": Superlative(True, _SPEEDS, _TIMES),
    "老": Superlative(True, _AGES, _DATES),
    "深": Superlative(True, _DEPTHS),
    "宽": Superlative(True, _WIDTHS),
    "热": Superlative(True, _TEMPERATURES),
    "好": Superlative(True, _PLACES),
    "小": Superlative(False, _SIZES),
    "少": Superlative(False),
    "低": Superlative(False, _HEIGHTS),
    "矮": Superlative(False, _HEIGHTS),
    "短": Superlative(False, _LENGTHS),
    "轻": Superlative(False, _WEIGHTS),
    "近": Superlative(False, _DISTANCES),
    "便宜": Superlative(False, _PRICES),
    "慢": Superlative(False, _SPEEDS, _TIMES),
    "年轻": Superlative(False, _AGES, _DATES),
    "浅": Superlative(False, _DEPTHS),
    "冷": Superlative(False, _TEMPERATURES),
    "差": Superlative(False, _PLACES),
}

Patterns = tuple[tuple[re.Pattern[str], dict[str, Superlative]], ...]
"""Patterns whose first group is the word, and what the words mean."""


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


# "At most" and "at the least" compare with a number.
_MOST = r"(?<!at )(?<!at the )(?:most|least)\b(?: (?:expensive|populous|populated)\b)?"
_OTHERS = _any(word for word in _ENGLISH if not word.startswith(("most", "least")))
SUPERLATIVES: Patterns = (
    (re.compile(rf"\b({_MOST}|{_OTHERS})\b"), _ENGLISH),
    (re.compile(rf"(?:最|第[二三四五])({_any(_CHINESE)})"), _CHINESE),
)
COMPARATIVES: Patterns = (
    (
        re.compile(rf"\b({_any(_COMPARATIVES)})\b"),
        {word: _ENGLISH[most] for word, most in _COMPARATIVES.items()},
    ),
    # 比赛 and 比分 compare nothing.
    (re.compile(rf"(?:更|比较|较|比[^赛分例].{{0,20}}?)({_any(_CHINESE)})"), _CHINESE),
)
