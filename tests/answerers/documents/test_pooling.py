"""The same answer with other edges is one answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.pooling import pooled
from caveat.models.decoding import Candidate
from caveat.models.probability import Weighed, weigh


def choices(*found: tuple[str, int, float]) -> Weighed:
    candidates = [Candidate(text, start, start + len(text), score) for text, start, score in found]
    return weigh([candidates], temperature=2.0, none_at=3.0)


def test_a_clause_that_was_run_into_is_cut_off_and_the_same_is_one() -> None:
    weighed = choices(("20分钟休息；值夜班的，另有1次", 10, 2.95), ("20分钟休息", 60, 2.9), ("每天", 80, 1.0))
    one = pooled("每天休息多久？", weighed)
    assert [choice.text for choice in one.choices] == ["20分钟休息", "每天"]
    assert one.choices[0].probability == pytest.approx(sum(c.probability for c in weighed.choices[:2]))
    assert one.unanswerable == weighed.unanswerable
    assert weighed.choices[0].probability < weighed.unanswerable < one.choices[0].probability
    assert [candidate.start for _, candidate in one.choices[0].places] == [10, 60]


def test_a_condition_is_no_quantity_that_is_asked_for() -> None:
    one = pooled("可以借几本书？", choices(("满12岁的，可以借8本", 0, 3.0)))
    assert one.choices[0].text == "可以借8本"


def test_words_around_the_same_number() -> None:
    weighed = choices(
        ("30 days", 0, 5.0), ("up to 30 days", 40, 4.0), ("13 days", 80, 4.5), ("30 weeks", 90, 3.0)
    )
    assert [choice.text for choice in pooled("How long is it?", weighed).choices] == [
        "30 days",
        "13 days",
        "30 weeks",
    ]


def test_what_is_not_asked_as_a_quantity_keeps_its_edges() -> None:
    weighed = choices(("先敲门；再进去", 0, 5.0), ("敲门", 1, 4.0), ("女店员", 20, 4.0), ("店员", 30, 3.0))
    assert [choice.text for choice in pooled("怎么进去？", weighed).choices] == [
        "先敲门；再进去",
        "女店员",
        "店员",
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(["5天", "休5天", "15天", "门", "5天；门"]), st.integers(0, 9)), min_size=1
    )
)
def test_nothing_of_the_probability_is_lost(found: list[tuple[str, int]]) -> None:
    weighed = choices(*((text, 10 * place, float(score)) for place, (text, score) in enumerate(found)))
    one = pooled("休几天？", weighed)
    assert sum(c.probability for c in one.choices) == pytest.approx(
        sum(c.probability for c in weighed.choices)
    )
    assert sum(len(c.places) for c in one.choices) == len(found)
    assert [c.probability for c in one.choices] == sorted((c.probability for c in one.choices), reverse=True)


def test_what_another_case_gets_is_no_part_of_a_quantity() -> None:
    (one,) = pooled("甲类书可以借几天？", choices(("5天，2级会员为3天", 0, 3.0))).choices
    assert one.text == "5天"
    (one,) = pooled("How many days is it?", choices(("5 days, for students 3 days", 0, 3.0))).choices
    assert one.text == "5 days"
    (one,) = pooled("How many days do students get?", choices(("5 days, students 3 days", 0, 3.0))).choices
    assert one.text == "3 days"
    (one,) = pooled("How long is it?", choices(("2 years, 3 months", 0, 3.0))).choices
    assert one.text == "2 years, 3 months"
