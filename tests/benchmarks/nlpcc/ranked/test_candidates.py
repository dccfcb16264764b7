from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.candidates import CandidateGroup, groups, read_scores, runs, write_scores
from caveat.benchmarks.nlpcc.dbqa_format import DbqaPair
from caveat.core.errors import InputError

A1, B1, A2 = DbqaPair("甲？", "一", 1), DbqaPair("乙？", "二", 0), DbqaPair("甲？", "三", 0)


def test_groups_merge_equal_questions_wherever_they_stand() -> None:
    assert list(groups([A1, B1, A2])) == [
        CandidateGroup("甲？", (A1, A2), (0, 2)),
        CandidateGroup("乙？", (B1,), (1,)),
    ]


def test_runs_begin_anew_where_a_question_comes_back() -> None:
    assert list(runs([A1, B1, A2])) == [
        CandidateGroup("甲？", (A1,), (0,)),
        CandidateGroup("乙？", (B1,), (1,)),
        CandidateGroup("甲？", (A2,), (2,)),
    ]


def test_runs_are_a_stream() -> None:
    def endless() -> Iterator[DbqaPair]:
        yield from (A1, B1)
        raise AssertionError("read too far")

    assert next(runs(endless())).question == "甲？"


@settings(deadline=None, max_examples=60)
@given(questions=st.lists(st.sampled_from("abc")))
def test_every_pair_is_in_one_group(questions: list[str]) -> None:
    pairs = [DbqaPair(question, str(number)) for number, question in enumerate(questions)]
    for grouping in (groups, runs):
        found = list(grouping(pairs))
        assert sorted(index for group in found for index in group.indices) == list(range(len(pairs)))
        for group in found:
            assert [pairs[index] for index in group.indices] == list(group.pairs)
            assert {pair.question for pair in group.pairs} == {group.question}
    assert [group.question for group in groups(pairs)] == list(dict.fromkeys(questions))


def test_scores_are_read_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "run.score"
    path.write_bytes(b"0.5\r\n-1e-3\r\n 7 \r\n")
    assert read_scores(path, 3) == [0.5, -0.001, 7.0]


@settings(deadline=None, max_examples=60)
@given(scores=st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_scores_come_back_to_the_last_digit(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    path = tmp_path_factory.getbasetemp() / "run.score"
    write_scores(path, scores)
    assert read_scores(path, len(scores)) == scores


@pytest.mark.parametrize("bad", ["nan", "inf", "-Infinity", "high", "", "1_000", "0,5"])
def test_a_score_that_is_no_finite_number_names_its_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "run.score"
    path.write_text(f"0.1\n{bad}\n0.3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.score, line 2: expected a score, a finite number"):
        read_scores(path, 3)


@pytest.mark.parametrize("count", [2, 4])
def test_the_wrong_number_of_scores_names_both_numbers(tmp_path: Path, count: int) -> None:
    path = tmp_path / "run.score"
    write_scores(path, [0.0] * count)
    with pytest.raises(InputError, match=f"expected 3 scores, one a line, found {count}"):
        read_scores(path, 3)


def test_a_score_that_is_no_finite_number_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: .*finite"):
        write_scores(tmp_path / "run.score", [0.1, float("nan")])
    assert list(tmp_path.iterdir()) == []
