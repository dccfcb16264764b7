"""A conversation on the terminal: lines with history and completion in, replies out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from caveat.core.languages import Language, default_language, languages

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document as Line
    from rich.console import Console

    from caveat.render.conversation import Conversation, Turn

_PROMPT = "> "
# Commands that take a file.
_FILES = ("add", "html")


def are_sources(arguments: Sequence[str]) -> bool:
    """Whether every argument is a file, a folder, an address or standard input, so that none is a question."""
    from caveat.library.qdrant.nodes import is_address as is_servers
    from caveat.sources.gather import is_address

    return all(each == "-" or is_address(each) or is_servers(each) or _exists(each) for each in arguments)


def _exists(name: str) -> bool:
    try:
        return bool(name) and Path(name).exists()
    except (OSError, ValueError):  # a question is no file name: too long, or with a NUL
        return False


def on_a_terminal() -> bool:
    """Whether somebody is there to talk to."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def language_of_locale() -> Language:
    """The language of the first words, before a question tells it."""
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), "")
    return next((code for code in languages() if name.startswith(code)), default_language())


def converse(conversation: Conversation) -> None:
    """Read lines until the asker leaves: `:quit`, or Ctrl-D; Ctrl-C takes back a line or stops an answer."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    console.print(conversation.opening, style="dim", soft_wrap=True)
    session = _session()
    while True:
        try:
            turn = conversation.say(session.prompt(_PROMPT))
        except KeyboardInterrupt:
            console.print(conversation.words.conversation.interrupted, style="dim")
            continue
        except EOFError:
            return
        if turn.ends:
            return
        _show(turn, conversation, console)


def _show(turn: Turn, conversation: Conversation, console: Console) -> None:
    from caveat.render.quotes import clean
    from caveat.render.terminal import print_reply

    for note in turn.notes:
        console.print(clean(note), style="dim", soft_wrap=True)
    if turn.reply is not None:
        shown = conversation.shown(turn.reply)
        print_reply(
            turn.reply,
            shown.documents,
            shown.others,
            heading=turn.heading,
            most=conversation.top,
            more=":top {}",
        )
    for line in turn.text.splitlines():
        console.print(line, soft_wrap=True)
    if turn.offer:
        console.print(turn.offer, style="bold yellow", soft_wrap=True)


def _session() -> PromptSession[str]:
    # Not asked where the cursor is: a terminal that does not answer would be waited for.
    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import InMemoryHistory
    from prompt_toolkit.shortcuts import CompleteStyle

    from caveat.cli.history import LinesOfEarlier, history_file

    file = history_file()
    return PromptSession(
        history=InMemoryHistory() if file is None else LinesOfEarlier(file),
        completer=completer(),
        complete_style=CompleteStyle.READLINE_LIKE,
        complete_while_typing=False,
        reserve_space_for_menu=0,
    )


def completer() -> Completer:
    from prompt_toolkit.completion import Completer, Completion, PathCompleter
    from prompt_toolkit.document import Document as Line

    from caveat.render.conversation import COMMANDS

    class Commands(Completer):
        """After a colon the commands; after one that takes a file, file names."""

        def get_completions(self, document: Line, complete_event: CompleteEvent) -> Iterable[Completion]:
            text = document.text_before_cursor
            if not text.startswith((":", "：")):
                return
            name, blank, path = text[1:].partition(" ")
            if not blank:
                for command in COMMANDS:
                    if command.startswith(name):
                        yield Completion(f"{command} " if command in _FILES else command, -len(name))
            elif name in _FILES:
                yield from PathCompleter(expanduser=True).get_completions(Line(path), complete_event)

    return Commands()
