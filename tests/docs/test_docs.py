"""The documentation holds: every name is in it, and every example gives what is printed under it.

A `console` block whose first command is `$ caveat …` is run, command by command, in a folder that has the
`examples` folder in it, as a clone has; `<!-- not run -->` on the line before a block excepts it. `refresh.py`, beside
this file, writes what the examples print now into the pages.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from caveat.benchmarks.registry import DATA_SETS, FORMATS, RULES, TASKS
from caveat.cli.main import app
from caveat.sources.kinds import ENDINGS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^(<!-- not run -->\n\n?)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# With the word for how sure that is, and how many answers are left.
PROBABILITY = re.compile(
    r"  (?:(?:sure|likely|a guess|not sure), |(?:确定|很可能|猜测|不确定)，)?[<>]?\d+%$"
    r"|\d+ more below 1%$|^\d+ further possibilit(?:y|ies): --top \d+$|^另有 \d+ 种可能：--top \d+$"
)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


class Example(NamedTuple):
    """A command and the output printed under it, with the line on which it stands."""

    line: int
    command: str
    output: list[str]


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str, language: str) -> Iterator[tuple[int, str]]:
    """The blocks of one language that are to be run, each with the line on which its text begins."""
    for block in BLOCK.finditer(text):
        if block[2] == language and not block[1]:
            yield text.count("\n", 0, block.start(3)) + 1, block[3]


def console_examples(text: str) -> list[Example]:
    """All of a page: an example is complete only once the next one begins."""
    examples: list[Example] = []
    for first, block in blocks(text, "console"):
        if not block.startswith("$ caveat "):
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                examples.append(Example(first, line.removeprefix("$ "), []))
            else:
                examples[-1].output.append(line.rstrip())
            first += 1
    return examples


def python_examples(text: str) -> doctest.DocTest:
    """All of a page as one session, each example on the line on which it stands."""
    lines = [""] * (text.count("\n") + 1)
    for first, block in blocks(text, "python"):
        if ">>> " in block:
            for number, line in enumerate(block.splitlines(), first - 1):
                lines[number] = line
    return doctest.DocTestParser().get_doctest("\n".join(lines), {}, "page", None, 0)


def run(command: str, folder: Path) -> list[str]:
    """What a terminal would show, without trailing blanks."""
    done = subprocess.run(
        ["sh", "-c", f'caveat() {{ "$PYTHON" -m caveat "$@"; }}; {command}'],
        cwd=folder,
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "PYTHONUNBUFFERED": "1",  # both streams into one, in the order in which they were written
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return without_blank_end([line.rstrip() for line in done.stdout.splitlines()])


def without_blank_end(lines: list[str]) -> list[str]:
    return "\n".join(lines).rstrip().split("\n") if any(lines) else []


def copy_examples(folder: Path) -> None:
    """What an example finds in the root of a clone."""
    shutil.copytree(ROOT / "examples", folder / "examples")


def comparable(command: str, lines: list[str]) -> list[str]:
    """Lines as they are, but a model's probabilities are left out: processors round int8 products differently."""
    return [PROBABILITY.sub("", line) for line in lines] if command.startswith("caveat ask ") else lines


def test_an_example_has_its_output() -> None:
    page = "```console\n$ caveat one\n1\n\n$ caveat two\n2\n```\n"
    assert [each.output for each in console_examples(page)] == [["1", ""], ["2"]]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write to that looks like the repository's root to an example."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_print_what_the_page_shows(page: Path, clone: Path) -> None:
    for line, command, shown in console_examples(page.read_text("utf-8")):
        printed = run(command, clone)
        if shown:
            where = f"{page_name(page)}, line {line}: {command}"
            assert comparable(command, printed) == comparable(command, without_blank_end(shown)), where


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_prints_what_the_page_shows(page: Path, clone: Path) -> None:
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(python_examples(page.read_text("utf-8")), out=told.append)
    assert not told, "".join(told)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / link).exists(), link


def test_every_rule_is_explained() -> None:
    text = " ".join((ROOT / "docs" / "checks.md").read_text("utf-8").split())
    for rule, sentence in RULES.items():
        assert f"`{rule}`" in text, rule
        assert sentence in text, rule


def test_every_format_is_described() -> None:
    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in text] == []


def test_every_ending_of_a_source_is_described() -> None:
    text = (ROOT / "docs" / "sources.md").read_text("utf-8")
    assert [ending for ending in ENDINGS if f"`{ending}`" not in text] == []


def test_every_command_and_task_is_described() -> None:
    folder = ROOT / "docs" / "commands"
    text = (folder / "index.md").read_text("utf-8")
    commands = [str(command.name) for command in (*app.registered_commands, *app.registered_groups)]
    pages = {page.stem.removeprefix("caveat-") for page in folder.glob("caveat-*.md")}
    assert pages == set(commands)
    assert [name for name in commands if f"](caveat-{name}.md)" not in text] == []
    assert [name for name in (*TASKS, *DATA_SETS) if f"`{name}`" not in text] == []


def test_every_task_has_its_metrics_and_statistics_described() -> None:
    for page in ("metrics.md", "statistics.md"):
        text = (ROOT / "docs" / page).read_text("utf-8")
        assert [name for name in TASKS if f"`{name}`" not in text] == [], page
