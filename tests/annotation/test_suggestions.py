"""What models propose, as works; and what became of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.annotation.exchange import import_works
from caveat.annotation.project import Project
from caveat.annotation.records import Element, Entry, Link, Sample, Span, Suggestion, Work
from caveat.annotation.rules import checked
from caveat.annotation.suggestions import effect, outcome_of, proposed_work, suggest
from caveat.annotation.tasks import TASKS
from caveat.answerers.engine import Engine
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Question, Reply

CONTEXT = "If it rains, take a coat: a raincoat or a parka. Else go as you are."


def place(text: str) -> Place:
    start = CONTEXT.index(text)
    return Place("s", start, start + len(text))


def answer(text: str, score: float = 0.5, **more: object) -> Answer:
    return Answer(text, "span", score, place(text), **more)  # type: ignore[arg-type]


def drawn(task: str, reply: Reply, *elements: Element) -> list[tuple[str, str]]:
    sample = Sample("s", CONTEXT, question="What?", elements=elements)
    work = proposed_work(TASKS[task], sample, reply)
    checked(TASKS[task], sample, work)
    return [(span.kind, CONTEXT[span.start : span.end]) for span in work.spans]


COAT = answer(
    "a coat",
    conditions=(Condition("it rains", place("it rains")),),
    parts=(answer("a raincoat", 0.4), answer("a parka", 0.4)),
)


def test_conditions_and_finer_answers_have_their_links() -> None:
    sample = Sample("s", CONTEXT, question="What?")
    work = proposed_work(TASKS["cmqa"], sample, Reply(Question("What?"), (COAT,), 0.1, together=True))
    assert [(span.id, span.kind) for span in work.spans] == [
        ("1", "coarse"),
        ("2", "condition"),
        ("3", "fine"),
        ("4", "fine"),
    ]
    assert work.links == (
        Link("condition_coarse", "2", "1"),
        Link("coarse_fine", "1", "3"),
        Link("coarse_fine", "1", "4"),
    )
    assert work.question_type == "what"


def test_parts_are_the_answers_where_there_is_one_level() -> None:
    reply = Reply(Question("What?"), (COAT,), 0.1, together=True)
    assert drawn("multispan", reply) == [("answer", "a raincoat"), ("answer", "a parka")]


def test_one_answer_is_proposed_where_a_question_has_one() -> None:
    reply = Reply(Question("What?"), (answer("a coat", 0.5), answer("a parka", 0.4)), 0.1)
    assert drawn("squad2", reply) == [("answer", "a coat")]
    assert drawn("multispan", reply) == [("answer", "a coat"), ("answer", "a parka")]
    unlikely = Reply(Question("What?"), (answer("a coat", 0.5), answer("a parka", 0.2)), 0.1)
    assert drawn("multispan", unlikely) == [("answer", "a coat")]


def test_none_is_proposed_where_none_is_likelier() -> None:
    reply = Reply(Question("What?"), (answer("a coat", 0.2),), 0.8)
    assert proposed_work(TASKS["squad2"], Sample("s", CONTEXT), reply).verdict == "unanswerable"
    # CMRC's questions all have an answer.
    assert drawn("cmrc2018", reply) == [("answer", "a coat")]


def test_conditions_and_evidence_are_whole_elements() -> None:
    end = CONTEXT.index(" Else")
    yes = Answer(
        "yes", "yes", 0.9, conditions=(Condition("it rains", place("it rains")),), evidence=(place("a coat"),)
    )
    found = drawn("conditionalqa", Reply(Question("What?"), (yes,)), Element(0, end, "<p>…</p>"))
    assert found == [("condition", CONTEXT[:end]), ("evidence", CONTEXT[:end])]


@pytest.mark.parametrize(("places", "expected"), [([0, 1], "accepted"), ([0], "changed"), ([2], "refused")])
def test_what_became_of_a_suggestion(places: list[int], expected: str) -> None:
    spans = [Span(str(number), "answer", 4 * number, 4 * number + 3) for number in range(3)]
    suggestion = Suggestion(Work("What?", spans=tuple(spans[:2])), "m", 0.5)
    assert outcome_of(suggestion, Work("What?", spans=tuple(spans[number] for number in places))) == expected


def test_the_effect_tells_those_who_saw_it_from_the_others(tmp_path: Path) -> None:
    sample = Sample("s", CONTEXT, question="What?")
    coat = Work("What?", spans=(Span("1", "answer", 18, 24),))
    other = Work("What?", spans=(Span("1", "answer", 0, 2),))
    with Project.new(tmp_path / "p", "multispan", [sample]) as project:
        import_works(project, [Entry(sample, (("Ada", coat), ("Bo", other)))])
        project.keep_suggestions({"s": Suggestion(coat, "m", 0.2)})
        project.record_suggestion("s", "Ada", "accepted")
        found = effect(project)
    assert (found.said, found.shown, found.not_shown) == ({"accepted": 1}, {"accepted": 1}, {"refused": 1})
    assert found.seconds_shown is not None


class _Known:
    """An engine that knows one answer."""

    def ask_many(self, pairs: list[tuple[Question, object]]) -> list[Reply]:
        return [Reply(question, (answer("a coat", 0.7),), 0.2) for question, _ in pairs]


def test_every_question_gets_a_suggestion(tmp_path: Path) -> None:
    samples = [Sample("given", CONTEXT, question="What?"), Sample("written", CONTEXT)]
    engine: Engine = _Known()  # type: ignore[assignment]
    with Project.new(tmp_path / "p", "squad2", samples, overlap=1) as project:
        assert suggest(project, engine) == 1
        project.add_annotator("Ada")
        item = next(given.item for given in project.queue("Ada") if given.stage == "ask")
        project.save(item, "Ada", "ask", Work("Which?", verdict="unanswerable"), version=0, request="r")
        project.done(item, "Ada", "ask")
        assert suggest(project, engine) == 2
        found = project.proposed()
        assert found[item].work.question == "Which?"
        assert found["given"].uncertainty == pytest.approx(0.3)
