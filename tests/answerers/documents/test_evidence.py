"""The sentences that bear on a question, on pages written for this; a judge of one's own says what each says."""

from __future__ import annotations

from collections.abc import Iterable

from caveat.answerers.documents.evidence import evidence_features, judged_evidence
from caveat.answerers.documents.page import Page
from caveat.core.records import Question
from caveat.models.judge import Verdict
from caveat.sources.markdown import parse_markdown

BOATS = parse_markdown(
    """# Boats

## Rowing boats

They can be rented by the hour. A voucher for a rowing boat never expires.

## Sailing boats

A voucher for a [sailing boat](https://example.org/boats?id=7) expires after *one* year.

You may not take on board:

- dogs
- fireworks
"""
)
PERMITS = parse_markdown(
    "# 船\n\n第一条 会员的年卡不得转让；过期的，可以续期。\n\n第二条 年休假期间船不出租。"
)


class Recorder:
    """Holds every text for silent, and keeps what it was given."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        self.pairs = list(pairs)
        return [Verdict(0.1, 0.1, 0.8) for _ in self.pairs]


def judged(question: str, scenario: str = "", page: Page | None = None) -> list[tuple[str, str]]:
    recorder = Recorder()
    judged_evidence(page or Page.of(BOATS), Question(question, scenario), recorder)
    return recorder.pairs


def test_the_deciding_sentence_comes_first_under_its_heading() -> None:
    question, text = judged("Does a voucher for a rowing boat expire?")[0]
    assert question == "Does a voucher for a rowing boat expire?"
    assert text == "Rowing boats. A voucher for a rowing boat never expires."


def test_links_and_emphasis_are_not_read() -> None:
    texts = [text for _, text in judged("Does a voucher for a sailing boat expire?")]
    assert texts[0] == "Sailing boats. A voucher for a sailing boat expires after one year."


def test_an_item_is_read_behind_its_introduction() -> None:
    texts = [text for _, text in judged("Can I take dogs on board?")]
    assert "Sailing boats. You may not take on board: dogs" in texts


def test_a_text_is_judged_by_the_question_alone() -> None:
    assert judged("Can I take dogs?", "I have a small dog.")[0][0] == "Can I take dogs?"
    assert judged("年卡可以转让吗？", "我是会员。", Page.of(PERMITS))[0][0] == "年卡可以转让吗？"


def test_chinese_rules_are_read_case_by_case_and_short_words_are_found() -> None:
    texts = [text for _, text in judged("年卡可以转让吗？", page=Page.of(PERMITS))]
    assert texts[0] == "船. 第一条 会员的年卡不得转让；"
    assert "年休假" in judged("年假出租吗？", page=Page.of(PERMITS))[0][1]


def test_nothing_bears_on_a_question_of_other_words() -> None:
    assert judged("Will Saturn eclipse Jupiter?") == []
    assert evidence_features(()) == {}
