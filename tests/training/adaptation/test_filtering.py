"""What of a teacher's questions is learnt from."""

from __future__ import annotations

import pytest

from caveat.training.adaptation.filtering import after_round_trip, first_look
from caveat.training.adaptation.records import Judged, Passage, Written
from caveat.training.adaptation.teaching import Answered

FERRY = Passage(
    "ferry:0",
    "ferry.md",
    "Ferry",
    "The ferry to Osk leaves at seven. Dogs travel free if they are on a lead.",
)


def looked_at(*written: Written) -> list[Judged]:
    return list(first_look(FERRY, written, set()))


def dropped(kind: str, question: str, quotation: str = "", condition: str = "") -> str:
    (judged,) = looked_at(Written(kind, question, quotation, condition))  # type: ignore[arg-type]
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
    (judged,) = looked_at(Written("conditional", "What do dogs pay?", "Free", "if they are on a lead"))
    assert judged.place is not None
    assert judged.condition is not None
    assert FERRY.text[slice(*judged.place)] == "free"
    assert FERRY.text[slice(*judged.condition)] == "if they are on a lead"


def test_a_question_is_asked_once() -> None:
    same = Written("span", "When does the boat depart?", "at seven")
    other = Written("span", "when does the boat depart", "seven")
    assert [judged.dropped for judged in looked_at(same, other)] == ["", "asked before"]


@pytest.mark.parametrize(
    ("kind", "teacher", "reader", "sure", "stays"),
    [
        ("span", Answered("span", "seven"), "", 0.0, True),
        ("span", Answered("none"), "at seven", 0.9, True),
        ("span", Answered("none"), "Osk", 0.9, False),
        ("span", None, "", 0.0, False),
        ("yes", Answered("yes", "Dogs travel free"), "", 0.0, True),
        ("yes", Answered("no"), "free", 0.9, False),
        ("none", Answered("none"), "seven", 0.2, True),
        ("none", Answered("none"), "seven", 0.8, False),
        ("none", Answered("span", "seven"), "", 0.0, False),
    ],
)
def test_the_round_trip(kind: str, teacher: Answered | None, reader: str, sure: float, stays: bool) -> None:
    place = None if kind == "none" else (24, 32)  # "at seven"
    judged = Judged("ferry:0", Written(kind, "When?", "at seven"), place)  # type: ignore[arg-type]
    after = after_round_trip(judged, FERRY, teacher, reader, sure)
    assert (after.dropped == "") is stays
    assert after.reader == reader
