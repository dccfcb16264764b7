"""One engine for long and for many: threads get the answers of one, memory does not grow, a fork answers too."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from caveat import load
from caveat.answerers.engine import Engine
from caveat.core.records import Reply

QUESTIONS = (
    *("color of the dog", "size of the cat", "What is the color of the cat?", "color"),
    *("How many people has Arvo?", "Which town has the most people?", "青石桥的长度是多少？", "大小"),
)


def write_sources(folder: Path) -> None:
    (folder / "pets.txt").write_text("The dog: color red. The cat: color blue, size ten.\n")
    (folder / "rules.md").write_text(
        "You can keep a dog if you are over 18.\n\nYou must pay £5 unless you are blind."
    )
    (folder / "towns.csv").write_text("Town,People\nArvo,340\nRauma,5100\n")
    (folder / "bridges.kb").write_text(
        "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n", encoding="utf-8"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sources")
    write_sources(made)
    return made


@pytest.fixture
def engine(reader_folder: Path) -> Engine:
    return load([reader_folder], threads=1)


def test_eight_threads_get_the_answers_of_one(engine: Engine, reader_folder: Path, folder: Path) -> None:
    asked = [
        (question, source)
        for question in QUESTIONS
        for source in (
            folder,
            *(folder / name for name in ("pets.txt", "rules.md", "towns.csv", "bridges.kb")),
        )
    ]

    def ask(pair: tuple[str, Path], by: Engine = engine) -> Reply:
        return by.ask(pair[0], str(pair[1]))

    alone = load([reader_folder], threads=1)
    expected = [ask(pair, alone) for pair in asked]
    with ThreadPoolExecutor(8) as pool:
        # The first questions meet an engine that has nothing loaded and nothing prepared.
        assert list(pool.map(ask, asked)) == expected
        assert list(pool.map(ask, reversed(asked))) == expected[::-1]
    assert any(reply.answers for reply in expected)


# The memory that this process has, after the first questions and after the last.
GROWTH = """
import json, sys
from caveat import load

asks, questions, folder, *model = sys.argv[1:]
questions = json.loads(questions)
engine = load(model or None, threads=1)

def ask(number):
    question = questions[number % len(questions)]
    engine.ask(f"{question} {number}" if number % 3 else question, folder)

def resident():
    with open("/proc/self/statm") as sizes:
        return int(sizes.read().split()[1])

for number in range(int(asks)):
    ask(number)
    if number == int(asks) // 5:
        first = resident()
print(first, resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells how much memory a process has")
def test_memory_does_not_grow_with_the_questions(
    folder: Path, reader_folder: Path, times: Callable[[str, int], int], script: Callable[..., str]
) -> None:
    """`CAVEAT_TEST_ASKS=2000` is the long run."""
    first, last = map(
        int, script(GROWTH, times("asks", 250), json.dumps(QUESTIONS), folder, reader_folder).split()
    )
    assert last / first < 1.05


# Everything is loaded before the fork, and the parent goes on afterwards.
FORK = """
import json, os, sys
from caveat import load

questions, folder, model = sys.argv[1:]
questions = json.loads(questions)
engine = load([model], threads=2)

def answers():
    return [engine.ask(question, folder) for question in questions]

expected = answers()
children = []
for _ in range(2):
    child = os.fork()
    if not child:
        os._exit(0 if answers() == expected else 1)
    children.append(child)
assert answers() == expected
print(sum(os.waitpid(child, 0)[1] != 0 for child in children))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_processes_answer_as_their_parent(
    folder: Path, reader_folder: Path, script: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    assert script(FORK, json.dumps(QUESTIONS), folder, reader_folder) == "0\n"
