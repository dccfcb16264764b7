"""Fitting a decision, on candidates by hand and on pages that the small joint reader reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scipy")

from caveat.answerers.documents.candidates import Proposal
from caveat.answerers.documents.decision import DecisionWeights, decide
from caveat.core.errors import CaveatError
from caveat.training.kinds.decision.fit import Labelled, fit_decision, fitted, measured
from caveat.training.kinds.decision.recipe import DecisionData, DecisionRecipe, problems_of
from caveat.training.sampling import fold_of


def labelled(number: int) -> Labelled:
    """A question where what has the cue is right; a feature beside it tells nothing."""
    cue = number % 2
    proposals = (
        Proposal("span", {"span": 1.0, "cue": float(cue), "noise": float(number % 3)}),
        Proposal("none", {"none": 1.0, "cue": float(1 - cue), "noise": float(number % 3)}),
        Proposal("missed", {"missed": 1.0}),
    )
    kind = "span" if cue else "none"
    return Labelled(proposals, (bool(cue), not cue, False), kind, f"source {number}")


SAMPLES = [labelled(number) for number in range(60)]


def recipe(**changes: Any) -> DecisionRecipe:
    return DecisionRecipe(**{"kind": "decision", "language": "en", "reader": "tiny", "data": (), **changes})


def test_an_obvious_rule_is_found() -> None:
    weights = fitted(SAMPLES, 0.1)
    assert weights["cue"] > 3
    assert weights["missed"] < 0
    assert abs(weights["noise"]) < abs(weights["cue"]) / 2
    for each in SAMPLES:
        shares = decide(each.proposals, DecisionWeights({}, weights, {}))
        assert each.right[shares.index(max(shares))]
    # The more is added for large weights, the smaller they are.
    assert 0 < fitted(SAMPLES, 10.0)["cue"] < weights["cue"]


def test_several_candidates_may_be_right_together() -> None:
    one, other = Proposal("span", {"a": 1.0}), Proposal("span", {"b": 1.0})
    none = Proposal("none", {"none": 1.0})
    both = [Labelled((one, other, none), (True, True, False), "span", str(number)) for number in range(20)]
    weights = fitted(both, 0.1)
    assert weights["a"] == pytest.approx(weights["b"], abs=1e-3)
    assert weights["a"] > 0 > weights["none"]


def test_figures_of_repositories_left_out() -> None:
    figures = measured(SAMPLES, recipe(groups=5, l2=0.1))
    assert figures["all"]["questions"] == 60
    assert (figures["all"]["right"], figures["span"]["right"], figures["none"]["right"]) == (100.0,) * 3
    assert figures["all"]["among the candidates"] == 100.0
    assert figures["all"]["confidently wrong"] == 0.0
    assert figures["all"]["none: right when said"] == 100.0
    assert 0 <= figures["all"]["calibration error"] < 0.1
    # Each is measured by weights of the others: where those teach the opposite, all of it is wrong.
    odd = fold_of("odd", 5)
    other = next(name for name in map(str, range(99)) if fold_of(name, 5) != odd)
    contrary = [
        each._replace(source="odd")
        if number < 30
        else each._replace(source=other, right=(each.right[1], each.right[0], False))
        for number, each in enumerate(SAMPLES)
    ]
    assert measured(contrary, recipe(groups=5, l2=0.1))["all"]["right"] == 0.0
    # One repository has no others.
    alone = [each._replace(source="odd") for each in SAMPLES]
    assert measured(alone, recipe(groups=5)) == {}


ITEMS = [
    ("color", "span", ["red"], "the color red. dog"),
    ("is the color red", "yes", [], "the color is red"),
    ("is the color red", "no", [], "the color is not red"),
    ("size", "none", [], "the color red. dog"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = tmp_path / "pages" / "files"
    files.mkdir(parents=True)
    lines = []
    for number in range(6):
        for at, (question, kind, answers, text) in enumerate(ITEMS):
            (files / f"{number}-{at}.txt").write_text(text)
            item = {"question": question, "scenario": None, "kind": kind, "answers": answers}
            lines.append({**item, "language": "en", "page": f"{number}-{at}.txt", "repository": f"r{number}"})
    lines.append({**lines[0], "language": "zh"})
    (tmp_path / "pages" / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_a_file_of_questions_on_pages(root: Path, joint_folder: Path) -> None:
    data = DecisionData(path="pages/items.jsonl", name="pages", licence="CC0")
    how = recipe(reader=str(joint_folder), data=(data,), groups=3)
    notes: list[str] = []
    tables = fit_decision(how, root / "out", data_root=root, note=notes.append)
    (figures,) = tables.values()
    assert figures["all"]["right"] > 80
    assert figures["all"]["questions"] == 24
    written = json.loads((root / "out" / "decision.json").read_text())
    assert json.loads((root / "out" / "scores.json").read_text()) == figures
    assert written["about"]["reader"] == "tiny-joint"
    assert written["about"]["data"][0]["licence"] == "CC0"
    # Of 24 English questions 18 have "color", and small words are not counted.
    assert written["asked"] == {"color": 18 / 24, "red": 12 / 24, "size": 6 / 24}
    assert written["weights"]["none: surest"] > 0
    assert any("items.jsonl" in note for note in notes)


def test_the_command(root: Path, joint_folder: Path, caveat: Callable[..., Any]) -> None:
    file = root / "decision.toml"
    file.write_text(
        f'kind = "decision"\nlanguage = "en"\nreader = "{joint_folder}"\ngroups = 2\n'
        '[[data]]\npath = "pages/items.jsonl"\nforeign = 1.0\n'
    )
    done = caveat("train", file, "--data-root", root, "--out", root / "out")
    assert done.returncode == 0, done.stderr
    assert (root / "out" / "decision.json").is_file()
    # Nearly each question is put to the page of another repository as well.
    assert json.loads((root / "out" / "scores.json").read_text())["none"]["questions"] > 6 + 24 / 2


def test_a_plain_reader_has_no_decision(root: Path, reader_folder: Path) -> None:
    with pytest.raises(CaveatError, match="is no joint reader"):
        fit_decision(recipe(reader=str(reader_folder)), root / "out", data_root=root, note=lambda _: None)


def test_what_is_wrong_with_a_recipe() -> None:
    data = DecisionData(path="pages/items.jsonl", folds=2, fold=2, foreign=-1.0)
    assert len(list(problems_of(recipe(l2=0.0, groups=1)))) == 3
    assert len(list(problems_of(recipe(data=(data,))))) == 2
