"""`caveat ask` without a question: when a conversation opens, and the real one on a terminal."""

from __future__ import annotations

import os
import re
import select
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document as Line

from caveat.cli.conversation import are_sources, completer, language_of_locale
from caveat.cli.history import MOST, LinesOfEarlier, history_file
from caveat.render.conversation import COMMANDS

# A prompt of prompt_toolkit begins with this: pasted text is to come in brackets.
_PROMPT = b"\x1b[?2004h"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")
# A busy machine may be slow; nothing waits as long as that where all is well.
_PATIENCE = 120.0
PAGE = """<h1>Bee permit</h1>
<p>You can get a bee permit if all of the following apply:</p>
<ul><li>you own a garden</li><li>you’re a member of a club</li></ul>
<p>A bee permit costs 12 euros in summer and 5 euros in winter.</p>
"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("bees.html")
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_arguments_that_exist_are_sources(page: Path) -> None:
    assert are_sources([])
    assert are_sources(["bees.html", ".", "-", "https://example.org/a"])
    assert not are_sources(["How much?", "bees.html"])
    assert not are_sources(["bees.html", "How much?"])
    assert not are_sources(["long " * 10_000])
    assert not are_sources(["a\0b"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bees.html",), "There is no question"),
        ((), "There is no question"),
        (("bees.html", "bees.html"), "There is no question"),
        (("bees.html", "--json"), "--json and --html"),
        (("--library", "bees"), "There is no question"),
        (("How much?",), "nothing to answer from"),
    ],
)
def test_a_pipe_needs_a_question(caveat: Any, page: Path, arguments: tuple[str, ...], words: str) -> None:
    done = caveat("ask", *arguments, stdin="How much?\n")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_the_first_words_are_in_the_language_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setenv("LC_ALL", "")
    assert language_of_locale() == "zh"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert language_of_locale() == "en"


class Terminal:
    """The command on a terminal of its own; what it shows without colours."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        import pty

        self.process, self.end = pty.fork()
        if not self.process:
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", **environment})
            os.execv(sys.executable, [sys.executable, "-m", "caveat", "ask", *arguments])
        self.prompts = 0
        self.received = b""

    def shown(self) -> str:
        """What is shown up to the next prompt, or to the end."""
        self.prompts += 1
        first = len(self.received)
        until = time.monotonic() + _PATIENCE
        while self.received.count(_PROMPT) < self.prompts:
            assert time.monotonic() < until, self.received.decode("utf-8", "replace")
            if select.select([self.end], [], [], 1.0)[0]:
                try:
                    part = os.read(self.end, 65536)
                except OSError:  # so a terminal ends under Linux
                    part = b""
                if not part:
                    break
                self.received += part
        return _ESCAPES.sub("", self.received[first:].decode("utf-8", "replace"))

    def type(self, keys: str) -> str:
        os.write(self.end, keys.encode("utf-8"))
        return self.shown()

    def leave(self, keys: str) -> int:
        self.type(keys)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_conversation_on_a_terminal(page: Path, tmp_path: Path) -> None:
    terminal = Terminal("bees.html", "--top", "2", XDG_STATE_HOME=str(tmp_path / "state"))
    assert "1 source is read." in terminal.shown()
    assert "5 euros" in terminal.type("How much does a bee permit cost in winter?\r")
    assert "Understood as: How much does a bee permit cost in summer?" in terminal.type("And in summer?\r")
    assert "Do you own a garden? [y/n/?]" in terminal.type("Can I get a bee permit?\r")
    assert "Are you a member of a club? [y/n/?]" in terminal.type("y\r")
    assert "There is no file missing.md." in terminal.type(":add missing.md\r")
    assert "该来源中没有找到" in terminal.type("谁是船长？\r")
    assert "已中断" in terminal.type("half a line\x03")
    assert "bees.html" in terminal.type(":so\t\r")
    assert terminal.leave("\x04") == 0
    history = tmp_path / "state" / "caveat" / "history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert history.read_text("utf-8").splitlines()[:2] == [
        "How much does a bee permit cost in winter?",
        "And in summer?",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_quit_leaves_and_history_can_be_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    terminal = Terminal(CAVEAT_HISTORY="off", XDG_STATE_HOME=str(tmp_path / "state"))
    assert ":add FILE" in terminal.shown()
    assert terminal.leave(":quit\r") == 0
    assert not (tmp_path / "state").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_conversation_over_a_library(caveat: Any, page: Path) -> None:
    assert caveat("index", "bees.html", "--out", "shelf").returncode == 0
    terminal = Terminal("--library", "shelf", CAVEAT_HISTORY="off")
    assert "1 source is read." in terminal.shown()
    assert "bees.html" in terminal.type(":sources\r")
    assert "5 euros" in terminal.type("How much does a bee permit cost in winter?\r")
    assert terminal.leave(":quit\r") == 0


def test_where_the_history_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CAVEAT_HISTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert history_file() == tmp_path / "caveat" / "history"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert history_file() == tmp_path / ".local" / "state" / "caveat" / "history"
    monkeypatch.setenv("CAVEAT_HISTORY", str(tmp_path / "lines"))
    assert history_file() == tmp_path / "lines"
    monkeypatch.setenv("CAVEAT_HISTORY", "off")
    assert history_file() is None


def test_the_last_lines_are_kept_for_the_next_time(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    history = LinesOfEarlier(path)
    for line in ("How long?", " a secret", "那冬天呢？"):
        history.store_string(line)
    assert list(LinesOfEarlier(path).load_history_strings()) == ["那冬天呢？", "How long?"]
    path.write_text("".join(f"{number}\n" for number in range(2 * MOST + 1)), encoding="utf-8")
    kept = list(LinesOfEarlier(path).load_history_strings())
    assert (kept[0], len(kept)) == (str(2 * MOST), MOST)
    assert len(path.read_text("utf-8").splitlines()) == MOST
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 or sys.platform == "win32"
    assert [each.name for each in path.parent.iterdir()] == ["history"]


def test_a_history_that_cannot_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    history = LinesOfEarlier(tmp_path / "file" / "history")
    history.store_string("How long?")
    assert list(history.load_history_strings()) == []


def completions(text: str) -> list[str]:
    found = completer().get_completions(Line(text), CompleteEvent(completion_requested=True))
    return [text[: len(text) + each.start_position] + each.text for each in found]


def test_commands_and_file_names_are_completed(page: Path) -> None:
    assert completions(":") == [f":{name} " if name in ("add", "html") else f":{name}" for name in COMMANDS]
    assert completions("：so") == ["：sources"]
    assert completions(":add be") == [":add bees.html"]
    assert completions(":top be") == []
    assert completions("be") == []
