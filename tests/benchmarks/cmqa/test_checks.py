from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.cmqa.checks import check

CONTEXT = (
    "感冒轻的可以吃中成药，比如板蓝根、连花清瘟，重的要去医院，并且要多喝水、多休息、少熬夜，过几天就好。"
)


def span(text: str) -> list[Any]:
    start = CONTEXT.index(text)
    return [text, [start, start + len(text)]]


def relation(head: str, tail: str) -> list[Any]:
    return [[head, tail], [span(head)[1], span(tail)[1]]]


def sample(**more: Any) -> dict[str, Any]:
    return {
        "context": CONTEXT,
        "question": "感冒吃什么药？",
        "condition": [span("感冒轻")],
        "coarse": [span("中成药")],
        "fine": [span("板蓝根"), span("连花清瘟")],
        "condition_coarse": [relation("感冒轻", "中成药")],
        "condition_fine": [],
        "coarse_fine": [relation("中成药", "板蓝根"), relation("中成药", "连花清瘟")],
        **more,
    }


def write(path: Path, *samples: dict[str, Any]) -> Path:
    lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in samples]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_sound_data_gives_no_finding(tmp_path, told):
    test = {"context": CONTEXT, "question": "感冒怎么办？"}  # without labels
    path = write(tmp_path / "cmqa.jsonl", sample(), test)
    assert told(check(path), path) == []


def without_relations(**more: Any) -> dict[str, Any]:
    return sample(question="怎么办？", condition_coarse=[], coarse_fine=[], **more)


BROKEN = {
    "empty-question": sample(question="\n"),
    "duplicate-sample": sample(),
    "offset-mismatch": without_relations(fine=[["板蓝根", [12, 15]]]),
    "duplicate-span": without_relations(fine=[span("板蓝根"), span("板蓝根")]),
    "overlapping-spans": without_relations(fine=[span("板蓝根"), span("蓝根、连花清瘟")]),
    "touching-spans": without_relations(fine=[span("板蓝"), span("根")]),
    "coarse-levels": without_relations(fine=[span("中成药")]),
    "mostly-annotated": without_relations(condition=[[CONTEXT[:30], [0, 30]]]),
    "duplicate-relation": sample(question="怎么办？", coarse_fine=[relation("中成药", "板蓝根")] * 2),
    "relation-end": sample(question="怎么办？", condition_fine=[relation("感冒轻", "多喝水")]),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_the_second_sample(rule, tmp_path, told):
    path = write(tmp_path / "cmqa.jsonl", sample(), BROKEN[rule])
    assert told(check(path), path) == [(rule, 2, None)]


def messages(tmp_path: Path, **more: Any) -> list[tuple[str, str]]:
    path = write(tmp_path / "cmqa.jsonl", without_relations(**more))
    return [(finding.rule, finding.message) for finding in check(path)]


def test_a_wrong_span_tells_what_stands_there(tmp_path):
    assert messages(tmp_path, fine=[["板蓝根", [12, 15]]]) == [
        ("offset-mismatch", '[12, 15) gives "如板蓝"; "板蓝根" stands at 13')
    ]
    assert messages(tmp_path, fine=[["阿司匹林", [98, 102]]]) == [
        ("offset-mismatch", '[98, 102) gives ""; "阿司匹林" is not in the context')
    ]


def test_offsets_do_not_count_from_the_end(tmp_path):
    assert CONTEXT[-4:-1] == "天就好"
    assert messages(tmp_path, fine=[["天就好", [-4, -1]]])[0][0] == "offset-mismatch"


def test_an_end_of_a_relation_may_have_the_wrong_type(tmp_path, told):
    path = write(tmp_path / "cmqa.jsonl", sample(coarse_fine=[relation("板蓝根", "中成药")]))
    assert [finding.message for finding in check(path)] == [
        'the head "板蓝根" [13, 16) of coarse_fine is no coarse span of the sample',
        'the tail "中成药" [7, 10) of coarse_fine is no fine span of the sample',
    ]


def test_the_text_of_a_relation_is_checked_too(tmp_path, told):
    other = [["中成药", "连花"], [span("中成药")[1], span("板蓝根")[1]]]
    path = write(tmp_path / "cmqa.jsonl", sample(coarse_fine=[other]))
    assert told(check(path), path) == [("offset-mismatch", 1, None)]


def test_coarse_answers_within_each_other_are_two_levels(tmp_path):
    nested = [span("中成药"), span("可以吃中成药")]
    assert messages(tmp_path, coarse=nested) == [
        (
            "coarse-levels",
            'the coarse answer "中成药" [7, 10) is within the coarse answer "可以吃中成药" [4, 10)',
        )
    ]
    crossing = [span("吃中成"), span("成药")]
    assert [rule for rule, _ in messages(tmp_path, coarse=crossing)] == ["overlapping-spans"]


def test_a_fine_answer_may_overlap_a_condition(tmp_path):
    assert messages(tmp_path, condition=[span("重的要去医院")], fine=[span("医院")]) == []


def test_half_of_the_context_is_not_most_of_it(tmp_path):
    half = len(CONTEXT) // 2
    assert len(CONTEXT) == 2 * half
    assert messages(tmp_path, condition=[[CONTEXT[:half], [0, half]]], coarse=[], fine=[]) == []
    covered = [[CONTEXT[: half + 1], [0, half + 1]]]
    assert [rule for rule, _ in messages(tmp_path, condition=covered, coarse=[], fine=[])] == [
        "mostly-annotated"
    ]
    # Characters under two spans count once.
    assert messages(tmp_path, condition=[[CONTEXT[:half], [0, half]]], coarse=[span("中成药")], fine=[]) == []


@pytest.mark.shared
def test_the_published_offsets_are_exact(shared):
    train = Counter(finding.rule for finding in check(shared / "data/cmqa/train_part.jsonl.gz"))
    assert train == {"mostly-annotated": 80, "touching-spans": 4}
    dev = Counter(finding.rule for finding in check(shared / "data/cmqa/dev.jsonl.gz"))
    assert dev == {"mostly-annotated": 162, "touching-spans": 13, "duplicate-sample": 1}
