"""The decision among candidates: a softmax over weighted features."""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caveat.answerers.documents
from caveat.answerers.documents.candidates import Proposal
from caveat.answerers.documents.decision import DecisionWeights, decide, weights_beside
from caveat.core.errors import InputError

SPAN = Proposal("span", {"span": 1.0, "span: score": 0.5})
YES = Proposal("yes", {"yes": 1.0, "yes: surest": -2.0})
NONE = Proposal("none", {"none": 1.0})
NAMES = ("span", "span: score", "yes", "none", "none: surest")


def weights(**more: float) -> DecisionWeights:
    return DecisionWeights({}, {name.replace("__", ": "): value for name, value in more.items()}, {})


def test_a_softmax_worked_out_by_hand() -> None:
    # 1 + 2 * 0.5 = 2, 0.5 * -2 + 1 = 0, and 1.
    found = decide([SPAN, YES, NONE], weights(span=1, span__score=2, yes=1, yes__surest=0.5, none=1))
    total = math.exp(2) + 1 + math.e
    assert found == pytest.approx([math.exp(2) / total, 1 / total, math.e / total])


def test_without_weights_all_are_alike() -> None:
    assert decide([SPAN, YES, NONE], DecisionWeights({}, {}, {})) == pytest.approx([1 / 3] * 3)


features = st.dictionaries(st.sampled_from(NAMES), st.floats(-8, 8), max_size=4)


@given(
    st.lists(features, min_size=1, max_size=12), st.dictionaries(st.sampled_from(NAMES), st.floats(-50, 50))
)
def test_probabilities_add_up_to_1(each: list[dict[str, float]], known: dict[str, float]) -> None:
    proposals = [Proposal("span", one) for one in each]
    found = decide(proposals, DecisionWeights({}, known, {}))
    assert sum(found) == pytest.approx(1.0)
    assert all(0 <= share <= 1 for share in found)
    # Features without a weight do not count, nor do weights of features that nobody has.
    further = [one._replace(features={**one.features, "unheard of": 9.0}) for one in proposals]
    assert decide(further, DecisionWeights({}, {**known, "absent": 7.0}, {})) == found


def test_weights_stand_beside_the_reader(tmp_path: Path, joint_folder: Path) -> None:
    assert weights_beside(tmp_path) is None
    found = weights_beside(joint_folder)
    assert found is not None
    assert found.weights["missed"] == -8.0
    other = tmp_path / "other"
    other.mkdir()
    (other / "decision.json").write_text(json.dumps({"weights": {}}))
    with pytest.raises(InputError, match=r"decision\.json"):
        weights_beside(other)


@pytest.mark.parametrize("module", ["answerer", "candidates", "decision", "replies", "retrieval"])
def test_no_weight_stands_in_the_code(module: str) -> None:
    """All fractions are 0, a half or 1, apart from constants with a name, which limit features and weigh nothing."""
    tree = ast.parse(Path(*caveat.answerers.documents.__path__, f"{module}.py").read_text(encoding="utf-8"))
    named = {
        literal
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for literal in ast.walk(statement.value)
    }
    found = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node not in named
    ]
    assert [each for each in found if each[1] not in (0.0, 0.5, 1.0)] == []
