"""The words of each language: complete, and the same in the terminal and on the page."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from caveat import render
from caveat.core.answers import Answer, Cells, Place
from caveat.core.records import Question, Remark, Reply
from caveat.render.page import reply_page
from caveat.render.terminal import reply_tree
from caveat.render.words import Words, words_of

EN, ZH = words_of("en"), words_of("zh")


def said(reply: Reply, others: tuple[str, ...] = ()) -> list[str]:
    console = Console(width=80)
    with console.capture() as captured:
        console.print(reply_tree(reply, {}, others, plain=True))
    return [line.rstrip() for line in captured.get().splitlines()]


def gaps(value: object) -> object:
    """How many gaps each text has."""
    if isinstance(value, str):
        return value.count("{}")
    return [gaps(each) for each in value] if isinstance(value, list | tuple) else None


def conversation_gaps(words: Words) -> dict[str, object]:
    return {name: gaps(value) for name, value in msgspec.structs.asdict(words.conversation).items()}


def test_the_same_is_filled_in_in_every_language() -> None:
    one, other = msgspec.structs.asdict(EN), msgspec.structs.asdict(ZH)
    assert {name: gaps(value) for name, value in one.items()} == {
        name: gaps(value) for name, value in other.items()
    }
    assert conversation_gaps(EN) == conversation_gaps(ZH)
    assert one["kinds"].keys() == other["kinds"].keys()
    assert one["verdicts"].keys() == other["verdicts"].keys()
    for english, chinese in ZH.reasons.items():
        assert gaps(english) == gaps(chinese)


def test_a_chinese_reply_has_no_english_label() -> None:
    reply = Reply(
        Question("可以带狗吗？"),
        (
            Answer("yes", "yes", 0.3, Place("-", headings=("须知",))),
            Answer("no", "no", 0.2, otherwise=True),
            Answer(
                "表", "table", 0.1, Place("a.csv"), cells=Cells("table", (0,), (0, 1), ("名",), (("甲",),))
            ),
            Answer("少见", "span", 0.001),
        ),
        0.4,
    )
    assert said(reply, ("a.csv", "-")) == [
        "这些来源中没有找到  猜测，40%",
        "是  猜测，30%",
        "└── 标准输入 › 须知",
        "否则：否  不确定，20%",
        "表  不确定，10%",
        "├── 整张表",
        "└── a.csv",
        "另有 1 个低于 1%",
    ]
    page = reply_page(reply, {})
    assert "否则：否" in page
    assert "otherwise" not in page


def test_the_words_of_an_answer_that_only_look_like_a_verdict_stay() -> None:
    assert ZH.answer("no", None) == "no"
    assert ZH.answer("no", "no") == "否"
    assert EN.answer("no", "no") == "no"


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("is of a kind that is not read (.xyz)", "不支持这类文件（.xyz）"),
        ("is empty", "文件是空的"),
        ("cannot be opened: permission denied", "无法打开：没有权限"),
        (
            "is empty; 3 rows have more or fewer cells than there are columns",
            "文件是空的；有 3 行的单元格数与列数不符",
        ),
        ("is said nowhere else", "is said nowhere else"),
    ],
)
def test_why_a_file_was_not_read(english: str, chinese: str) -> None:
    remark = Remark("甲.txt", english)
    assert EN.of_unread([remark], EN.unread_more) == [f"not read: 甲.txt: {english}."]
    assert ZH.of_unread([remark], ZH.unread_more) == [f"未读取：甲.txt：{chinese}。"]
    assert ZH.of_remark(remark) == f"甲.txt：{chinese}。"


def test_of_many_files_the_first_are_named() -> None:
    said = EN.of_unread([Remark(f"{number}.txt", "is empty") for number in range(12)], EN.unread_more)
    assert said[0] == "not read: 0.txt: is empty."
    assert said[10:] == ["not read: 2 more files; --json lists all of them."]


def test_what_is_translated_is_said_somewhere() -> None:
    package = Path(render.__file__).parents[1]
    rooms = ("core", "sources", "answerers")
    code = "".join(path.read_text("utf-8") for room in rooms for path in (package / room).rglob("*.py"))
    stale = [each for each in ZH.reasons if each.split("{}")[0].strip()[:16] not in code]
    assert stale == []
