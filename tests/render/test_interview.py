"""`caveat ask --interactive` as its user sees it: questions on standard error, answers on standard input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.core.answers import AllOf, Answer, AnyOf, Condition
from caveat.core.records import Question, Reply, from_json
from caveat.render.interview import interview

PAGE = """<h1>Bee permit</h1>
<p>You can get a bee permit if all of the following apply:</p>
<ul><li>you own a garden</li><li>you’re a member of a club</li></ul>
<p>You cannot get a bee permit if you’ve lost one before.</p>
"""


@pytest.fixture
def ask(caveat: Any, tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "bees.html").write_text(PAGE, encoding="utf-8")

    def run(*options: str, stdin: str) -> Any:
        return caveat("ask", "Can I get a bee permit?", "bees.html", "--interactive", *options, stdin=stdin)

    return run


def test_the_questions_are_asked_until_nothing_is_open(ask: Callable[..., Any]) -> None:
    done = ask("--json", stdin="y\nyes\nn\n")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("[y/n/?]") == 3
    reply = from_json(done.stdout, Reply)
    assert [answer.text for answer in reply.answers] == ["yes"]
    assert reply.open == ()


def test_one_no_decides(ask: Callable[..., Any]) -> None:
    done = ask(stdin="n\n")
    assert done.returncode == 0
    assert done.stdout.startswith("no  ")


def test_the_end_of_standard_input_ends_politely(ask: Callable[..., Any]) -> None:
    done = ask("--json", stdin="")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert len(from_json(done.stdout, Reply).open) == 3


def test_standard_input_is_for_one_thing(caveat: Any) -> None:
    done = caveat("ask", "Can I?", "-", "-i", stdin=PAGE)
    assert done.returncode == 2
    assert "standard input" in done.stderr


A, B, C = (Condition(name, question=f"Is {name} so?") for name in "abc")
REPLY = Reply(
    Question("Can I?"),
    (
        Answer("yes", "yes", 0.6, conditions=(A, B, C), requires=AllOf((0, AnyOf((1, 2))))),
        Answer("no", "no", 0.3, otherwise=True),
    ),
    0.1,
)


def answers(*lines: str | None) -> tuple[Callable[[str], str | None], list[str]]:
    prompts: list[str] = []
    coming = iter(lines)

    def answer_to(prompt: str) -> str | None:
        prompts.append(prompt)
        return next(coming, None)

    return answer_to, prompts


def test_what_is_not_known_stays_open_and_is_not_asked_again() -> None:
    answer_to, prompts = answers("?", "don't know", "y")
    left = interview(REPLY, answer_to)
    assert prompts == ["Is a so? [y/n/?] ", "Is b so? [y/n/?] ", "Is c so? [y/n/?] "]
    assert [each.text for each in left.open] == ["a"]


def test_other_words_are_asked_for_again() -> None:
    answer_to, prompts = answers("perhaps", "n")
    left = interview(REPLY, answer_to)
    assert prompts[1].startswith("Please answer y")
    assert [answer.text for answer in left.answers] == ["no"]


def test_an_interrupt_keeps_what_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __init__(self) -> None:
            self.lines = ["y\n"]

        def readline(self) -> str:
            if not self.lines:
                raise KeyboardInterrupt
            return self.lines.pop()

    monkeypatch.setattr("sys.stdin", Interrupted())
    assert [each.text for each in interview(REPLY).open] == ["b", "c"]


def test_in_chinese() -> None:
    mild = Condition("症状较轻", question="症状较轻吗？")
    reply = Reply(Question("怎么治疗？"), (Answer("涂药", "span", 0.9, conditions=(mild,)),), together=True)
    answer_to, prompts = answers("是")
    assert interview(reply, answer_to).answers[0].conditions == ()
    assert prompts == ["症状较轻吗？ [是/否/?] "]


def test_what_follows_from_an_answer_is_not_asked() -> None:
    conditions = tuple(
        Condition(f"you have worked {bound} 1 year", question=f"Have you worked {bound} 1 year?")
        for bound in ("under", "over")
    )
    answers = tuple(
        Answer(text, "span", 0.4, conditions=(condition,), requires=AllOf((0,)))
        for text, condition in zip(("two days", "ten days"), conditions, strict=True)
    )
    asked: list[str] = []

    def answer_to(prompt: str) -> str:
        asked.append(prompt)
        return "y"

    reply = interview(Reply(Question("How many days do I get?"), answers, together=True), answer_to)
    assert asked == ["Have you worked under 1 year? [y/n/?] "]
    assert [answer.text for answer in reply.answers] == ["two days"]
