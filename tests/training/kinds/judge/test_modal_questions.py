"""Questions from Chinese rules, on rules written for this."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from caveat.training.kinds.judge.judgements import read_pairs
from caveat.training.kinds.judge.modal_questions import modal_questions

RULES = """# 泳池规则

第一条 会员可以携带一名客人。
第二条 客人不得使用更衣柜。
第三条 会员应当佩戴泳帽，并且无需登记姓名。
第四条 有下列情形之一的，泳池可以拒绝入场：
（一）酒后的；
（二）患有皮肤病的。
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.jsonl"
    lines = [
        {"path": "泳池规则.md", "text": RULES},
        {"path": "停车规则.md", "text": "# 停车\n\n车辆不得过夜。"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_the_word_decides(rules: Path) -> None:
    for seed in range(20):
        for question, text, label in modal_questions(rules, random.Random(seed)):
            if "更衣柜" in question and "更衣柜" in text:
                asks_for_leave = not question.startswith("客人禁止") and "客人不可以" not in question
                forbids = "不得" in text
                assert (label == "contradicted") == (forbids == asks_for_leave), (question, text)
            if "更衣柜" in question and "更衣柜" not in text:
                assert label == "open"


def test_cases_are_asked_with_their_introduction(rules: Path) -> None:
    asked = {question for seed in range(10) for question, _, _ in modal_questions(rules, random.Random(seed))}
    assert any(question.startswith("酒后的，泳池") for question in asked)


def test_texts_may_be_left_out(rules: Path) -> None:
    pairs = read_pairs("modal-questions", rules, 1, without=("停车",))
    assert pairs
    assert not any("过夜" in pair.judged for pair in pairs)
    assert pairs == read_pairs("modal-questions", rules, 1, without=("停车",))
    assert any("过夜" in pair.judged for pair in read_pairs("modal-questions", rules, 1))


def test_words_that_say_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "rules.jsonl"
    text = "# 税费\n\n捐赠的图书免征进口税。\n\n退休会员享受半价优惠，欠费的会员停止享受半价优惠。"
    path.write_text(json.dumps({"path": "税费.md", "text": text}) + "\n", encoding="utf-8")
    found = {each for seed in range(40) for each in modal_questions(path, random.Random(seed))}
    taxed = {(question, "免征" in text, label) for question, text, label in found if "税吗" in question}
    assert ("捐赠的图书需要缴纳进口税吗？", True, "contradicted") in taxed
    assert ("捐赠的图书可以不缴纳进口税吗？", True, "entailed") in taxed
    assert ("捐赠的图书需要缴纳进口税吗？", False, "entailed") in taxed
    assert ("捐赠的图书需要缴纳进口税吗？", True, "open") not in taxed
    assert any(
        question == "退休会员可以享受半价优惠吗？" and label == "entailed" for question, _, label in found
    )
