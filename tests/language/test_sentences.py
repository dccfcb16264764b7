from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他走了。她来了！真的？", ["他走了。", "她来了！", "真的？"]),
        ("先到的先吃；后到的等着。", ["先到的先吃；", "后到的等着。"]),
        ("什么？！不会吧……算了。", ["什么？！", "不会吧……", "算了。"]),
        ("他说：“走吧。”大家都站起来。", ["他说：“走吧。”", "大家都站起来。"]),
        ("“走吧。”，他说。", ["“走吧。”，他说。"]),
        ("（雨停了。）他出门了。", ["（雨停了。）", "他出门了。"]),
        ('他说："走吧。"没有人动。"快！"', ['他说："走吧。"', "没有人动。", '"快！"']),
        ("第一段没有句号\n第二段", ["第一段没有句号", "第二段"]),
        ("下雨了.路很滑.", ["下雨了.", "路很滑."]),
        ("版本3.5发布了!好用吗?好用", ["版本3.5发布了!", "好用吗?", "好用"]),
    ],
)
def test_chinese(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We stayed in!", ["It rained.", "We stayed in!"]),
        ("Dr. Ng met Mrs. Hill at 5.30. They talked.", ["Dr. Ng met Mrs. Hill at 5.30.", "They talked."]),
        ("It weighs 3.5 kg. Good.", ["It weighs 3.5 kg.", "Good."]),
        ("J. R. Hill wrote it. So did E. B. Ng.", ["J. R. Hill wrote it.", "So did E. B. Ng."]),
        ("The U.S. Senate met. He lives in the U.S. He likes it.",
         ["The U.S. Senate met.", "He lives in the U.S.", "He likes it."]),
        ("She works for Hill Inc. in Leeds. It is small.", ["She works for Hill Inc. in Leeds.", "It is small."]),
        ("See fig. 3 and No. 5. No. I will not.", ["See fig. 3 and No. 5.", "No.", "I will not."]),
        ("1. Mix it.\n2. Bake it.", ["1. Mix it.", "2. Bake it."]),
        ("Read a.b/c?d=e. Then go.", ["Read a.b/c?d=e.", "Then go."]),
        ('"Stop!" he said. "Go." Then he left.', ['"Stop!" he said.', '"Go."', "Then he left."]),
        ("He said 'go.' Then he left. 'Tis late.", ["He said 'go.'", "Then he left.", "'Tis late."]),
        ("Well... maybe. Hm... No.", ["Well... maybe.", "Hm...", "No."]),
        ("(It was late.) We left.", ["(It was late.)", "We left."]),
        ("some use e.g. Latin, i.e. old words, cf. Hill. Others do not.",
         ["some use e.g. Latin, i.e. old words, cf. Hill.", "Others do not."]),
    ],
)  # fmt: skip
def test_english(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他用Python 3.11写的。It works. 很好!", ["他用Python 3.11写的。", "It works.", "很好!"]),
        ("J.R.希尔写了这本书.", ["J.R.希尔写了这本书."]),
        ("他在Hill Inc.工作。", ["他在Hill Inc.工作。"]),
        ("你好!Hello there.", ["你好!", "Hello there."]),
    ],
)
def test_mixed(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_offsets_are_into_the_text() -> None:
    assert sentences("  甲。 \n\n 乙 ") == [(2, 4), (8, 9)]
    assert sentences(" \n ") == sentences("") == []


MARKS = "。！？；….!?”“’‘\"'）（)([]，,:；、 \n\t\u3000"


@given(st.text(alphabet=st.one_of(st.sampled_from(MARKS + "甲乙aBc19"), st.characters())))
def test_spans_cover_what_is_not_blank(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert "\n" not in text[start:end]
        at = end
    assert not text[at:].strip()


@given(st.lists(st.sampled_from(["甲乙。", "丙！", "“丁？”", "It is so.", "Who?"]), max_size=8))
def test_plain_sentences_come_back(parts: list[str]) -> None:
    assert cut(" ".join(parts)) == parts
