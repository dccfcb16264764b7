"""Weights in a file, and those inside the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.ranking.combination import (
    COMBINATION,
    Combination,
    combination_beside,
    distinct,
    embedded_combination,
    read_combinations,
    write_combinations,
)
from caveat.answerers.ranking.evidence import CandidateList, Evidence
from caveat.answerers.ranking.features import Features
from caveat.core.errors import InputError
from caveat.core.records import Table

SOME = Features(("a", "b"), np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_scores() -> None:
    assert Combination({"b": 2.0, "a": 1.0}).scores(SOME).tolist() == [5, 11]
    assert Combination({}).scores(SOME).tolist() == [0, 0]
    with pytest.raises(InputError, match="other features: 'c'"):
        Combination({"c": 1.0}).scores(SOME)


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / COMBINATION
    assert combination_beside(tmp_path, "tables") is None
    write_combinations(path, {"tables": Combination({"a": 1.0})}, {"why": "a test"})
    assert combination_beside(tmp_path, "tables") == Combination({"a": 1.0})
    assert combination_beside(tmp_path, "sentences") is None
    assert read_combinations(path).about == {"why": "a test"}
    path.write_text('{"about": {}}')
    with pytest.raises(InputError, match="neither for sentences nor for tables"):
        read_combinations(path)


@pytest.mark.parametrize(
    ("question", "sentences", "right"),
    [
        ("石桥有多长？", ("石桥在清水河上。", "石桥全长46米。", "石桥很老。"), 1),
        ("渡船什么时候开？", ("渡船在北岸。", "渡船很大，有两层。", "渡船每天早上7点开。"), 2),
        ("When was the bridge built?", ("The bridge is red.", "It was built in 1892.", "Boats pass it."), 1),
    ],
)
def test_embedded_weights_for_sentences(question: str, sentences: tuple[str, ...], right: int) -> None:
    ((_, features),) = Evidence().of([CandidateList(question, sentences)])
    language = "zh" if question.endswith("？") else "en"
    assert embedded_combination(language, "sentences").scores(features).argmax() == right  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_embedded_weights_for_tables(language: str) -> None:
    boats = Table(("Ferry", "Port"), (("Gannet", "Lindholm"), ("Tern", "Old Harbour")), "Ferries")
    mills = Table(("Mill", "Year"), (("Low Mill", "1820"),), "Mills")
    tables = (mills, boats)
    ((_, features),) = Evidence().of([CandidateList("which port has the tern?", tables)])
    assert embedded_combination(language, "tables").scores(features).argmax() == 1  # type: ignore[arg-type]


def test_equal_scores_fall_by_tiny_steps_in_the_order_of_the_file() -> None:
    found = distinct([0.0, 2.0, 0.0, 2.0, 1.0])
    assert np.argsort(-found).tolist() == [1, 3, 4, 0, 2]
    assert found == pytest.approx([0, 2, 0, 2, 1], abs=1e-8)
    assert found[1] == 2.0


@given(st.lists(st.sampled_from([-1e6, -1.0, 0.0, 1e-12, 2e-9, 1.0, 1e6]), max_size=30))
def test_all_are_distinct_and_no_order_changes(scores: list[float]) -> None:
    found = distinct(scores).tolist()
    assert len(set(found)) == len(scores)
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    assert sorted(range(len(scores)), key=lambda place: -found[place]) == order
