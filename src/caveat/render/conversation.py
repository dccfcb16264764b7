"""A conversation about the same sources: questions, follow-ups, what the asker says of themselves, open conditions.

It knows nothing of a terminal: `say` takes a line and gives what is to be shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from caveat.core.answers import Condition
from caveat.core.errors import CaveatError
from caveat.core.languages import Language, default_language, language_of
from caveat.core.records import Document, Question, Remark, Reply, Source, Table, to_json
from caveat.core.settling import open_conditions, question_of
from caveat.language.ellipsis import completed
from caveat.language.question_rewriting import asks_nothing, plainly, tells_only
from caveat.render.answer_tree import ShownSources, shown_sources
from caveat.render.interview import VALUES, Interview, Said, understood
from caveat.render.page import reply_page
from caveat.render.quotes import clean
from caveat.render.words import ConversationWords, Words, words_of
from caveat.sources.gather import ReadSource, is_address, read_sources

Ask = Callable[[Question, Sequence[Source], int], Reply]
"""Answers a question from sources with so many alternatives."""
Write = Callable[[str, str], None]
"""Writes a text to a file of this name."""

COMMANDS = ("sources", "add", "scenario", "forget", "top", "html", "json", "help", "quit")
# An input method for Chinese types the second.
_COLONS = (":", "：")
# Answers that are asked for at least, however many are shown.
_ASKED = 5
_LEAVING = frozenset(("quit", "exit", "bye", "退出", "再见"))


class Kept(Protocol):
    """Sources that are kept elsewhere, as in a library, and that `ask` answers from beside those that are read here."""

    def names(self) -> Sequence[str]:
        """Of all of them."""

    def behind(self, reply: Reply) -> Iterable[ReadSource]:
        """Those in which the places of a reply are."""


class Turn(msgspec.Struct, frozen=True):
    """What is said to a line: notes, then a reply under its heading or other text, then what is still open."""

    notes: tuple[str, ...] = ()
    reply: Reply | None = None
    heading: str = ""
    text: str = ""
    offer: str = ""
    ends: bool = False


class Conversation:
    """What was read, what the asker has told, and the last reply."""

    def __init__(
        self,
        ask: Ask,
        write: Write,
        read: Iterable[ReadSource] = (),
        *,
        scenario: str = "",
        top: int = 1,
        language: Language | None = None,
        at_first: Language | None = None,
        private: bool = False,
        kept: Kept | None = None,
    ) -> None:
        """`language` is that of all questions; else each question's own, and before the first one `at_first`."""
        self._ask = ask
        self._write = write
        self.read = list(read)
        self._private = private
        self._kept = kept
        self._told = [scenario] if scenario.strip() else []
        self.top = top
        self._given_language = language
        self._language = language or at_first or default_language()
        self._interview: Interview | None = None
        # The answers to conditions, by what is asked: the same is not asked twice.
        self._answers: dict[str, tuple[str, bool]] = {}

    def shown(self, reply: Reply) -> ShownSources:
        """The sources that a reply is shown with, by name."""
        return shown_sources((*self.read, *(self._kept.behind(reply) if self._kept else ())))

    @property
    def scenario(self) -> str:
        """All that the asker has said about themselves."""
        return " ".join(self._told)

    @property
    def words(self) -> Words:
        """In the language of the last question."""
        return words_of(self._language)

    @property
    def opening(self) -> str:
        """What is said first."""
        names = self._names()
        return self.words.count(self._said.opening, len(names)) if names else self._said.nothing_to_ask

    def _names(self) -> set[str]:
        return {each.name for each in self.read}.union(self._kept.names() if self._kept else ())

    @property
    def _said(self) -> ConversationWords:
        return self.words.conversation

    def say(self, line: str) -> Turn:
        """What is said to a line; what cannot be done is a sentence in it, never an error."""
        line = " ".join(line.split())
        try:
            return self._turn(line) if line else Turn()
        except CaveatError as error:
            return Turn((str(error),))

    def _turn(self, line: str) -> Turn:
        if line.startswith(_COLONS):
            return self._command(line[1:])
        if line.casefold() in _LEAVING:
            return Turn(ends=True)
        if (short := understood(line.rstrip(".!。！"))) is not None:
            return self._answered(short)
        if self._given_language is None:
            self._language = language_of(line)
        if asks_nothing(line):
            return Turn((self._said.hint,))
        if not self._names():
            return Turn((self._said.nothing_to_ask,))
        if tells_only(line):
            return self._tell(line)
        return self._question(line)

    def _answered(self, short: Said) -> Turn:
        """The open condition that was offered, settled; the next is offered."""
        interview, condition = self._interview, self._offered()
        if interview is None or condition is None:
            return Turn((self._said.nothing_open,))
        yes = VALUES[short]
        interview.answer(condition, yes)
        if yes is None:
            return Turn(offer=self._offer()) if self._offered() else Turn((self._said.nothing_open,))
        self._answers[condition.fact] = question_of(condition), yes
        return Turn(reply=interview.reply, offer=self._offer())

    def _tell(self, line: str) -> Turn:
        """What the asker says of themselves, kept; an open question is asked again with it."""
        self._told.append(line)
        note = self._said.noted.format(line)
        if self._interview is None or self._offered() is None:
            return Turn((note,))
        turn = self._asked(self._interview.reply.question.text, "")
        return msgspec.structs.replace(turn, notes=(note, *turn.notes))

    def _question(self, line: str) -> Turn:
        before = self._interview.reply.question.text if self._interview is not None else ""
        if (whole := completed(line, before)) is not None:
            heading = self._said.supposed if whole.told else self._said.understood
            return self._asked(whole.question, whole.told, heading.format(whole.question, whole.told))
        asked = plainly(Question(line, language=self._given_language))
        if asked.scenario:
            self._told.append(asked.scenario)
        return self._asked(asked.text, "")

    def _asked(self, text: str, supposed: str, heading: str = "") -> Turn:
        scenario = " ".join(filter(None, (*self._told, supposed)))
        question = Question(text, scenario, self._given_language)
        # More than are shown, so that it can be said how many more there are.
        reply = self._ask(question, [each.source for each in self.read], max(self.top, _ASKED))
        interview = Interview(reply)
        for condition in reply.open:
            if (known := self._answers.get(condition.fact)) and condition in interview.reply.open:
                interview.answer(condition, known[1])
        self._interview = interview
        notes = tuple(map(self.words.of_remark, reply.remarks))
        return Turn(notes, interview.reply, heading, offer=self._offer())

    def _offered(self) -> Condition | None:
        """The most decisive open condition of the answer that is shown first, or of those that hold together."""
        if self._interview is None or not self._interview.reply.answered:
            return None
        reply = self._interview.reply
        shown = open_conditions(reply.answers if reply.together else reply.answers[:1])
        deciding = {condition.fact for condition in shown}
        return next((each for each in self._interview.open if each.fact in deciding), None)

    def _offer(self) -> str:
        condition = self._offered()
        return "" if condition is None else f"{clean(question_of(condition))} {self.words.choices}"

    def _command(self, text: str) -> Turn:
        name, _, argument = text.strip().partition(" ")
        found = [each for each in COMMANDS if each.startswith(name.casefold())] if name else ["help"]
        if len(found) != 1:
            known = " ".join(f":{each}" for each in found or COMMANDS)
            return Turn((self._said.no_such_command.format(f":{name}", known),))
        return self._commands[found[0]](_unquoted(argument))

    @property
    def _commands(self) -> dict[str, Callable[[str], Turn]]:
        return {
            "sources": self._do_sources,
            "add": self._do_add,
            "scenario": self._do_scenario,
            "forget": self._do_forget,
            "top": self._do_top,
            "html": self._do_html,
            "json": self._do_json,
            "help": self._do_help,
            "quit": self._do_quit,
        }

    def _do_sources(self, _: str) -> Turn:
        if not self._names():
            return Turn((self._said.nothing_to_ask,))
        lines = [f"{clean(self.words.named(each.name))}  {self._size(each.source)}" for each in self.read]
        return Turn(text="\n".join((*lines, *map(clean, self._kept.names() if self._kept else ()))))

    def _size(self, source: Source) -> str:
        words = self.words
        if isinstance(source, Document):
            return words.count(words.characters, len(source.text))
        if isinstance(source, Table):
            columns = words.count(words.columns, len(source.headers))
            return words.comma.join((words.count(words.rows, len(source.rows)), columns))
        return words.conversation.triples

    def _do_add(self, path: str) -> Turn:
        if not path:
            return self._needs("add")
        path = os.path.expanduser(path)
        if path == "-" or (not is_address(path) and not Path(path).exists()):
            return Turn((self._said.no_such_file.format(path),))
        unread: list[Remark] = []
        there = {os.path.realpath(each.name) for each in self.read}
        added = [
            each
            for each in read_sources([path], unread=unread.append, private=self._private)
            if os.path.realpath(each.name) not in there
        ]
        self.read += added
        words = self.words
        remarks = dict.fromkeys(Remark(each.name, each.remark) for each in added if each.remark)
        notes = [
            words.count(self._said.added, len({each.name for each in added})),
            *map(words.of_remark, remarks),
        ]
        return Turn((*notes, *words.of_unread(unread, self._said.unread_more)))

    def _do_scenario(self, text: str) -> Turn:
        if text:
            self._told = [text]
            return Turn((self._said.noted.format(text),))
        facts = self._facts()
        if not facts:
            return Turn((self._said.nothing_told,))
        return Turn(text="\n".join(f"{number}  {clean(fact)}" for number, fact in enumerate(facts, 1)))

    def _facts(self) -> list[str]:
        """What the asker has told, then the conditions that they have answered."""
        verdicts = self.words.verdicts
        return [
            *self._told,
            *(f"{asked} {verdicts['yes' if yes else 'no']}" for asked, yes in self._answers.values()),
        ]

    def _do_forget(self, number: str) -> Turn:
        """All that was told, or the fact of this number alone."""
        if not number:
            self._told.clear()
            self._answers.clear()
            return Turn((self._said.forgotten,))
        facts = self._facts()
        if not number.isdecimal() or not 1 <= int(number) <= len(facts):
            return self._needs("forget")
        at = int(number) - 1
        if at < len(self._told):
            del self._told[at]
        else:
            del self._answers[list(self._answers)[at - len(self._told)]]
        return Turn((self._said.forgotten_fact.format(facts[at]),))

    def _do_top(self, number: str) -> Turn:
        if not number.isdecimal() or int(number) < 1:
            return self._needs("top")
        self.top = int(number)
        return Turn((self.words.count(self._said.at_most, self.top),))

    def _do_html(self, path: str) -> Turn:
        if not path:
            return self._needs("html")
        if self._interview is None:
            return Turn((self._said.no_reply,))
        path = os.path.expanduser(path)
        reply = self._interview.reply
        shown = self.shown(reply)
        self._write(path, reply_page(reply, shown.documents, shown.tables))
        return Turn((self._said.written.format(path),))

    def _do_json(self, _: str) -> Turn:
        return (
            Turn((self._said.no_reply,))
            if self._interview is None
            else Turn(text=to_json(self._interview.reply))
        )

    def _do_help(self, _: str) -> Turn:
        usages = self._said.commands
        width = max(len(usage) for usage, _ in usages.values())
        lines = [f"{usages[name][0]:{width}}  {usages[name][1]}" for name in COMMANDS]
        return Turn(text="\n".join((*self._said.help, *lines)))

    def _do_quit(self, _: str) -> Turn:
        return Turn(ends=True)

    def _needs(self, name: str) -> Turn:
        return Turn((self._said.needs.format(*self._said.commands[name]),))


def _unquoted(text: str) -> str:
    """A file name as a shell would take it, where it stands in quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
