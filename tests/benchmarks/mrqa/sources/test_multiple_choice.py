from __future__ import annotations

import pytest

from caveat.benchmarks.mrqa.sources.multiple_choice import CLOZE, DEPENDS_ON_OPTIONS, YES_OR_NO, unfit


@pytest.mark.parametrize(
    "question",
    [
        "Which of the following is a planet?",
        "In which of the following cities did they stop?",
        "All of the following are metals except",
        "Which of the statements is right?",
        "Which statement would the author agree with?",
        "Which sentence sums up the story?",
        "What is true about the ferry?",
        "Which one is NOT correct?",
        "What is the correct order of events?",
        "What is not mentioned in the letter?",
        "Plants need all of these except:",
        "The crew carried everything EXCEPT a map?",
        "Examples of renewable fuels include",
        "An example of a mammal is a(n)",
        "What would be the best title for the passage?",
        "Which is the most suitable title?",
        "Which event occurs first?",
    ],
)
def test_questions_that_need_their_options(question: str) -> None:
    assert unfit(question, "the harbour") == DEPENDS_ON_OPTIONS


@pytest.mark.parametrize(
    "question",
    [
        "Who painted the boat?",
        "What happened the following day?",
        "Where did they go the following summer?",
        "How many people are in the group except him?",
        "Which of the four libraries is the oldest?",
        "Why was the captain not happy?",
        "What is the title of his first book?",
        "What is an example of her kindness?",
    ],
)
def test_questions_that_stand_alone(question: str) -> None:
    assert unfit(question, "the harbour") is None


@pytest.mark.parametrize(
    "right", ["All of the above", "none of these.", "Both of the above", "A and C", "both (a) and (b)"]
)
def test_options_that_speak_of_options(right: str) -> None:
    assert unfit("What floats?", right) == DEPENDS_ON_OPTIONS


@pytest.mark.parametrize("right", ["both of them went home", "a and his brother", "All the boats"])
def test_options_that_speak_of_the_text(right: str) -> None:
    assert unfit("What floats?", right) is None


@pytest.mark.parametrize("right", ["True", "false.", "Yes", " no "])
def test_yes_and_no(right: str) -> None:
    assert unfit("Do boats float?", right) == YES_OR_NO


def test_a_gap_is_a_cloze() -> None:
    assert unfit("The boat is painted  _  .", "red") == CLOZE
