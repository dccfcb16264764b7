from __future__ import annotations

from collections.abc import Mapping

import pytest
from rich.console import Console

from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Question, Reply
from caveat.render.quotes import clean
from caveat.render.terminal import print_reply, reply_tree
from caveat.render.words import percent
from caveat.sources.html import parse_html
from caveat.sources.plain_text import parse_plain_text

PAGE = parse_html(
    "<h1>Dog fouling</h1><p>Clean up. You can be fined £100 on the spot. It can be more.</p>"
    "<h2>In court</h2><p>The fine is up to £1,000.</p>"
)


def place(document: Document, span: str, source: str, *headings: str) -> Place:
    start = document.text.index(span)
    return Place(source, start, start + len(span), headings)


def lines(reply: Reply, documents: Mapping[str, Document]) -> list[str]:
    console = Console(width=200, highlight=False, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(reply_tree(reply, documents, plain=True))
    return capture.get().splitlines()


def test_answers_in_their_sentences() -> None:
    reply = Reply(
        Question("How much can I be fined?"),
        (
            Answer(
                "£100",
                "span",
                0.62,
                place(PAGE, "£100", "dogs.html", "Dog fouling"),
                evidence=(
                    place(PAGE, "You can be fined £100 on the spot.", "dogs.html", "Dog fouling"),
                    place(PAGE, "It can be more.", "dogs.html", "Dog fouling"),
                ),
            ),
            Answer("£1,000", "span", 0.3, place(PAGE, "£1,000", "dogs.html", "Dog fouling", "In court")),
        ),
        0.08,
    )
    assert lines(reply, {"dogs.html": PAGE}) == [
        "How much can I be fined?",
        "├── £100  62%",
        "│   ├── You can be fined «£100» on the spot.",
        "│   ├── dogs.html › Dog fouling",
        "│   ├── It can be more.",
        "│   └── dogs.html › Dog fouling",
        "└── £1,000  30%",
        "    ├── The fine is up to «£1,000».",
        "    └── dogs.html › Dog fouling › In court",
    ]


def test_not_answered() -> None:
    question = Question("Who is the king?")
    assert lines(Reply(question, (), 0.97), {"-": PAGE}) == [
        "Who is the king?",
        "└── not answered by this text  97%",
    ]
    guess = Answer("£100", "span", 0.1, place(PAGE, "£100", "-"))
    assert lines(Reply(question, (guess,), 0.9), {"-": PAGE, "a.txt": PAGE}) == [
        "Who is the king?",
        "├── not answered by these texts  90%",
        "└── £100  10%",
        "    ├── You can be fined «£100» on the spot.",
        "    └── standard input",
    ]


def test_conditions_and_parts() -> None:
    answer = Answer(
        "yes",
        "yes",
        0.8,
        conditions=(
            Condition("you are over 18", Place("a.html", 0, 1, ("Payment", "Who"))),
            Condition("you live\nin the UK"),
        ),
        evidence=(place(PAGE, "Clean up.", "a.html", "Dog fouling"),),
        parts=(Answer("at the spot", "span", 0.5, parts=(Answer("today", "span", 0.25),)),),
    )
    assert lines(Reply(Question("Can I get it?"), (answer,)), {"a.html": PAGE}) == [
        "Can I get it?",
        "└── yes  80%",
        "    ├── Clean up.",
        "    ├── a.html › Dog fouling",
        "    ├── if all of",
        "    │   ├── ☐ you are over 18  (Payment › Who)",
        "    │   └── ☐ you live in the UK",
        "    └── at the spot  50%",
        "        └── today  25%",
    ]


def test_chinese() -> None:
    document = parse_plain_text("办理流程\n\n申请人应在三月一日以前提出。费用为五十元，学生免费。")
    answer = Answer("五十元", "span", 0.9, place(document, "五十元", "指南.txt", "办理流程"))
    assert lines(Reply(Question("费用是多少？"), (answer,)), {"指南.txt": document}) == [
        "费用是多少？",
        "└── 五十元  90%",
        "    ├── 费用为«五十元»，学生免费。",
        "    └── 指南.txt › 办理流程",
    ]


def test_a_long_sentence_is_cut_around_the_answer() -> None:
    document = Document("a " * 900 + "HERE" + " b" * 900)
    answer = Answer("HERE", "span", 0.5, place(document, "HERE", "a.txt"))
    sentence = lines(Reply(Question("Where?"), (answer,)), {"a.txt": document})[2:-1]
    shown = " ".join(line.strip("│ ├─") for line in sentence)
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "a «HERE» b" in shown
    assert len(shown) < 500


def test_nothing_in_a_text_commands_the_terminal() -> None:
    document = Document("A \x1b[31mred\x1b[0m [bold]dog\x07.")
    reply = Reply(Question("[red]?"), (Answer("dog", "span", 0.5, place(document, "dog", "a\x1b.txt")),))
    assert lines(reply, {"a\x1b.txt": document}) == [
        "[red]?",
        "└── dog  50%",
        "    ├── A [31mred [0m [bold]«dog» .",
        "    └── a .txt",
    ]


def test_a_terminal_highlights(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    reply = Reply(Question("How much?"), (Answer("£100", "span", 0.5, place(PAGE, "£100", "a.html")),))
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_reply(reply, {"a.html": PAGE})
    assert "fined \x1b[1;7m£100\x1b[0m on" in capsys.readouterr().out
    monkeypatch.delenv("FORCE_COLOR")
    print_reply(reply, {"a.html": PAGE})
    out = capsys.readouterr().out
    assert "fined «£100» on" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (0.0, "0%"),
        (0.009, "<1%"),
        (0.01, "1%"),
        (0.424, "42%"),
        (0.99, "99%"),
        (0.991, ">99%"),
        (1.0, "100%"),
    ],
)
def test_percent(score: float, shown: str) -> None:
    assert percent(score) == shown


def test_what_is_hardly_probable_is_counted_and_not_shown() -> None:
    answers = (
        Answer("£100", "span", 0.9),
        Answer("£1,000", "span", 0.009),
        Answer("In court", "span", 0.001),
    )
    reply = Reply(Question("How much can I be fined?"), answers, 0.05)
    assert lines(reply, {}) == ["How much can I be fined?", "├── £100  90%", "└── 2 more below 1%"]


def test_nothing_in_a_text_turns_the_terminal_around() -> None:
    assert clean("five \u202eevif\u202c \x1b[31m euros") == "five evif [31m euros"
