from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.records import Document
from caveat.sources.plain_text import indent_of, numbered_at, parse_plain_text


def shown(document: Document) -> list[tuple[str, str]]:
    return [(element.tag, element.text) for element in document.elements]


def test_blank_lines_part_paragraphs() -> None:
    text = "  Fees\r\n\r\nIt costs £5.\r\n \t\r\n\r\nUnder 18s pay nothing.  "
    document = parse_plain_text(text)
    assert document.text == text
    assert shown(document) == [("p", "Fees"), ("p", "It costs £5."), ("p", "Under 18s pay nothing.")]


def test_full_lines_are_one_paragraph() -> None:
    text = (
        "The council may fine the owner of a dog that fouls a path,\n"
        "a park or a playground, unless the owner cleans it up at\n"
        "once.\n"
    )
    assert shown(parse_plain_text(text)) == [("p", text.strip())]


def test_lines_that_had_room_for_more_are_paragraphs() -> None:
    text = (
        "Opening hours\n"
        "The office is open from nine to five on every day of the week but Sunday.\n"
        "Closed today.\n"
        "Call us."
    )
    assert [text for _, text in shown(parse_plain_text(text))] == text.split("\n")


def test_chinese_lines() -> None:
    wrapped = (
        "申请人应当在每年三月一日以前向所在地的主管部门提\n出书面申请，逾期不予受理；情况特殊的，可以顺延。"
    )
    assert shown(parse_plain_text(wrapped)) == [("p", wrapped)]
    apart = "第一条\n申请人应当在每年三月一日以前向所在地的主管部门提出书面申请。\n第二条"
    assert [text for _, text in shown(parse_plain_text(apart))] == apart.split("\n")


def test_list_items_begin_behind_their_marker() -> None:
    text = "You must be:\n- over 18\n  and well\n* in the UK\n1. ready\n（一）成年人\n2、在英国\n● 其他"
    assert shown(parse_plain_text(text)) == [
        ("p", "You must be:"),
        ("li", "over 18\n  and well"),
        ("li", "in the UK"),
        ("li", "ready"),
        ("li", "成年人"),
        ("li", "在英国"),
        ("li", "其他"),
    ]


def test_figures_and_dashes_are_no_markers() -> None:
    for line in ("1.5 million people", "-5 degrees", "2019. A year", "*note", "(see below) it is"):
        assert shown(parse_plain_text(line)) == [("p", line)]


@given(st.text(alphabet=st.sampled_from("a1-. \t\r\n中、：（）•") | st.characters()))
def test_elements_are_slices_in_order_and_hold_all_but_markers(text: str) -> None:
    document = parse_plain_text(text)
    assert document.text == text
    at = 0
    for element in document.elements:
        assert at <= element.start < element.end <= len(text)
        assert element.text == text[element.start : element.end] == element.text.strip()
        at = element.end
    assert bool(document.elements) == bool(text.strip())


def test_time_grows_with_the_text(growth: Callable[..., float]) -> None:
    def text(lines: int) -> str:
        return "- an item of a list, and another word\n" * lines + "x" * (40 * lines)

    # Ten times the text; quadratic would be a hundred times the time.
    assert growth(parse_plain_text, text(500), text(5_000)) < 30


RULES = (
    "第一条 本办法适用于图书馆。\n第二条 读者有下列情形之一的，不予办证：\n（一）未满六岁的；\n（二）有欠款的：\n"
    "1．欠书款；\n2．欠罚款。\n（三）其他情形。\n第三条 依照第二条的规定办理。\n"
)


def test_articles_and_numbered_items_are_elements() -> None:
    elements = parse_plain_text(RULES).elements
    assert [(element.tag, element.text) for element in elements] == [
        ("p", "第一条 本办法适用于图书馆。"),
        ("p", "第二条 读者有下列情形之一的，不予办证："),
        ("li", "未满六岁的；"),
        ("li", "有欠款的："),
        ("li", "欠书款；"),
        ("li", "欠罚款。"),
        ("li", "其他情形。"),
        ("p", "第三条 依照第二条的规定办理。"),
    ]


def test_an_article_begins_a_paragraph_where_lines_are_full() -> None:
    first = "第一条 " + "读者凭证进馆借阅图书并应当爱护书籍和设备" * 2
    second = "第二条 " + "图书馆每日开放时间由管理人员另行公布执行" * 2
    assert [each.text for each in parse_plain_text(f"{first}\n{second}\n").elements] == [first, second]


@pytest.mark.parametrize(
    ("line", "numbered"),
    [
        ("（一）甲", ("(一", 1)),
        ("(12) 甲", ("(1", 12)),
        ("3、甲", ("1", 3)),
        ("十二、甲", ("一", 12)),
        ("二十、甲", ("一", 20)),
        ("②甲", ("①", 2)),
        ("- 甲", None),
        ("甲", None),
    ],
)
def test_the_number_of_an_item(line: str, numbered: tuple[str, int] | None) -> None:
    assert numbered_at(f"前言\n{line}", 3 + line.index("甲")) == numbered


def test_far_into_a_line_there_is_no_indentation() -> None:
    text = "  " + "x" * 5000
    assert indent_of(text, 2) == 2
    assert indent_of(text, 900) == 2
    assert indent_of(text, 4000) == 0
    assert numbered_at("1. " + " " * 5000, 5003) is None
    assert numbered_at("a\n12. b", 6) == ("1", 12)
