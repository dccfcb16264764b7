"""Of cases side by side the asker's own, on short rules in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.cases import Cases, case_at, in_cases
from caveat.core.records import Document, Question
from caveat.models.decoding import Candidate
from caveat.models.probability import Choice
from caveat.sources.markdown import parse_markdown

HONEY = parse_markdown(
    "# Keeper's share\n\nHow much honey you get depends on how long you have kept bees with us:\n\n"
    "* Fewer than 2 years: 5 jars a month\n* Between 2 and 10 years: 8 jars a month\n* 10+ years: 12 jars a month\n\n"
    "A guest gets 3 jars.\n"
)
PAGER = parse_markdown(
    "# Watch duty\n\nYou carry the pager for 1 night if you have been a keeper for less than 3 years; "
    "you carry it for 4 nights if you have been a keeper for 3 years or more.\n"
)
SHIPS = Document(
    "第三条 船员在本船工作满1年不满5年的，每年领取茶叶2斤；满5年不满20年的，每年领取茶叶4斤；"
    "满20年的，每年领取茶叶7斤。\n"
    "客人每人领取茶叶1斤。"
)
GRADES = Document("赔偿标准为：五级损坏为9袋大米，六级损坏为7袋大米，七级损坏为5袋大米。")


def cases(question: str, scenario: str, document: Document, *found: str) -> Cases:
    """The cases where a reader found these spans, the first of them surest."""
    choices = []
    for number, text in enumerate(found):
        start = document.text.index(text)
        choices.append(Choice(0.0, ((0, Candidate(text, start, start + len(text), 5.0 - number)),)))
    return in_cases(Question(question, scenario), [document], choices)


def first(question: str, scenario: str, document: Document, *found: str) -> str:
    """The asker's own case comes first, that of others last."""
    return cases(question, scenario, document, *found).choices[0].text


@pytest.mark.parametrize(
    ("scenario", "answer"),
    [
        ("I have kept bees for 18 months.", "5 jars"),
        ("I have kept bees for six years.", "8 jars"),
        ("I have kept bees for 25 years.", "12 jars"),
        # Nothing that is measured, or something else.
        ("I like bees.", "3 jars"),
        ("I have 6 hives.", "3 jars"),
        ("My dog weighs 6 kg.", "3 jars"),
    ],
)
def test_an_item_of_a_list(scenario: str, answer: str) -> None:
    found = "3 jars", "12 jars", "8 jars", "5 jars"
    assert first("How many jars of honey do I get a month?", scenario, HONEY, *found) == answer


@pytest.mark.parametrize(
    ("scenario", "answer"),
    [
        ("我在船上工作了三年。", "2斤"),
        ("我在船上工作了十二年。", "4斤"),
        ("我在船上工作了三十年。", "7斤"),
        ("", "7斤"),
    ],
)
def test_a_clause_of_a_sentence(scenario: str, answer: str) -> None:
    assert first("我每年可以领多少茶叶？", scenario, SHIPS, "7斤", "2斤", "4斤") == answer


def test_what_the_reader_has_not_found_is_taken_from_the_parallel_clause() -> None:
    assert first("我每年可以领多少茶叶？", "我在船上工作了十二年。", SHIPS, "7斤") == "4斤"
    assert (
        first("How many jars of honey do I get a month?", "I have kept bees for six years.", HONEY, "12 jars")
        == "8"
    )


def test_the_band_may_stand_behind() -> None:
    question = "How many nights do I carry the pager?"
    assert first(question, "I have been a keeper for one year.", PAGER, "4 nights", "1 night") == "1 night"
    assert first(question, "I have been a keeper for 9 years.", PAGER, "1 night", "4 nights") == "4 nights"


def test_grades_between_commas() -> None:
    found = "9袋", "7袋", "5袋"
    assert first("赔偿多少袋大米？", "我的船被定为六级损坏。", GRADES, *found) == "7袋"
    # No case is that of a grade that the text does not have: all that it says is of others.
    other = cases("赔偿多少袋大米？", "我的船被定为三级损坏。", GRADES, *found)
    assert (other.inside, other.own) == ((), ())
    assert [choice.text for choice in other.beside] == list(found)
    assert all(other.features(choice) == {"span: case of others": 1.0} for choice in other.choices)


def test_which_choices_are_in_the_own_case() -> None:
    found = "12 jars", "3 jars", "8 jars", "5 jars"
    question = "How many jars of honey do I get a month?"
    told = cases(question, "I have kept bees for six years.", HONEY, *found)
    features = {choice.text: told.features(choice) for choice in told.choices}
    assert features == {
        "8 jars": {"span: own case": 1.0},
        "3 jars": {},
        "12 jars": {"span: case of others": 1.0},
        "5 jars": {"span: case of others": 1.0},
    }
    ((number, own),) = told.own
    assert HONEY.text[own.start : own.end] == "Between 2 and 10 years: 8 jars a month"
    assert case_at(told.own, number, HONEY.text.index("8 jars")) == own
    assert case_at(told.own, number, HONEY.text.index("12 jars")) is None
    assert case_at(told.own, number + 1, HONEY.text.index("8 jars")) is None
    untold = cases(question, "", HONEY, *found)
    assert [choice.text for choice in untold.choices] == list(found)
    assert not any(map(untold.features, untold.choices))


def test_of_two_measures_the_one_that_is_spoken_of() -> None:
    scenario = "我在船上工作了十二年，去年休息了三年。"
    assert first("我每年可以领多少茶叶？", scenario, SHIPS, "7斤", "2斤", "4斤") == "4斤"


@given(st.integers(1, 60))
def test_exactly_the_case_whose_band_has_the_number(years: int) -> None:
    expected = "5 jars" if years < 2 else "8 jars" if years < 10 else "12 jars"
    scenario = f"I have kept bees for {years} years."
    assert (
        first("How many jars of honey do I get?", scenario, HONEY, "5 jars", "8 jars", "12 jars") == expected
    )


def test_sentences_with_numbers_in_a_row_are_no_cases() -> None:
    page = Document("Send in the form within 30 days with 2 photos. Permits last 5 years at £9 each.")
    found = cases("How much is a permit?", "I sent in my form 40 days ago.", page, "£9", "2 photos")
    assert [choice.text for choice in found.choices] == ["£9", "2 photos"]
    assert found.own == ()


def test_a_case_that_the_askers_words_tell() -> None:
    stalls = parse_markdown("# Stalls\n\nA stall costs:\n\n* 40 euros for bakers\n* 25 euros for florists\n")
    question = "How much is a stall?"
    assert first(question, "My sister and I are florists.", stalls, "40 euros", "25 euros") == "25 euros"
    assert first(question, "My sister and I sing.", stalls, "40 euros", "25 euros") == "40 euros"
    fines = Document("损坏木桌的，赔偿30元；损坏石凳的，赔偿80元；损坏路灯的，赔偿200元。")
    assert first("要赔偿多少钱？", "我把一个石凳弄坏了。", fines, "200元", "30元") == "80元"
