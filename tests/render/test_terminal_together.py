"""Answers that hold together, as a terminal shows them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from caveat.answerers.documents.structure import finder as structure
from caveat.cli import ask
from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Question, Reply, from_json
from caveat.render.terminal import reply_tree
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

PLANT = parse_plain_text(
    "平时放在散光处。如果缺肥，可以施有机肥，比如豆饼水、羊粪等，也可以喷药。君子兰喜欢半阴。光线强时遮阴。"
)


def place(document: Document, words: str, source: str, *headings: str) -> Place:
    start = document.text.index(words)
    return Place(source, start, start + len(words), headings)


def answer(words: str, score: float, *conditions: str, parts: tuple[Answer, ...] = ()) -> Answer:
    return Answer(
        words,
        "span",
        score,
        place(PLANT, words, "兰.txt", "君子兰"),
        tuple(Condition(each, place(PLANT, each, "兰.txt", "君子兰")) for each in conditions),
        (place(PLANT, words, "兰.txt", "君子兰"),),
        parts,
    )


def lines(reply: Reply, documents: Mapping[str, Document], *, width: int = 200) -> list[str]:
    console = Console(width=width, highlight=False, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(reply_tree(reply, documents, plain=True))
    return capture.get().splitlines()


def test_conditions_are_branches_and_sentences_stand_once_behind_them() -> None:
    answers = (
        answer("遮阴", 0.9, "光线强时"),
        answer("有机肥", 0.8, "如果缺肥", parts=(answer("羊粪", 0.7), answer("豆饼水", 0.6))),
        answer("喷药", 0.5, "如果缺肥"),
        answer("散光处", 0.4),
    )
    reply = Reply(Question("君子兰怎么养？"), answers, 0.05, together=True)
    assert lines(reply, {"兰.txt": PLANT}) == [
        "4 个答案同时成立  确定，90%",
        "├── 散光处  40%",
        "├── 条件：如果缺肥",
        "│   ├── 有机肥  80%",
        "│   │   ├── 豆饼水  60%",
        "│   │   └── 羊粪  70%",
        "│   └── 喷药  50%",
        "├── 条件：光线强时",
        "│   └── 遮阴  90%",
        "├── 平时放在«散光处»。",
        "├── 如果缺肥，可以施«有机肥»，比如«豆饼水»、«羊粪»等，也可以«喷药»。",
        "├── 光线强时«遮阴»。",
        "└── 兰.txt › 君子兰",
    ]


def test_several_conditions_and_one_of_a_part() -> None:
    part = Answer("oil", "span", 0.3, conditions=(Condition("dry"),))
    answers = (
        Answer("cream", "span", 0.5, conditions=(Condition("red"), Condition("small")), parts=(part,)),
        Answer("wash", "span", 0.4, Place("a.txt", 3, 4)),
        Answer("rinse", "span", 0.003),
    )
    # Even what is hardly probable is part of the whole; without the document there are no sentences.
    assert lines(Reply(Question("What helps?"), answers, together=True), {}) == [
        "3 answers that hold side by side  likely, 50%",
        "├── rinse  <1%",
        "├── wash  40%",
        "├── if red and small",
        "│   └── cream  50%",
        "│       └── if dry",
        "│           └── oil  30%",
        "└── a.txt",
    ]


LIST = parse_markdown(
    "# Ferry\n\nIt is old. You have to bring:\n\n- your passport\n- a ticket, on paper\n- [soap](s)\n"
)


def test_an_item_that_is_nothing_but_the_answer_is_not_said_twice() -> None:
    answers = tuple(
        Answer(words, "span", 0.5, place(LIST, words, "ferry.md", "Ferry"))
        for words in ("soap", "a ticket", "your passport")
    )
    assert lines(Reply(Question("What to bring?"), answers, together=True), {"ferry.md": LIST}) == [
        "your passport; a ticket; soap  likely, 50%",
        "├── You have to bring:",
        "├── «a ticket», on paper",
        "└── ferry.md › Ferry",
    ]


def test_evidence_elsewhere() -> None:
    document = parse_plain_text("Wash it. You may wait.\n\nBetter wash it soon.")
    wash = Answer(
        "wash",
        "span",
        0.5,
        place(document, "wash", "a.txt"),
        evidence=(
            place(document, "Better wash it soon.", "a.txt"),
            place(document, "You may wait.", "a.txt"),
        ),
    )
    yes = Answer("yes", "yes", 0.4, evidence=(place(document, "You may wait.", "a.txt"),))
    reply = Reply(Question("What?"), (wash, yes), 0.4, together=True)
    assert lines(reply, {"a.txt": document, "b.txt": document}) == [
        "wash; yes  likely, 50%",
        "├── You may wait.",
        "├── Better «wash» it soon.",
        "└── a.txt",
    ]


def test_overlapping_answers_and_a_long_sentence() -> None:
    document = Document("dark red wine " + "and so on " * 100 + "blue sky " + "and so on " * 100)
    answers = tuple(
        Answer(words, "span", 0.5, place(document, words, "a.txt"))
        for words in ("dark red", "red wine", "blue sky")
    )
    shown = lines(Reply(Question("What?"), answers, together=True), {"a.txt": document}, width=10_000)[1]
    assert shown.startswith("├── «dark red wine» and so on")
    assert shown.count("…") == 2
    assert "so on «blue sky» and so" in shown
    assert len(shown) < 1000


@pytest.fixture
def run(reader_folder: Path, tagger_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("颜.txt").write_text("的红蓝，是。大小。\n", encoding="utf-8")
    app = typer.Typer()
    app.command()(ask.command)
    models = ("--model", str(reader_folder), "--model", str(tagger_folder))
    # A reader made by hand is sure of everything.
    monkeypatch.setattr(structure, "MOST_ANSWERABLE", 1.0)
    return lambda *more: CliRunner().invoke(app, ["的", "颜.txt", *models, *more])


def test_as_typed(run: Any) -> None:
    shown = run("--top", "1").stdout.splitlines()
    assert shown[0].startswith("红蓝；大小  ")
    assert shown[-1] == "└── 颜.txt"
    assert shown[-2] == "├── 的«红蓝»，是。"
    assert run("--top", "1", "--flat").stdout.splitlines()[1:3] == ["├── 的«红»蓝，是。", "└── 颜.txt"]
    reply = from_json(run("--json").stdout, Reply)
    assert reply.together
    assert {answer.text for answer in reply.answers} <= {"红蓝", "大小"}
    assert not from_json(run("--json", "--flat").stdout, Reply).together
