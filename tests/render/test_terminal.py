from __future__ import annotations

from collections.abc import Mapping

import pytest
from rich.console import Console

from caveat.core.answers import Answer, Condition, Place
from caveat.core.records import Document, Hit, Question, Reply
from caveat.render.quotes import clean
from caveat.render.terminal import print_reply, reply_tree, shortened
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


def lines(reply: Reply, documents: Mapping[str, Document], most: int = 5, width: int = 200) -> list[str]:
    console = Console(width=width, highlight=False, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(reply_tree(reply, documents, plain=True, most=most, width=width))
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
    first = ["£100  likely, 62%", "├── You can be fined «£100» on the spot.", "└── dogs.html › Dog fouling"]
    assert lines(reply, {"dogs.html": PAGE}, most=1) == first
    assert lines(reply, {"dogs.html": PAGE}) == [
        *first,
        "£1,000  a guess, 30%",
        "├── The fine is up to «£1,000».",
        "└── dogs.html › Dog fouling › In court",
    ]


def test_not_answered() -> None:
    question = Question("Who is the king?")
    reply = Reply(question, (), 0.97)
    assert lines(reply, {"-": PAGE}) == ["Not found in this source  sure, 97%"]
    guess = Answer("£100", "span", 0.1, place(PAGE, "£100", "-"))
    reply = Reply(question, (guess,), 0.9)
    assert lines(reply, {"-": PAGE, "a.txt": PAGE}, most=1) == ["Not found in these sources  sure, 90%"]
    assert lines(reply, {"-": PAGE, "a.txt": PAGE}) == [
        "Not found in these sources  sure, 90%",
        "£100  not sure, 10%",
        "├── You can be fined «£100» on the spot.",
        "└── standard input",
    ]


def test_passages_where_nothing_is_sure() -> None:
    start = PAGE.text.index("The fine is")
    hit = Hit(
        PAGE.text[start:],
        "dogs.html",
        0.5,
        start,
        len(PAGE.text),
        ("Dog fouling", "In court"),
        None,
        ((4, 8),),
    )
    answer = Answer("£100", "span", 0.2, place(PAGE, "£100", "dogs.html"))
    reply = Reply(Question("Is there a fine in court?"), (answer,), 0.1, passages=(hit,))
    assert lines(reply, {"dogs.html": PAGE}, most=1) == [
        "Not sure  20%",
        "These passages may help:",
        "The «fine» is up to £1,000.",
        "└── dogs.html › Dog fouling › In court",
    ]


def test_how_to_see_more(capsys: pytest.CaptureFixture[str]) -> None:
    answers = (Answer("£100", "span", 0.6), Answer("£1,000", "span", 0.2), Answer("£5", "span", 0.1))
    print_reply(Reply(Question("How much?"), answers), {}, more="--top {}")
    assert capsys.readouterr().out.splitlines() == ["£100  likely, 60%", "2 further possibilities: --top 3"]


def test_a_narrow_terminal_shortens_names_in_the_middle() -> None:
    name = "handbook/departments/building-and-planning/fees-of-the-year-2026.html"
    reply = Reply(Question("How much?"), (Answer("£100", "span", 0.6, Place(name)),))
    assert lines(reply, {}, width=60)[1] == "└── handbook/…fees-of-the-year-2026.html".replace(
        "handbook/…fees-of-the-year-2026.html", shortened(name, 30)
    )
    assert shortened("a-long-name.html", 10) == "a-l…e.html"
    assert shortened("short.html", 10) == "short.html"


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
        "yes, if you are over 18 and you live in the UK  sure, 80%",
        "├── Clean up.",
        "├── a.html › Dog fouling",
        "├── if all of",
        "│   ├── ☐ you are over 18  (Payment › Who)",
        "│   └── ☐ you live in the UK",
        "└── at the spot  likely, 50%",
        "    └── today  not sure, 25%",
    ]


def test_chinese() -> None:
    document = parse_plain_text("办理流程\n\n申请人应在三月一日以前提出。费用为五十元，学生免费。")
    answer = Answer("五十元", "span", 0.9, place(document, "五十元", "指南.txt", "办理流程"))
    assert lines(Reply(Question("费用是多少？"), (answer,)), {"指南.txt": document}) == [
        "五十元  确定，90%",
        "├── 费用为«五十元»，学生免费。",
        "└── 指南.txt › 办理流程",
    ]


def test_a_long_sentence_is_cut_around_the_answer() -> None:
    document = Document("a " * 900 + "HERE" + " b" * 900)
    answer = Answer("HERE", "span", 0.5, place(document, "HERE", "a.txt"))
    sentence = lines(Reply(Question("Where?"), (answer,)), {"a.txt": document})[1:-1]
    shown = " ".join(line.strip("│ ├─") for line in sentence)
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "a «HERE» b" in shown
    assert len(shown) < 500


def test_nothing_in_a_text_commands_the_terminal() -> None:
    document = Document("A \x1b[31mred\x1b[0m [bold]dog\x07.")
    reply = Reply(Question("[red]?"), (Answer("dog", "span", 0.5, place(document, "dog", "a\x1b.txt")),))
    assert lines(reply, {"a\x1b.txt": document}) == [
        "dog  likely, 50%",
        "├── A [31mred [0m [bold]«dog» .",
        "└── a .txt",
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
    assert lines(reply, {}) == ["£100  sure, 90%", "2 more below 1%"]


def test_nothing_in_a_text_turns_the_terminal_around() -> None:
    assert clean("five \u202eevif\u202c \x1b[31m euros") == "five evif [31m euros"
