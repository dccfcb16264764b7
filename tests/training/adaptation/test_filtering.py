"""What of a teacher's questions is learnt from."""

from __future__ import annotations

import pytest

from caveat.core.languages import Language
from caveat.training.adaptation.teaching import (
    WANTED,
    Answered,
    Judged,
    Passage,
    TaughtSpans,
    Wanted,
    Written,
    WrittenSpan,
    by_reader,
    by_teacher,
    first_look,
    writing_questions,
)

FERRY = Passage(
    "ferry:0",
    "ferry.md",
    "Ferry",
    "The ferry to Osk leaves at seven. Dogs travel free if they are on a lead.",
)


def written(kind: str, question: str, quotation: str = "", condition: str = "") -> Written:
    return Written(kind=kind, question=question, quotation=quotation, condition=condition)  # type: ignore[arg-type]


def looked_at(*several: Written) -> list[Judged]:
    return list(first_look(FERRY, several, set()))


def dropped(kind: str, question: str, quotation: str = "", condition: str = "") -> str:
    (judged,) = looked_at(written(kind, question, quotation, condition))
    return judged.dropped


@pytest.mark.parametrize(
    ("kind", "question", "quotation", "condition", "reason"),
    [
        ("span", "When does the boat to Osk depart?", "at seven", "", ""),
        ("span", "When does the boat to Osk depart?", "AT  seven", "", ""),
        ("span", "When does the boat to Osk depart?", "at eight", "", "quotation not in the passage"),
        ("span", "When does the boat to Osk depart?", "", "", "quotation not in the passage"),
        ("span", "Does it leave at seven?", "seven", "", "question names the answer"),
        ("span", "?", "seven", "", "no question"),
        ("span", "船几点开？", "seven", "", "in another language"),
        ("none", "Who steers the boat to Osk?", "", "", ""),
        ("none", "When does it go?", "at seven", "", "quotes an answer though there is none"),
        ("yes", "Do dogs ride for nothing?", "Dogs travel free", "", ""),
        ("conditional", "What do dogs pay?", "free", "if they are on a lead", ""),
        ("conditional", "What do dogs pay?", "free", "if they are asleep", "condition not in the passage"),
    ],
)
def test_what_is_dropped_by_its_words(
    kind: str, question: str, quotation: str, condition: str, reason: str
) -> None:
    assert dropped(kind, question, quotation, condition) == reason


def test_places_are_those_of_the_passage() -> None:
    (judged,) = looked_at(written("conditional", "What do dogs pay?", "Free", "if they are on a lead"))
    assert judged.place is not None
    assert judged.condition is not None
    assert FERRY.text[slice(*judged.place)] == "free"
    assert FERRY.text[slice(*judged.condition)] == "if they are on a lead"


def test_a_question_is_asked_once() -> None:
    same = written("span", "When does the boat depart?", "at seven")
    other = written("span", "when does the boat depart", "seven")
    assert [judged.dropped for judged in looked_at(same, other)] == ["", "asked before"]


def asked(kind: str) -> Judged:
    place = None if kind == "none" else (24, 32)  # "at seven"
    return Judged("ferry:0", written(kind, "When?", "at seven"), place)


@pytest.mark.parametrize(
    ("kind", "found", "sure", "decided"),
    [
        ("span", "at seven", 0.9, "stays"),
        ("span", "seven", 0.2, "stays"),
        ("span", "Osk", 0.9, "ask the teacher"),
        ("conditional", "at seven", 0.9, "stays"),
        ("yes", "at seven", 0.9, "ask the teacher"),
        ("none", "seven", 0.8, "goes"),
        ("none", "seven", 0.2, "ask the teacher"),
    ],
)
def test_what_the_reader_decides(kind: str, found: str, sure: float, decided: str) -> None:
    after = by_reader(asked(kind), FERRY, found, sure)
    if after is None:
        assert decided == "ask the teacher"
    else:
        assert decided == ("goes" if after.dropped else "stays")
        assert after.reader == found


@pytest.mark.parametrize(
    ("kind", "teacher", "stays"),
    [
        ("span", Answered("span", "seven"), True),
        ("span", Answered("none"), False),
        ("span", Answered("yes"), False),
        ("span", None, False),
        ("yes", Answered("yes", "Dogs travel free"), True),
        ("yes", Answered("no"), False),
        ("yes", Answered("span", "at seven"), False),
        ("none", Answered("none"), True),
        ("none", Answered("span", "seven"), False),
    ],
)
def test_what_the_teacher_decides(kind: str, teacher: Answered | None, stays: bool) -> None:
    after = by_teacher(asked(kind), FERRY, "Osk", teacher)
    assert (after.dropped == "") is stays
    assert after.reader == "Osk"


@pytest.mark.parametrize(
    ("kinds", "language", "said"),
    [
        (WANTED, "en", "3 of kind span, 1 of kind none, 1 of kind yes or no, 1 of kind conditional"),
        (("span",), "en", "Write 6 different questions."),
        (("span", "none"), "zh", "5 个 span，1 个 none"),
        (
            ("none", "yes-no", "conditional"),
            "en",
            "2 of kind none, 2 of kind yes or no, 2 of kind conditional",
        ),
    ],
)
def test_the_kinds_that_are_asked_for(kinds: tuple[Wanted, ...], language: Language, said: str) -> None:
    prompt = writing_questions(FERRY, language, kinds)
    assert said in prompt.messages[-1].content


def test_where_all_questions_have_a_span_nothing_else_is_explained() -> None:
    prompt = writing_questions(FERRY, "en", ("span",))
    assert "conditional" not in prompt.messages[0].content
    assert prompt.schema is TaughtSpans
    taught = TaughtSpans((WrittenSpan("seven", "When does the boat to Osk depart?"),))
    assert taught.written == (written("span", "When does the boat to Osk depart?", "seven"),)
