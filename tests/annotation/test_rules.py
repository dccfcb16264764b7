"""The principles of the papers, told while someone annotates and on the spans that they are about."""

from __future__ import annotations

import msgspec
import pytest

from caveat.annotation.records import Element, Link, Remark, Sample, Span, Work
from caveat.annotation.rules import RULES, remarks
from caveat.annotation.tasks import TASKS

CONTEXT = "Roses need sun, warm air and rain."
SCENARIO = "I garden, I am 34, I live in Leeds."


def found(
    task: str, work: Work, context: str = CONTEXT, *others: Work, sample: Sample | None = None
) -> set[Remark]:
    return set(remarks(TASKS[task], sample or Sample("s", context, question=work.question), work, others))


def rules(
    task: str, work: Work, context: str = CONTEXT, *others: Work, sample: Sample | None = None
) -> set[str]:
    names = {remark.rule for remark in found(task, work, context, *others, sample=sample)}
    assert names <= set(RULES)
    return names


def spans(*pieces: tuple[str, int, int]) -> tuple[Span, ...]:
    return tuple(Span(str(number), *piece) for number, piece in enumerate(pieces))


def test_adjacent_spans_are_one_answer() -> None:
    work = Work("What?", spans=spans(("answer", 11, 14), ("answer", 14, 24)))
    assert [(remark.rule, remark.spans) for remark in found("multispan", work)] == [
        ("touching-spans", ("0", "1"))
    ]


def test_a_coarse_answer_has_one_level() -> None:
    inside = Work("What?", spans=spans(("coarse", 0, 14), ("coarse", 11, 14)))
    both = Work("What?", spans=spans(("coarse", 11, 14), ("fine", 11, 14)))
    assert "coarse-levels" in rules("cmqa", inside)
    assert {remark.spans for remark in found("cmqa", both)} == {("0", "1")}
    assert rules("cmqa", both) == {"coarse-levels"}


def test_most_of_the_context_is_no_choice() -> None:
    assert rules("cmqa", Work("What?", spans=spans(("fine", 0, 18)))) == {"mostly-annotated"}
    assert rules("cmqa", Work("What?", spans=spans(("fine", 0, 17)))) == set()


def test_conditions_may_overlap_answers_and_spans_of_one_kind_may_not() -> None:
    assert rules("cmqa", Work("What?", spans=spans(("condition", 0, 12), ("fine", 6, 14)))) == set()
    assert rules("cmqa", Work("What?", spans=spans(("fine", 0, 12), ("fine", 6, 14)))) == {
        "overlapping-spans"
    }


def test_a_link_is_there_once() -> None:
    marked = spans(("condition", 0, 5), ("fine", 11, 14))
    link = Link("condition_fine", "0", "1")
    assert rules("cmqa", Work("What?", spans=marked, links=(link, link))) == {"duplicate-relation"}


def test_a_passage_has_at_most_five_questions() -> None:
    others = [Work(text) for text in ("Who asked?", "When?", "Where?", "Why so?", "How much?")]
    work = Work("Which one is it?", spans=spans(("answer", 11, 14)))
    assert rules("cmrc2018", work, CONTEXT, *others) == {"too-many-questions"}
    assert rules("cmrc2018", work, CONTEXT, *others[1:]) == set()


def test_questions_on_a_passage_differ() -> None:
    work = Work("What is it?", spans=spans(("answer", 11, 14)))
    assert rules("squad2", work, CONTEXT, Work("What grows?"), Work("What flows?")) == {"same-questions"}
    assert rules("squad2", work, CONTEXT, Work("What is it?")) == {"duplicate-question"}


def test_a_question_says_it_in_other_words() -> None:
    work = Work("Roses need sun, warm what?", spans=spans(("answer", 21, 24)))
    assert rules("cmrc2018", work) == {"copied-question"}


@pytest.mark.parametrize(("end", "expected"), [(30, set()), (31, {"long-answer"})])
def test_an_answer_has_at_most_thirty_characters(end: int, expected: set[str]) -> None:
    assert rules("cmrc2018", Work("What?", spans=spans(("answer", 0, end)))) == expected


def test_an_answer_is_there_or_is_said_not_to_be() -> None:
    assert rules("squad2", Work("What?")) == {"no-answer"}
    assert rules("squad2", Work("What?", verdict="unanswerable")) == set()
    answered = Work("What?", verdict="unanswerable", spans=spans(("answer", 11, 14)))
    assert rules("squad2", answered) == {"answerability-contradiction"}
    two = Work("What?", spans=spans(("answer", 11, 14), ("answer", 29, 33)))
    assert rules("squad2", two) == {"several-answers"}
    assert rules("multispan", two) == set()


def test_spans_have_no_blanks_at_their_edges() -> None:
    assert rules("multispan", Work("What?", spans=spans(("answer", 10, 14)))) == {"blank-edge"}


def test_conditions_and_evidence_are_elements_of_the_page() -> None:
    sample = Sample("s", CONTEXT, elements=(Element(0, 15, "<p>a</p>"), Element(15, 34, "<p>b</p>")))
    marked = spans(("answer", 11, 14), ("condition", 0, 15), ("evidence", 0, 14))
    work = Work("What?", spans=marked, links=(Link("condition_answer", "1", "0"),), scenario=SCENARIO)
    assert [(r.rule, r.spans) for r in found("conditionalqa", work, sample=sample)] == [
        ("not-element", ("2",))
    ]
    loose = Work("What?", spans=marked[:2], scenario=SCENARIO)
    assert rules("conditionalqa", loose, sample=sample) == {"unlinked-condition", "no-evidence"}
    yes = Work("Can I?", verdict="yes", spans=spans(("condition", 0, 15), ("evidence", 0, 15)))
    assert rules("conditionalqa", yes, sample=sample) == {"empty-scenario"}


def test_who_asks_in_conditionalqa_is_not_told_that_the_answer_is_missing() -> None:
    stage = TASKS["conditionalqa"].stages[0]
    sample = Sample("s", CONTEXT)
    other = Work("When is it open?", scenario=SCENARIO)

    def told(work: Work, *others: Work) -> list[str]:
        return [r.rule for r in remarks(TASKS["conditionalqa"], sample, work, others, stage)]

    assert told(Work("Can I?", scenario=SCENARIO), other) == []
    assert told(Work(scenario=SCENARIO), other) == ["empty-question"]
    # Two questions on a page, which ask for different things.
    assert told(Work("Can I?", scenario=SCENARIO)) == ["one-question"]
    assert told(Work("When is it closed?", scenario=SCENARIO), other) == ["same-questions"]


def test_a_scenario_says_three_things() -> None:
    sample, task = Sample("s", CONTEXT), TASKS["conditionalqa"]
    answered = Work("Can I?", verdict="unanswerable")

    def told(scenario: str) -> list[str]:
        return [
            r.message for r in remarks(task, sample, msgspec.structs.replace(answered, scenario=scenario))
        ]

    assert told("I am 34, I live in Leeds. My roof is red") == []
    assert told("I am 34. I live in Leeds.") == ["the scenario says 2 of 3 things about the asker"]
    assert told(" ") == ["the question has no scenario"]


def test_every_key_of_a_task_does_one_thing() -> None:
    for task in TASKS.values():
        keys = [*(kind.key for kind in task.kinds), *(link.key for link in task.links)]
        assert len(set(keys)) == len(keys)
