"""The steps by which the papers' data came about: who asks, who revises, who answers blindly."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.annotation.exchange import export
from caveat.annotation.project import Project
from caveat.annotation.records import Element, Link, Sample, Span, Suggestion, Work
from caveat.annotation.tasks import snippet_of
from caveat.benchmarks.conditionalqa.format import read
from caveat.core.errors import InputError, UsageError

CONTEXT = "玫瑰喜欢阳光，也需要水。"
SUN, WATER = Work("玫瑰要什么？", spans=(Span("1", "answer", 4, 6),)), Span("1", "answer", 10, 11)


def people(project: Project, *names: str) -> Project:
    for name in names:
        project.add_annotator(name)
    return project


def finish(project: Project, annotator: str, work: Work) -> str:
    """Do the first thing that someone has to do."""
    given = project.next(annotator)
    assert given is not None
    _, version = project.work(given.item, annotator, given.stage)
    project.save(
        given.item, annotator, given.stage, work, version=version, request=f"{annotator} {given.stage}"
    )
    project.done(given.item, annotator, given.stage)
    return given.stage


def test_cmrc_has_two_rounds_and_two_further_answers(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "cmrc2018", [Sample("s", CONTEXT, split="dev")]) as project:
        people(project, "asker", "reviser", "a", "b", "late")
        assert finish(project, "asker", SUN) == "ask"
        # Whoever asked does not revise, and nobody answers before it is revised.
        assert project.next("asker") is None
        seen, version = project.work(project.next("reviser").item, "reviser", "revise")  # type: ignore[union-attr]
        assert (seen, version) == (SUN, 0)
        revised = Work("玫瑰喜欢什么？", spans=SUN.spans)
        assert finish(project, "reviser", revised) == "revise"
        for name in ("a", "b"):
            given = project.next(name)
            assert given is not None
            assert given.stage == "answer"
            # The question as revised, and no answer of anyone.
            assert project.work(given.item, name, "answer") == (Work("玫瑰喜欢什么？"), 0)
        # With the first answer there are three, as in the published sets.
        assert project.next("late") is None
        finish(project, "a", Work("something else", spans=SUN.spans))
        assert project.gold() == ()
        finish(project, "b", Work("something else", spans=(WATER,)))
        assert project.next("reviser") is None
        (gold,) = project.gold()
        assert gold.work == revised
        assert [work.spans for work in gold.further] == [SUN.spans, (WATER,)]
        assert {work.question for work in gold.further} == {"玫瑰喜欢什么？"}
        assert list(project.answers()["s#1"]) == ["reviser", "a", "b"]


def test_the_training_part_has_no_further_answers(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "cmrc2018", [Sample("s", CONTEXT, split="train")]) as project:
        people(project, "asker", "reviser", "a")
        finish(project, "asker", SUN)
        # Nothing to change is said by being done.
        project.done(project.queue("reviser")[0].item, "reviser", "revise")
        assert project.next("a") is None
        assert [gold.work for gold in project.gold()] == [SUN]


def test_a_passage_may_have_several_questions(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "squad2", [Sample("s", CONTEXT)]) as project:
        people(project, "asker", "other")
        finish(project, "asker", SUN)
        second = project.further_question("s#1", "asker")
        assert second == "s#2"
        assert project.next("other") is None
        assert project.next("asker").item == second  # type: ignore[union-attr]
        finish(project, "asker", Work("谁浇水？", verdict="unanswerable"))
        assert [gold.item for gold in project.gold()] == ["s#1", "s#2"]
        again = project.remarks("s#2", "asker", "ask", Work("玫瑰要什么？", verdict="unanswerable"))
        assert "duplicate-question" in [remark.rule for remark in again]


def test_of_a_passage_without_questions_nothing_comes(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "cmrc2018", [Sample("s", CONTEXT)]) as project:
        people(project, "asker", "reviser")
        finish(project, "asker", Work())
        assert project.next("reviser") is None
        assert project.gold() == ()


def test_in_conditionalqa_one_asks_and_another_answers(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "conditionalqa", [Sample("s", CONTEXT)], overlap=1) as project:
        people(project, "asker", "answerer")
        assert finish(project, "asker", Work("浇水吗？", scenario="我有玫瑰。")) == "ask"
        assert project.gold() == ()
        assert project.work("s#1", "answerer", project.queue("answerer")[0].stage) == (
            Work("浇水吗？", scenario="我有玫瑰。"),
            0,
        )
        finish(project, "answerer", Work(verdict="yes"))
        assert [gold.work for gold in project.gold()] == [
            Work("浇水吗？", verdict="yes", scenario="我有玫瑰。")
        ]


PAGE = "Fees\nGuests pay 40 euros.\nIf you are under 12, you pay nothing."
ENDS = ((0, 4), (5, 25), (26, 63))
ELEMENTS = tuple(
    Element(start, end, f"<{tag}>{PAGE[start:end]}</{tag}>")
    for tag, (start, end) in zip(("h1", "p", "p"), ENDS, strict=True)
)
SCENARIO = "I am nine, I am alone, I live near."


def test_the_asker_of_conditionalqa_sees_a_title_and_a_snippet(tmp_path: Path) -> None:
    page = Sample("s", PAGE, title="Fees", elements=ELEMENTS)
    with Project.new(tmp_path / "p", "conditionalqa", [page]) as project:
        seen = project.shown("s#1", "ask")
        # The first paragraph, and not the condition that follows it.
        assert (seen.title, seen.context, seen.elements) == ("Fees", "Guests pay 40 euros.", ())
        assert project.shown("s#1", "answer") == project.shown("s#1", "revise") == page


def test_of_a_text_the_snippet_is_its_first_paragraph() -> None:
    assert snippet_of(Sample("s", "  One.\nTwo.\n\nThree.")).context == "One.\nTwo."
    assert len(snippet_of(Sample("s", "word " * 100)).context) <= 300


def test_what_several_answer_in_conditionalqa_is_revised_together(tmp_path: Path) -> None:
    page = Sample("s", PAGE, elements=ELEMENTS)
    nothing, condition = Span("a", "answer", 55, 62), Span("c", "condition", 26, 63)
    evidence = Span("e", "evidence", 26, 63)
    with Project.new(tmp_path / "p", "conditionalqa", [page]) as project:
        people(project, "asker", "one", "two", "reviser")
        finish(project, "asker", Work("What do I pay?", scenario=SCENARIO))
        finish(project, "one", Work(spans=(nothing, evidence)))
        assert project.next("reviser").stage == "answer"  # type: ignore[union-attr]
        project.release("reviser")
        linked = (Link("condition_answer", "c", "a"),)
        finish(project, "two", Work(spans=(condition, nothing), links=linked))
        assert len(project.disagreements()) == 1
        given = project.next("reviser")
        assert given is not None
        assert given.stage == "revise"
        union, _ = project.work(given.item, "reviser", "revise")
        assert union == Work(
            "What do I pay?",
            scenario=SCENARIO,
            spans=(
                Span("1", "answer", 55, 62),
                Span("2", "evidence", 26, 63),
                Span("3", "condition", 26, 63),
            ),
            links=(Link("condition_answer", "3", "1"),),
        )
        project.done(given.item, "reviser", "revise")
        assert [gold.work for gold in project.gold()] == [union]
        assert project.disagreements() == ()
        # Agreement is of those who answered blindly.
        assert list(project.answers()["s#1"]) == ["one", "two"]
        assert (project.status().gold, project.status().adjudicated) == (1, 0)
        export(project, tmp_path / "gold.json", move_conditions=True)
        plain, moved = read(tmp_path / "gold.json")
        assert [(answer.text, answer.conditions) for answer in plain.answers] == [
            ("nothing", (ELEMENTS[2].html,))
        ]
        # The condition is said by the scenario, and the answer does not need it any more.
        assert moved.scenario == f"{SCENARIO} If you are under 12, you pay nothing."
        assert [(answer.text, answer.conditions) for answer in moved.answers] == [("nothing", ())]
        assert (moved.id, moved.evidences) == ("s#1~1", plain.evidences)


def test_conditions_are_moved_in_conditionalqa_alone(tmp_path: Path) -> None:
    with (
        Project.new(tmp_path / "p", "squad2", [Sample("s", CONTEXT)]) as project,
        pytest.raises(UsageError, match="ConditionalQA's own data"),
    ):
        export(project, tmp_path / "gold.json", move_conditions=True)


def test_a_question_that_is_given_is_only_answered(tmp_path: Path) -> None:
    sample = Sample("s", CONTEXT, question="玫瑰要什么？")
    with Project.new(tmp_path / "p", "cmrc2018", [sample], overlap=2) as project:
        people(project, "a", "b")
        assert [given.stage for given in project.queue("a")] == ["answer"]
        with pytest.raises(UsageError, match="given"):
            project.further_question("s", "a")


def test_a_task_whose_questions_are_given_needs_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no question"):
        Project.new(tmp_path / "p", "cmqa", [Sample("s", CONTEXT)])


def test_cmqa_knows_the_type_of_a_question(tmp_path: Path) -> None:
    with Project.new(
        tmp_path / "p", "cmqa", [Sample("s", CONTEXT, question="玫瑰为什么要阳光？")]
    ) as project:
        people(project, "a")
        work, _ = project.work(project.queue("a")[0].item, "a", "annotate")
        assert work is not None
        assert work.question_type == "why"


def test_the_least_sure_comes_next_where_it_is_asked_for(tmp_path: Path) -> None:
    samples = [Sample(f"s{number}", CONTEXT, question="什么？") for number in range(30)]
    with Project.new(tmp_path / "p", "multispan", samples) as project:
        people(project, "a")
        project.keep_suggestions(
            {f"s{number}": Suggestion(Work("什么？"), "m", number / 30) for number in range(30)}
        )
        assert project.next("a").item == "s0"  # type: ignore[union-attr]
        for _ in range(3):  # to ask again is not to get more
            assert project.next("a", by="uncertainty").item == "s29"  # type: ignore[union-attr]
        assert len(project.queue("a")) == 11
        # What was begun is finished first.
        project.save("s3", "a", "annotate", Work("什么？"), version=0, request="r")
        assert project.next("a", by="uncertainty").item == "s3"  # type: ignore[union-attr]


def test_suggestions_are_shown_only_where_someone_says_so(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p", "multispan", [Sample("s", CONTEXT, question="什么？")]) as project:
        suggestion = Suggestion(Work("什么？", spans=SUN.spans), "m", 0.5)
        project.keep_suggestions({"s": suggestion})
        assert project.suggestion("s") is None
        project.show_suggestions(True)
        assert project.suggestion("s") == suggestion
        people(project, "a")
        project.record_suggestion("s", "a", "refused")
        project.record_suggestion("s", "a", "changed")
        assert project.status().suggestions == {"changed": 1}


def test_quick_people_take_more(tmp_path: Path) -> None:
    samples = [Sample(f"s{number}", CONTEXT, question="什么？") for number in range(25)]
    with Project.new(tmp_path / "p", "multispan", samples) as project:
        people(project, "quick", "slow")
        for name in ("quick", "slow"):
            assert len(project.queue(name)) == 10
        for given in project.queue("quick"):
            project.done(given.item, "quick", given.stage)
        assert sum(given.state != "done" for given in project.queue("quick")) == 5
