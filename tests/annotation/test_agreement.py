"""How far annotators agree, worked out by hand, and beside the measures of `caveat agreement` and of NLTK."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask

from caveat.annotation.agreement import AgreementReport, agreement, nominal_alpha
from caveat.annotation.exchange import export, import_works
from caveat.annotation.project import Project
from caveat.annotation.records import Entry, Link, Sample, Span, Work
from caveat.annotation.tasks import TASKS
from caveat.benchmarks.verbs import agreement as of_files
from caveat.core.errors import CaveatError

CONTEXT = "Roses need sun, warm air and rain."
SUN, AIR, RAIN = ((start, end) for start, end in ((11, 14), (16, 24), (29, 33)))


def work(*places: tuple[int, int], kind: str = "answer") -> Work:
    spans = tuple(Span(str(number), kind, *place) for number, place in enumerate(places))
    return Work("What?", spans=spans)


def report(tmp_path: Path, task: str, *items: dict[str, Work]) -> AgreementReport:
    with project_of(tmp_path, task, *items) as project:
        return agreement(project)


def project_of(tmp_path: Path, task: str, *items: dict[str, Work]) -> Project:
    entries = [
        Entry(Sample(f"s{number}", CONTEXT + number * "!", question="What?"), tuple(works.items()))
        for number, works in enumerate(items)
    ]
    project = Project.new(tmp_path / "p", task, [entry.sample for entry in entries], overlap=1)
    import_works(project, entries)
    return project


def test_the_figures_of_two(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "multispan",
        {"Ada": work(SUN, RAIN), "Bo": work(SUN)},
        {"Ada": work(AIR), "Bo": work(AIR)},
    )
    # Two labels in common of three and two.
    assert found.kinds == {"answer": pytest.approx(80.0)}
    assert [(pair.one, pair.other, pair.items) for pair in found.pairs] == [("Ada", "Bo", 2)]
    assert found.by_annotator["Ada"] == {"items": 2.0, "f1": pytest.approx(80.0)}
    assert found.paper["exact"]["f1"] == pytest.approx(80.0)
    assert (found.annotators, found.items) == (2, 2)


def test_pairs_that_share_nothing_are_left_out(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        "multispan",
        {"Ada": work(SUN), "Bo": work(SUN)},
        {"Bo": work(SUN), "Cy": work(RAIN)},
        {"Ada": work(SUN)},
    )
    assert [(pair.one, pair.other, pair.f1) for pair in found.pairs] == [
        ("Ada", "Bo", 100.0),
        ("Bo", "Cy", 0.0),
    ]
    assert found.kinds == {"answer": 50.0}
    assert {name: figures["f1"] for name, figures in found.by_annotator.items()} == {
        "Ada": 100,
        "Bo": 50,
        "Cy": 0,
    }
    assert found.items == 2


def test_to_agree_that_there_is_no_answer_is_to_agree(tmp_path: Path) -> None:
    none = Work("What?", verdict="unanswerable")
    found = report(tmp_path, "squad2", {"Ada": none, "Bo": none}, {"Ada": none, "Bo": work(SUN)})
    # One label in common of two and two; human performance: 100 and 0.
    assert found.pairs[0].f1 == pytest.approx(50.0)
    assert found.paper["exact_match"] == pytest.approx(50.0)
    assert found.alpha["verdict"] == pytest.approx(0.0)


@pytest.mark.parametrize("task", list(TASKS))
def test_the_paper_s_measure_is_that_of_the_command(task: str, tmp_path: Path) -> None:
    drawn = random.Random(7)
    kinds = [kind.name for kind in TASKS[task].kinds]
    places = [SUN, AIR, RAIN, (0, 5)]

    def one() -> Work:
        count = drawn.randint(1, 3) if TASKS[task].several else 1
        chosen = drawn.sample(places, count)
        spans = tuple(Span(str(n), drawn.choice(kinds), *place) for n, place in enumerate(chosen))
        links = tuple(
            Link(link.name, a.id, b.id)
            for link in TASKS[task].links
            for a in spans
            for b in spans
            if a.kind in link.source_kinds and b.kind in link.target_kinds
        )
        return Work("What?", "what" if TASKS[task].question_types else None, spans=spans, links=links)

    items = [{name: one() for name in ("Ada", "Bo", "Cy")} for _ in range(8)]
    with project_of(tmp_path, task, *items) as project:
        files = []
        for name in ("Ada", "Bo", "Cy"):
            files.append(tmp_path / f"{name}.json")
            export(project, files[-1], annotator=name)
        ours, theirs = agreement(project).paper, of_files(task, files)
    _same(ours, theirs)


def _same(ours: dict[str, object], theirs: dict[str, object]) -> None:
    """Multispan's files have tokens, so that only the exact scores, of whole words, are bound to be the same."""
    for name in set(ours) & set(theirs) - {"partial"}:
        mine, other = ours[name], theirs[name]
        if isinstance(mine, dict) and isinstance(other, dict):
            _same(mine, other)
        else:
            assert mine == pytest.approx(other), name


def test_over_time(tmp_path: Path) -> None:
    samples = [Sample(f"s{number}", CONTEXT, question="What?") for number in range(3)]
    with Project.new(tmp_path / "p", "multispan", samples, overlap=2) as project:
        for name in ("Ada", "Bo"):
            project.add_annotator(name)
            for given in project.queue(name):
                place = RAIN if (name, given.item) == ("Bo", "s0") else SUN
                project.save(given.item, name, given.stage, work(place), version=0, request=given.item)
                project.done(given.item, name, given.stage)
        found = agreement(project)
    assert [(moment.items, moment.f1) for moment in found.over_time] == [(1, 0.0), (1, 100.0), (1, 100.0)]
    assert [moment.time for moment in found.over_time] == sorted(moment.time for moment in found.over_time)


def test_one_annotator_agrees_with_nobody(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="two annotators"):
        report(tmp_path, "multispan", {"Ada": work(SUN)})


def test_alpha_is_that_of_nltk() -> None:
    drawn = random.Random(3)
    for _ in range(20):
        ratings = [
            (f"annotator {person}", f"unit {unit}", drawn.choice("abc"))
            for unit in range(12)
            for person in range(4)
            if drawn.random() < 0.8
        ]
        # Units that one person judged say nothing, and NLTK is not given them.
        judged = {unit for _, unit, _ in ratings if sum(other == unit for _, other, _ in ratings) > 1}
        ratings = [rating for rating in ratings if rating[1] in judged]
        counts = np.array(
            [
                [sum((unit, value) == rating[1:] for rating in ratings) for value in "abc"]
                for unit in sorted(judged)
            ]
        )
        assert nominal_alpha(counts) == pytest.approx(AnnotationTask(data=ratings).alpha())


def test_alpha_by_hand() -> None:
    table = np.array([[3, 0], [0, 3], [3, 0], [1, 2]])
    # 12 judgements, 7 and 5 of each value; observed 2·(1·2)/2 of 12, expected 2·7·5 of 12·11.
    assert nominal_alpha(table) == pytest.approx(1 - (1 / 6) / (70 / 132))


def test_alpha_is_none_where_nothing_can_differ() -> None:
    assert nominal_alpha(np.array([[3, 0], [2, 0]])) is None
    assert nominal_alpha(np.array([[1, 0], [0, 1]])) is None
    assert nominal_alpha(np.zeros((0, 2), np.int64)) is None
