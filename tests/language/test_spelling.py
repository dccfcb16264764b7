"""Typing errors: which words may be ones, and what is meant by them."""

from __future__ import annotations

import pytest

from caveat.core.records import Correction
from caveat.language.packs import pack
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.spelling import Words, corrected, nearest, slips, unknown_words, words_in

TEXT = """Every employee gets 25 days of vacation. Employees on parental leave keep their laptop. The reimbursement of
travel costs takes two weeks. The office in Lyon is open from nine to five."""


def spelt(question: str, text: str = TEXT, language: str = ENGLISH) -> tuple[str, tuple[Correction, ...]]:
    counts = words_in(text, language)
    unknown = unknown_words(question, language)
    return corrected(question, unknown, language, counts.__contains__, lambda: Words(counts))


@pytest.mark.parametrize(
    ("word", "other", "count"),
    [
        ("vacation", "vacation", 0),
        ("vacaton", "vacation", 1),
        ("vaccation", "vacation", 1),
        ("vacatoin", "vacation", 1),
        ("vacstion", "vacation", 1),
        ("acation", "vacation", 1),
        ("vcaatoin", "vacation", 2),
        ("vactn", "vacation", None),
        ("leave", "vacation", None),
    ],
)
def test_letters_left_out_added_changed_and_swapped_count_one_each(
    word: str, other: str, count: int | None
) -> None:
    assert slips(word, other, 2) == count
    assert slips(other, word, 2) == count


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("How many days of vacaton?", "How many days of vacation?"),
        ("how many dyas of vaccation do emplyees get", "how many days of vacation do employees get"),
        ("reimbursemnt of travle costs", "reimbursement of travel costs"),
        ("is there reimbursemnet, and when?", "is there reimbursement, and when?"),
        ("Vacaton days", "Vacation days"),
        ("the laptpo's keyboard", "the laptop's keyboard"),
        ("can i keep my labtop", "can i keep my laptop"),
        ("do I recieve 25 days", "do I receive 25 days"),
    ],
)
def test_the_one_near_word_of_the_text_is_meant(typed: str, meant: str) -> None:
    text, made = spelt(typed)
    assert text == meant
    assert made


@pytest.mark.parametrize(
    "question",
    [
        "How many days of vacation?",
        "HOW MANY DAYS OF VACATION",
        "vacation days employee",
        # Common words, though "trawl" and "lion" are one slip from words of the text.
        "Do they trawl here?",
        "Is there a lion?",
        # Names, codes, addresses and quotations.
        "Who is Vacaton?",
        "What is vacaton2 or vacaton_days or vacaton.py or VACATON?",
        "what does “vacaton” mean",
        "what does `vacaton` do",
        "see example.org/vacaton",
        # A form of a word of the text, and words that are far from all of it, or too short.
        "what do employers get",
        "the frobnicator",
        "of teh",
        "25天 vacation",
        "",
    ],
)
def test_other_questions_stay_as_they_are(question: str) -> None:
    assert spelt(question) == (question, ())


def test_two_words_that_are_as_near_leave_it_open() -> None:
    words = Words({"brand": 4, "bread": 3})
    assert nearest("braed", words, ENGLISH) is None
    assert nearest("braed", Words({"brand": 2, "bread": 9}), ENGLISH) == "bread"


def test_forms_of_a_word_count_together() -> None:
    words = Words({"employee": 2, "employees": 3, "employers": 1})
    assert nearest("employeees", words, ENGLISH) == "employees"


def test_two_slips_are_corrected_in_long_words_alone() -> None:
    words = Words({"reimbursement": 1, "leave": 1, "travel": 1})
    assert nearest("reimbursmnet", words, ENGLISH) == "reimbursement"
    assert nearest("laeev", words, ENGLISH) is None
    assert nearest("trvaell", words, ENGLISH) is None


def test_a_language_without_letters_of_its_own_is_left_alone() -> None:
    assert pack(CHINESE).spelling == ""
    assert spelt("年假 vacaton 有几天？", language=CHINESE) == ("年假 vacaton 有几天？", ())
    assert not words_in("年假 vacation", CHINESE)


def test_a_question_in_two_scripts_is_corrected_in_its_own() -> None:
    assert spelt("What does 年假 mean for vacaton?")[0] == "What does 年假 mean for vacation?"
