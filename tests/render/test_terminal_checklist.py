from __future__ import annotations

from rich.console import Console
from rich.tree import Tree

from caveat.core.answers import AllOf, Answer, AnyOf, Condition, Place, Requirement
from caveat.core.languages import Language
from caveat.core.records import Question, Reply
from caveat.render.answer_tree import answer_tree
from caveat.render.terminal import add_checklist, conditions_in_words
from caveat.render.tree import Branch
from caveat.render.words import words_of

RENTS = Condition("you rent", question="Do you rent?")
OLD = Condition("you’re over 60", question="Are you over 60?")
HAD = Condition("you’ve had one", question="Have you had one?", wanted=False)


def branch_of(answer: Answer) -> Branch:
    (branch,) = answer_tree(Reply(Question("Can I?"), (answer,)), {}).branches
    return branch


def lines(requires: Requirement | None, *conditions: Condition, language: Language = "en") -> list[str]:
    tree = Tree("yes")
    answer = Answer("yes", "yes", 0.5, conditions=conditions, requires=requires)
    add_checklist(tree, branch_of(answer), words_of(language))
    console = Console(width=80)
    with console.capture() as captured:
        console.print(tree)
    return [line.rstrip() for line in captured.get().splitlines()[1:]]


def test_all_of_and_unless() -> None:
    assert lines(None, RENTS, OLD, HAD) == [
        "├── if all of",
        "│   ├── ☐ Do you rent?",
        "│   └── ☐ Are you over 60?",
        "└── unless",
        "    └── ☐ Have you had one?",
    ]


def test_any_of() -> None:
    assert lines(AnyOf((0, 1)), RENTS, HAD) == [
        "└── if any of",
        "    ├── ☐ Do you rent?",
        "    └── ☐ Have you had one?  no",
    ]


def test_nested() -> None:
    assert lines(AllOf((0, AnyOf((1, 2)))), RENTS, OLD, HAD) == [
        "└── if all of",
        "    ├── ☐ Do you rent?",
        "    └── any of",
        "        ├── ☐ Are you over 60?",
        "        └── ☐ Have you had one?  no",
    ]


def test_one_condition_under_other_headings() -> None:
    away = Condition("you rent", Place("a.html", 0, 8, ("Homes", "Tenants")), "Do you rent?")
    assert lines(None, away) == ["└── if", "    └── ☐ Do you rent?  (Homes › Tenants)"]


def test_in_words() -> None:
    answer = Answer("yes", "yes", 0.5, conditions=(RENTS, OLD, HAD), requires=AllOf((0, AnyOf((1, 2)))))
    assert (
        conditions_in_words(branch_of(answer), words_of("en"))
        == "you rent and (you’re over 60 or not: you’ve had one)"
    )


def test_in_chinese() -> None:
    rents, old = Condition("租房", question="您租房吗？"), Condition("年满60岁", question="您年满60岁吗？")
    had = Condition("领过补贴", question="您领过补贴吗？", wanted=False)
    assert lines(AllOf((0, AnyOf((1, 2)))), rents, old, had, language="zh") == [
        "└── 须同时满足",
        "    ├── ☐ 您租房吗？",
        "    └── 以下任一项",
        "        ├── ☐ 您年满60岁吗？",
        "        └── ☐ 您领过补贴吗？  否",
    ]
    assert lines(None, rents, had, language="zh") == [
        "├── 条件",
        "│   └── ☐ 您租房吗？",
        "└── 除非",
        "    └── ☐ 您领过补贴吗？",
    ]
    answer = Answer("yes", "yes", 0.5, conditions=(rents, old, had), requires=AllOf((0, AnyOf((1, 2)))))
    assert conditions_in_words(branch_of(answer), words_of("zh")) == "租房，且（年满60岁，或并非：领过补贴）"
