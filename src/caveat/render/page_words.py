"""What a page says itself, in the language of the question."""

from __future__ import annotations

import msgspec

from caveat.core.script import Language
from caveat.render.answer_tree import Kind

__all__ = ["WORDS", "Words"]


class Words(msgspec.Struct, frozen=True):
    """The words of a page in one language.

    `{}` is a number; a pair is for one and for more, or for the first and for the others.
    """

    answers: str
    ranked: str
    together: str
    text: str
    sources: str
    legend: str
    kinds: dict[Kind, str]
    conditions: tuple[str, str]
    evidence: str
    scenario: str
    not_answered: tuple[str, str]
    not_answered_by_sources: tuple[str, str]
    table_alone: str
    improbable: tuple[str, str]
    paragraphs: tuple[str, str]
    characters: tuple[str, str]
    rows: tuple[str, str]
    columns: tuple[str, str]
    comma: str
    left_out: str
    other_texts: tuple[str, str]
    other_sources: tuple[str, str]
    standard_input: str

    def count(self, forms: tuple[str, str], number: int) -> str:
        """A number with what it counts."""
        return forms[number != 1].format(f"{number:,}")


WORDS: dict[Language, Words] = {
    "en": Words(
        answers="Answers",
        ranked="most probable first",
        together="these hold side by side",
        text="Text",
        sources="Sources",
        legend="Colours",
        kinds={
            "condition": "condition",
            "coarse": "coarse answer",
            "fine": "fine answer",
            "plain": "answer",
            "evidence": "further evidence",
        },
        conditions=("if", "and"),
        evidence="see also",
        scenario="The asker says:",
        not_answered=("Not answered by this text", "Not answered by these texts"),
        not_answered_by_sources=("Not answered by this source", "Not answered by these sources"),
        table_alone="the table alone",
        improbable=("{} more below 1%", "{} more below 1%"),
        paragraphs=("{} paragraph", "{} paragraphs"),
        characters=("{} character", "{} characters"),
        rows=("{} row", "{} rows"),
        columns=("{} column", "{} columns"),
        comma=", ",
        left_out="{} left out",
        other_texts=("{} text without a mark", "{} texts without a mark"),
        other_sources=("{} source without a mark", "{} sources without a mark"),
        standard_input="standard input",
    ),
    "zh": Words(
        answers="答案",
        ranked="可能性大的在前",
        together="以下答案同时成立",
        text="原文",
        sources="来源",
        legend="颜色",
        kinds={
            "condition": "条件",
            "coarse": "粗粒度答案",
            "fine": "细粒度答案",
            "plain": "答案",
            "evidence": "其他依据",
        },
        conditions=("若", "且"),
        evidence="另见",
        scenario="提问者说：",
        not_answered=("文中没有答案", "这些文中没有答案"),
        not_answered_by_sources=("该来源中没有答案", "这些来源中没有答案"),
        table_alone="整张表",
        improbable=("另有 {} 个低于 1%", "另有 {} 个低于 1%"),
        paragraphs=("{} 段", "{} 段"),
        characters=("{} 字", "{} 字"),
        rows=("{} 行", "{} 行"),
        columns=("{} 列", "{} 列"),
        comma="，",
        left_out="略去 {}",
        other_texts=("另有 {} 篇没有标记", "另有 {} 篇没有标记"),
        other_sources=("另有 {} 个来源没有标记", "另有 {} 个来源没有标记"),
        standard_input="标准输入",
    ),
}
