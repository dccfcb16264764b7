"""Errors of CMQA predictions, classed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.analysis import WrongSpan, analyse
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation

TEXT = "甲乙丙丁戊己庚辛壬癸" * 3


def span(start: int, end: int) -> LabelledSpan:
    return LabelledSpan(TEXT[start:end], start, end)


def sample(**labels: tuple[object, ...]) -> CmqaSample:
    return CmqaSample(TEXT, " 问？ ", **labels)  # type: ignore[arg-type]


def test_predictions_like_the_gold_have_no_errors() -> None:
    gold = sample(fine=(span(0, 2), span(3, 5)), condition=(span(0, 9),))
    found = analyse([gold, sample()], {1: gold, 2: sample()})
    assert (found.samples, found.missing, found.worst) == (2, 0, ())
    assert found.presence["fine"] == {"accuracy": 100.0, "present": 1, "not_told": 0, "told_wrongly": 0}
    assert found.errors["fine"]["right"] == found.errors["fine"]["samples"] == 1
    assert found.errors["coarse"]["samples"] == 0
    assert found.errors["coarse"]["distinction_rate"] is None


def test_presence_is_told_or_not() -> None:
    gold = [sample(coarse=(span(0, 2),)), sample(), sample(coarse=(span(0, 2),)), sample()]
    predicted = {1: sample(), 2: sample(coarse=(span(4, 6),)), 3: gold[2]}
    found = analyse(gold, predicted)
    # The fourth has no prediction, which is wrong in every respect, as in `caveat eval`.
    assert found.presence["coarse"] == {"accuracy": 25.0, "present": 2, "not_told": 1, "told_wrongly": 1}
    assert found.missing == 1
    assert found.errors["coarse"]["presence"] == 2
    assert found.errors["coarse"]["right"] == 1


@pytest.mark.parametrize(
    ("predicted", "error", "chosen_wrongly", "missed"),
    [
        # Both spans, and one more elsewhere.
        ({"fine": (span(0, 2), span(4, 8), span(12, 14))}, "distinction", 1, 0),
        # One of the two.
        ({"fine": (span(0, 2),)}, "distinction", 0, 1),
        # One other instead of one of the two: both.
        ({"fine": (span(0, 2), span(12, 14))}, "distinction", 1, 1),
        # The second too short, or in two pieces.
        ({"fine": (span(0, 2), span(4, 6))}, "boundary", 0, 0),
        ({"fine": (span(0, 2), span(4, 5), span(6, 8))}, "boundary", 0, 0),
        # The second under another type, a little shorter.
        ({"fine": (span(0, 2),), "coarse": (span(4, 7),)}, "type", 0, 0),
        # A condition around the second does not make it the same piece of text.
        ({"fine": (span(0, 2),), "condition": (span(3, 12),)}, "distinction", 0, 1),
        # A wrong boundary and a missed span: the graver counts.
        ({"fine": (span(5, 8),)}, "distinction", 0, 1),
    ],
)
def test_the_gravest_error_of_a_sample(
    predicted: dict[str, tuple[LabelledSpan, ...]], error: str, chosen_wrongly: int, missed: int
) -> None:
    gold = sample(fine=(span(0, 2), span(4, 8)))
    found = analyse([gold], {1: sample(**predicted)}).errors["fine"]
    expected = {"samples": 1, "right": 0, "presence": 0, "distinction": 0, "type": 0, "boundary": 0, error: 1}
    rate = 100.0 if error == "distinction" else 0.0
    assert found == {
        **expected, "distinction_rate": rate, "chosen_wrongly": chosen_wrongly, "missed": missed,
    }  # fmt: skip


def test_spans_of_both_sides_are_counted_once_each() -> None:
    gold = sample(fine=(span(0, 2), span(4, 8), span(4, 8)), coarse=(span(10, 14),))
    predicted = sample(fine=(span(0, 3), span(10, 13), span(20, 22)))
    found = analyse([gold], {1: predicted})
    assert found.gold_spans["fine"] == {"spans": 2, "right": 0, "boundary": 1, "type": 0, "missed": 1}
    assert found.gold_spans["coarse"] == {"spans": 1, "right": 0, "boundary": 0, "type": 1, "missed": 0}
    assert found.predicted_spans["fine"] == {
        "spans": 3, "right": 0, "boundary": 1, "type": 1, "not_an_answer": 1,
    }  # fmt: skip


CONDITION, COARSE, FIRST, SECOND = span(0, 3), span(5, 7), span(10, 12), span(13, 15)


def test_linked_answers_and_why_relations_fail() -> None:
    spans: dict[str, tuple[object, ...]] = {
        "condition": (CONDITION,), "coarse": (COARSE,), "fine": (FIRST, SECOND),
    }  # fmt: skip
    gold = sample(
        **spans,
        condition_coarse=(SpanRelation(CONDITION, COARSE),),
        coarse_fine=(SpanRelation(COARSE, FIRST),),
    )
    predicted = sample(
        condition=(span(0, 4),),
        coarse=(COARSE,),
        fine=(FIRST, SECOND),
        condition_coarse=(SpanRelation(span(0, 4), COARSE),),
        coarse_fine=(SpanRelation(COARSE, FIRST), SpanRelation(COARSE, SECOND)),
    )
    found = analyse([gold], {1: predicted})
    assert found.linked["fine"] == {
        "gold": 2, "gold_linked": 50.0, "predicted": 2, "predicted_linked": 100.0, "found": 2,
        "heads_right": 50.0,
    }  # fmt: skip
    # The coarse answer's head is another condition.
    assert found.linked["coarse"]["heads_right"] == 0.0
    assert found.linked["answers"]["gold_linked"] == pytest.approx(100 * 2 / 3)
    none = {"missed_by_span": 0, "missed_by_pair": 0, "wrong_by_span": 0, "wrong_by_pair": 0}
    assert found.relations == {
        "condition-coarse": {"gold": 1, "predicted": 1, "right": 0, **none, "missed_by_span": 1, "wrong_by_span": 1},
        "condition-fine": {"gold": 0, "predicted": 0, "right": 0, **none},
        "coarse-fine": {"gold": 1, "predicted": 2, "right": 1, **none, "wrong_by_pair": 1},
    }  # fmt: skip


def test_connected_answers_stand_side_by_side() -> None:
    text = "可用甲、乙和丙，也可用丁 戊。己"

    def at(*letters: str) -> tuple[LabelledSpan, ...]:
        return tuple(LabelledSpan(one, text.index(one), text.index(one) + 1) for one in letters)

    gold = CmqaSample(text, "问？", fine=at("甲", "乙", "丙", "丁", "戊"), coarse=at("己"))
    predicted = CmqaSample(text, "问？", fine=at("甲", "乙"))
    found = analyse([gold], {1: predicted}, worst=0).connections
    # 甲、乙 and 丁 戊 of four neighbours: 和 is a word, and four characters lie between 丙 and 丁.
    assert found["fine"] == {
        "gold_neighbours": 4, "gold_connected": 50.0, "predicted_neighbours": 1, "predicted_connected": 100.0,
    }  # fmt: skip
    assert found["coarse"] == {
        "gold_neighbours": 0, "gold_connected": None, "predicted_neighbours": 0, "predicted_connected": None,
    }  # fmt: skip
    # 戊。己 makes three of five.
    assert found["answers"]["gold_connected"] == 60.0


def test_answers_that_share_characters_are_not_side_by_side() -> None:
    gold = sample(fine=(span(0, 4), span(3, 6), span(6, 8)))
    # The second and the third touch.
    assert analyse([gold], {1: gold}).connections["fine"]["gold_connected"] == 50.0


def test_the_worst_come_first_and_of_equals_the_larger() -> None:
    gold = [
        sample(fine=(span(0, 2),)),
        sample(fine=(span(0, 2), span(4, 6))),
        sample(fine=(span(0, 2), span(4, 6))),
        sample(fine=(span(0, 2),)),
    ]
    predicted = {1: sample(), 2: sample(fine=(span(0, 2),)), 3: sample(fine=(span(1, 2),)), 4: gold[3]}
    worst = analyse(gold, predicted, worst=2).worst
    assert [(one.sample, one.f1, one.question) for one in worst] == [(3, 0.0, "问？"), (1, 0.0, "问？")]
    assert worst[0].not_gold == (WrongSpan("fine", "乙", 1, 2, "boundary"),)
    assert worst[0].not_found == (
        WrongSpan("fine", "甲乙", 0, 2, "boundary"),
        WrongSpan("fine", "戊己", 4, 6, "distinction"),
    )
    assert [one.sample for one in analyse(gold, predicted).worst] == [3, 1, 2]
    assert analyse(gold, predicted, worst=0).worst == ()


@pytest.mark.shared
def test_presence_accuracy_is_that_of_the_scores(shared: Path) -> None:
    gold = [one for _, one in cmqa.read(shared / "data" / "cmqa" / "dev.jsonl.gz")]
    noisy = [one for _, one in cmqa.read(shared / "parity" / "cmqa" / "noisy.jsonl")]
    found = analyse(gold, dict(enumerate(noisy, start=1)))
    for type in ("condition", "coarse", "fine"):
        errors = found.errors[type]
        total = sum(errors[name] or 0 for name in ("right", "presence", "distinction", "type", "boundary"))
        assert total == errors["samples"]
        presence = found.presence[type]
        wrong = (presence["not_told"] or 0) + (presence["told_wrongly"] or 0)
        assert presence["accuracy"] == pytest.approx(100 * (1 - wrong / len(gold)))
