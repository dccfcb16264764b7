from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.sources.pdf import blocks_of_pages


def test_chinese_lines_are_joined_without_blanks() -> None:
    page = (
        "申请条件\r\n"
        "申请人应当在每年三月一日以前向所在地的主管部门提\r\n"
        "出书面申请，逾期不予受理。\r\n"
        "一、年满十八周岁"
    )
    assert [(block.tag, block.text) for block in blocks_of_pages([page])] == [
        ("p", "申请条件"),
        ("p", "申请人应当在每年三月一日以前向所在地的主管部门提出书面申请，逾期不予受理。"),
        ("li", "年满十八周岁"),
    ]


def test_soft_hyphens_and_control_characters_go() -> None:
    assert [block.text for block in blocks_of_pages(["a bene\u00ad\r\nfit\x07"])] == ["a benefit"]


def test_a_broken_word_keeps_its_hyphen_unless_it_stands_whole_elsewhere() -> None:
    pages = ["a tax\ufffefree bene\ufffefit, 20\ufffe30 A\ufffe", "Benefit"]
    assert [block.text for block in blocks_of_pages(pages)] == ["a tax-free benefit, 20-30 A-", "Benefit"]


@given(st.lists(st.text(alphabet=st.sampled_from("ab \r\n\ufffe\x02中-•1.:") | st.characters())))
def test_any_text(pages: list[str]) -> None:
    for block in blocks_of_pages(pages):
        assert block.text == block.text.strip() != ""
        assert block.tag in ("p", "li")
        assert "\n" not in block.text
