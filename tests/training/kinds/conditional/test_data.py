"""Pages in sections, stand-ins made of evidences, and what is above a threshold."""

from __future__ import annotations

from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument, ConditionalQuestion
from caveat.training.kinds.conditional.data import (
    Example,
    PageAnswers,
    best_threshold,
    pooled_pages,
    predictions_of,
    span_in,
    whole_page,
)

PAGE = whole_page(
    ConditionalDocument(
        "",
        "u",
        (
            "<h1>Ponds</h1>",
            "<h2>Digging one</h2>",
            "<p>You may dig if:</p>",
            "<li>it is dry</li>",
            "<li>nobody swims</li>",
            "<h2>Fish</h2>",
            "<p>Fish are free.</p>",
        ),
    )
)


def test_sections_begin_at_headings() -> None:
    assert PAGE.sections == ((0, 5), (5, 7))
    assert PAGE.section_text(1) == "Fish\nFish are free."
    assert PAGE.in_place(4) == "Ponds You may dig if: nobody swims"
    assert PAGE.in_place(6) == "Fish Fish are free."
    assert PAGE.in_place(5) == "Fish"
    assert [PAGE.element_at(1, at) for at in (0, 4, 5, 19)] == [5, 5, 6, 6]
    assert whole_page(ConditionalDocument("", "u", ())).sections == ()
    assert whole_page(ConditionalDocument("", "u", ("<p>a</p>", "<p>b</p>"))).sections == ((0, 2),)


def question(url: str, *evidences: str, conditions: tuple[str, ...] = ()) -> ConditionalQuestion:
    answers = (ConditionalAnswer("yes", conditions),)
    return ConditionalQuestion(url, url, "", "?", answers=answers, evidences=evidences)


def test_evidences_with_one_in_common_are_a_section() -> None:
    questions = [
        question("u", "<p>a</p>", "<p>b</p>"),
        question("u", "<p>c</p>"),
        question("u", "<p>b</p>", conditions=("<li>d</li>",)),
        question("v", "<p>x</p>", "<p>a</p>"),
        question("w"),
    ]
    alone = pooled_pages(questions, distractors=0, seed=1)
    sections = {tuple(alone["u"].texts[first:last]) for first, last in alone["u"].sections}
    assert sections == {("a", "b", "d"), ("c",)}
    assert (alone["w"].contents, alone["w"].sections) == ((), ())
    mixed = pooled_pages(questions, distractors=2, seed=1)
    # What is both the page's own and another's is its own.
    assert sorted(mixed["u"].texts) == ["a", "b", "c", "d", "x"]
    assert mixed == pooled_pages(questions, distractors=2, seed=1)
    assert mixed["u"].sections[-1][1] == 5


def test_answers_have_lost_their_capitals() -> None:
    assert span_in("By 19 July or so", "19 july") == (3, 10)
    assert span_in("By 19 July", "may") is None
    assert span_in("text", " ") is None


def test_the_threshold_with_the_best_figures() -> None:
    gold = ConditionalQuestion("1", "u", "", "?", answers=(ConditionalAnswer("yes", (PAGE.contents[3],)),))
    other = ConditionalQuestion("2", "u", "", "?", answers=(ConditionalAnswer("no"),))
    examples = [Example(gold, PAGE), Example(other, PAGE)]
    yes, no = (ConditionalAnswer("yes"),), (ConditionalAnswer("no"),)
    found = [
        PageAnswers(yes, (-9.0, -9.0, -9.0, 2.0, -1.0, -9.0, -9.0)),
        PageAnswers(no, (-9.0, -9.0, -9.0, 0.5, -9.0, -9.0, -9.0)),
    ]
    threshold = best_threshold(examples, found)
    assert 0.5 < threshold < 2.0
    assert [
        [answer.conditions for answer in each.answers] for each in predictions_of(examples, found, threshold)
    ] == [
        [(PAGE.contents[3],)],
        [()],
    ]
    assert best_threshold(examples, [PageAnswers(), PageAnswers()]) == 0.0
