from __future__ import annotations

import pytest

from caveat.language.question_types import QUESTION_TYPES, question_type


@pytest.mark.parametrize(
    ("question", "type"),
    [
        ("牙疼吃什么药", "what"),
        (" 感冒吃啥好\n", "what"),
        ("什么时候下雪", "when"),
        ("什么地方卖票", "where"),
        ("什么人要排队", "who"),
        ("什么原因会停电", "why"),
        ("为什么天是蓝的", "why"),
        ("谁写了这本书", "who"),
        ("有哪几种颜色", "which"),
        ("几种颜色最好看", "how many"),
        ("这条河多长", "how many"),
        ("坐车要多长时间", "how long"),
        ("修车多少钱", "how many"),
        ("多久浇一次水", "how long"),
        ("怎么去车站", "how"),
        ("如何种玫瑰", "how"),
        ("你知道这是什么吗", "what"),
        ("这里能停车吗", "whether"),
        ("猫能不能吃鱼", "whether"),
        ("茶要热喝还是冷喝", "whether"),
        ("种玫瑰的土", "no question word"),
        ("几乎不下雨的地方", "no question word"),
        ("What is a fork?", "what"),
        ("What time does it open?", "when"),
        ("How do I get there?", "how"),
        ("how many stairs are there", "how many"),
        ("How long is the wait, and why?", "how long"),
        ("How much do I pay when I leave?", "how many"),
        ("Can I claim what I paid?", "whether"),
        ("I am 70. Can I drive?", "whether"),
        ("If it rains, which door is open?", "which"),
        ("Whose coat is this?", "who"),
        ("Why not?", "why"),
        ("Where's the exit?", "where"),
        ("best soil for roses", "no question word"),
        ("showhow", "no question word"),
        ("", "no question word"),
    ],
)
def test_question_word_decides(question: str, type: str) -> None:
    assert question_type(question) == type
    assert type in QUESTION_TYPES
