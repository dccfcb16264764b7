"""What of a page names several things, in each of the ways in which pages do."""

from __future__ import annotations

from collections.abc import Callable

from caveat.answerers.documents.listings import listings
from caveat.answerers.documents.page import Page
from caveat.core.records import Document
from caveat.models.joint import TextReading
from caveat.sources.markdown import parse_markdown

MakeReading = Callable[..., TextReading]


def ways(make_reading: MakeReading, document: Document, **answers: float) -> dict[str, list[list[str]]]:
    """The listings of a page by the ways in which they are found."""
    marked = {words.replace("_", " "): probability for words, probability in answers.items()}
    reading = make_reading(document, kinds={"list": 0.9}, answers=marked)
    found: dict[str, list[list[str]]] = {}
    for listing, names in listings(Page.of(document), reading):
        for name in names:
            found.setdefault(name, []).append([document.text[start:end] for start, end in listing.items])
    return found


def test_the_items_of_a_list_and_what_they_begin_with(make_reading: MakeReading) -> None:
    page = parse_markdown(
        "# Buddies\n\nA good buddy is:\n\n- Patient: nobody learns it all at once\n- **Curious** – asks questions\n"
        "- Near: sits in the same room\n"
    )
    found = ways(make_reading, page)
    assert found["leads"] == [["Patient", "Curious", "Near"]]
    assert len(found["of the page"][0]) == 3


def test_items_without_what_explains_them_have_no_beginnings(make_reading: MakeReading) -> None:
    page = parse_markdown("Bring:\n\n- a towel\n- a lamp\n- a rope: at least ten metres\n")
    assert "leads" not in ways(make_reading, page)


def test_those_items_that_the_reader_marks(make_reading: MakeReading) -> None:
    page = parse_markdown("Open:\n\n- Monday\n- Tuesday\n- Sunday\n")
    assert ways(make_reading, page, Monday=0.9, Sunday=0.7)["chosen"] == [["Monday", "Sunday"]]
    assert "chosen" not in ways(make_reading, page, Monday=0.9, Tuesday=0.9, Sunday=0.7)
    assert "chosen" not in ways(make_reading, page, Monday=0.9)


def test_paragraphs_that_say_what_they_are_about(make_reading: MakeReading) -> None:
    page = parse_markdown("## Who\n\nCook: Mia Horn\n\nDriver: Jo Beck\n\nWe meet on Friday.\n")
    assert ways(make_reading, page)["leads"] == [["Cook", "Driver"]]


def test_the_first_column_of_a_table(make_reading: MakeReading) -> None:
    page = parse_markdown(
        "Tickets:\n\n| Kind | Price |\n|---|---|\n| Child | 4 |\n| Adult | 9 |\n| Group | 30 |\n"
    )
    assert ways(make_reading, page)["cells"] == [["Child", "Adult", "Group"]]
    assert ways(make_reading, page, Child=0.9, Group=0.9)["chosen cells"] == [["Child", "Group"]]


def test_headings_side_by_side(make_reading: MakeReading) -> None:
    page = parse_markdown(
        "# Club\n\n## Levels\n\nThree.\n\n### Gold\n\nAll.\n\n### Silver\n\nSome.\n\n## Fees\n\n4 €.\n"
    )
    assert sorted(ways(make_reading, page)["headings"]) == [["Gold", "Silver"], ["Levels", "Fees"]]


def test_an_enumeration_inside_a_sentence(make_reading: MakeReading) -> None:
    page = Document("We like rain. We sell apples, dried pears and a strong cider. Ask Mia.")
    found = ways(make_reading, page, apples=0.9, pears=0.6, cider=0.3)
    assert found["to the end"] == [["apples", "dried pears", "a strong cider"]]
    assert found["marked"] == [["apples", "pears"]]
    chinese = Document("手续有登记、拍照和领证三步。周末休息。")
    assert ways(make_reading, chinese, 手续有登记=0.9)["to the end"] == [["手续有登记", "拍照", "领证三步"]]


def test_each_mark_parts_alone(make_reading: MakeReading) -> None:
    page = parse_markdown("# Log\n\nThe log must contain: name, firm and purpose, and the time.\n")
    found = ways(make_reading, page, firm=0.9)
    assert ["name", "firm and purpose", "the time"] in found["behind a colon"]
    chinese = Document("少见的副作用：幻觉、梦游和失语症、谵妄等。周末休息。")
    assert ["幻觉", "梦游和失语症", "谵妄"] in ways(make_reading, chinese, 幻觉=0.9)["behind a colon"]
    arrows = Document("专业通道：初级→中级→高级。")
    assert ["初级", "中级", "高级"] in ways(make_reading, arrows, 初级=0.9)["behind a colon"]
    brackets = Document("评估现场环境（火灾、漏电、交通等）后呼救。")
    assert ["火灾", "漏电", "交通"] in ways(make_reading, brackets, 火灾=0.9)["in brackets"]


def test_what_stands_behind_the_word_that_opens_a_list(make_reading: MakeReading) -> None:
    page = Document("The budget can be used for courses, exams, or travel. Ask Mia.")
    assert ["courses", "exams", "travel"] in ways(make_reading, page, courses=0.9)["behind a marker"]


def test_paragraphs_that_are_numbered_or_under_a_colon(make_reading: MakeReading) -> None:
    page = parse_markdown(
        "# Leave\n\nFollow these.\n\nStep 1) Ask Jo.\n\nStep 2) Pack.\n\nStep 3) Go.\n\nBye now.\n"
    )
    assert ["Step 1) Ask Jo.", "Step 2) Pack.", "Step 3) Go."] in [
        [item.rstrip(".") + "." for item in each] for each in ways(make_reading, page)["paragraphs"]
    ]
    page = parse_markdown("# 药\n\n慎用情况：\n\n青光眼患者慎用\n\n哮喘患者慎用\n")
    assert ["青光眼患者慎用", "哮喘患者慎用"] in ways(make_reading, page)["paragraphs"]


def test_every_column_and_items_with_what_explains_them(make_reading: MakeReading) -> None:
    page = parse_markdown("| Kind | Price |\n|---|---|\n| Child | 4 euros |\n| Adult | 9 euros |\n")
    assert ways(make_reading, page)["column"] == [["4 euros", "9 euros"]]
    page = parse_markdown("Layers:\n\n- Europe (06:00 to 14:00)\n- Asia (22:00 to 06:00)\n")
    found = ways(make_reading, page)
    assert ["Europe (06:00 to 14:00)", "Asia (22:00 to 06:00)"] in found["whole items"]
    assert ["Europe", "Asia"] in found["of the page"]


def test_marked_words_are_whole(make_reading: MakeReading) -> None:
    page = parse_markdown("We run on 1.3.0 and Hamilton. Rain falls.\n")
    for runs in ways(make_reading, page, Ham=0.9, Rain=0.9).get("marked", []):
        assert "Ham" not in runs
