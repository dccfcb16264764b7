"""A conversation without a terminal and without a model: what each line is taken for, and what is said to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.answers import Answer, Condition
from caveat.core.errors import CaveatError
from caveat.core.languages import Language
from caveat.core.records import Document, Question, Reply, Source, Table, from_json
from caveat.render.conversation import COMMANDS, Conversation, Turn
from caveat.render.words import words_of
from caveat.sources.gather import ReadSource

OLD = Condition("you are over 60", question="Are you over 60?")
YOUNG = Condition("you are under 18", question="Are you under 18?")
RENTS = Condition("you rent", question="Do you rent?")
FERRY = ReadSource("ferry.md", Document("The ferry takes 25 minutes.", url="ferry.md"))


class Asked:
    """Remembers what was asked; a question for yes or no gets an answer under conditions."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.tops: list[int] = []

    def __call__(self, question: Question, sources: Sequence[Source], top: int) -> Reply:
        self.questions.append(question)
        self.tops.append(top)
        if not question.text.startswith(("Can", "我能")):
            return Reply(question, (Answer("25 minutes", "span", 0.75),), 0.25)
        yes = Answer("yes", "yes", 0.7, conditions=(RENTS, OLD))
        return Reply(question, (yes, Answer("no", "no", 0.2, otherwise=True)), 0.1)


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def talk(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    monkeypatch.chdir(tmp_path)

    def write(path: str, text: str) -> None:
        Path(path).write_text(text, encoding="utf-8")

    return Conversation(asked, write, [FERRY])


def said(*lines: str) -> Callable[[Conversation], Turn]:
    def run(talk: Conversation) -> Turn:
        return [talk.say(line) for line in lines][-1]

    return run


def test_a_line_is_a_question_and_a_follow_up_completes_it(talk: Conversation, asked: Asked) -> None:
    talk.say("How long does the crossing take?")
    turn = talk.say("And in winter?")
    assert turn.heading == "Understood as: How long does the crossing take in winter?"
    assert turn.reply is not None
    assert [each.text for each in asked.questions] == [
        "How long does the crossing take?",
        "How long does the crossing take in winter?",
    ]


def test_what_the_asker_tells_is_kept(talk: Conversation, asked: Asked) -> None:
    assert talk.say("I am 34.") == Turn(("Noted: I am 34.",))
    talk.say("I have a dog. How long is the crossing?")
    talk.say("Who is the captain?")
    assert asked.questions[-1].scenario == "I am 34. I have a dog."
    assert talk.say(":scenario").text == "1  I am 34.\n2  I have a dog."
    assert talk.say(":forget").notes == ("What you said about yourself is forgotten.",)
    talk.say("Who is the captain?")
    assert asked.questions[-1].scenario == ""


def test_what_is_told_while_a_condition_is_open_asks_again(talk: Conversation, asked: Asked) -> None:
    talk.say("Can I get the grant?")
    turn = talk.say("I am 34.")
    assert turn.notes == ("Noted: I am 34.",)
    assert asked.questions[-1] == Question("Can I get the grant?", "I am 34.")


def test_what_is_supposed_is_not_kept(talk: Conversation, asked: Asked) -> None:
    talk.say("Can I get the grant?")
    assert talk.say("What if I am 70?").heading == "Can I get the grant? Supposed: I am 70."
    talk.say("Who is the captain?")
    assert [each.scenario for each in asked.questions] == ["", "I am 70.", ""]


def test_open_conditions_are_answered_in_passing(talk: Conversation) -> None:
    assert talk.say("Can I get the grant?").offer == "Do you rent? [y/n/?]"
    turn = talk.say("y")
    assert turn.offer == "Are you over 60? [y/n/?]"
    assert turn.reply is not None
    assert turn.reply.answers[0].conditions == (OLD,)
    turn = talk.say("n")
    assert turn.offer == ""
    assert turn.reply is not None
    assert [answer.text for answer in turn.reply.answers] == ["no"]
    assert talk.say("y").notes == ("No condition is open; each line is a question.",)


def test_what_is_not_known_is_passed_over(talk: Conversation) -> None:
    talk.say("Can I get the grant?")
    assert talk.say("?") == Turn(offer="Are you over 60? [y/n/?]")
    assert talk.say("?").notes == ("No condition is open; each line is a question.",)


def test_a_condition_is_not_asked_twice_until_it_is_forgotten(talk: Conversation) -> None:
    said("Can I get the grant?", "yes")(talk)
    assert talk.say("Can I get it again?").offer == "Are you over 60? [y/n/?]"
    assert talk.say(":scenario").text == "1  Do you rent? yes"
    assert said(":forget", "Can I get the grant?")(talk).offer == "Do you rent? [y/n/?]"


def test_a_new_question_leaves_the_open_ones(talk: Conversation) -> None:
    turn = said("Can I get the grant?", "How long does the crossing take?")(talk)
    assert turn.offer == ""
    assert talk.say("y").reply is None


def test_only_conditions_of_the_first_answer_are_offered() -> None:
    def ask(question: Question, sources: Sequence[Source], top: int) -> Reply:
        return Reply(question, (Answer("7", "span", 0.6), Answer("8", "span", 0.1, conditions=(RENTS,))), 0.3)

    assert Conversation(ask, print, [FERRY]).say("How much?").offer == ""


def test_chinese_questions_are_answered_in_chinese(talk: Conversation, asked: Asked) -> None:
    assert talk.say("我今年34岁。").notes == ("已记下：我今年34岁。",)
    assert talk.say("我能申请吗？").offer == "Do you rent? [是/否/?]"
    assert talk.say("是").offer == "Are you over 60? [是/否/?]"
    assert asked.questions[-1].scenario == "我今年34岁。"
    said("几点开门？")(talk)
    assert talk.say("那冬天呢？").heading == "理解为：冬天几点开门？"
    assert talk.say("：top 2").notes == ("今后最多显示 2 个备选答案。",)
    assert talk.say("退出").ends


def test_the_language_can_be_given() -> None:
    talk = Conversation(Asked(), print, [FERRY], language="zh")
    assert talk.opening.startswith("已读取 1 个来源。")
    assert talk.say("NBA").reply is not None
    assert talk.words == words_of("zh")


def test_greetings_ask_nothing(talk: Conversation, asked: Asked) -> None:
    assert talk.say("Thank you!").notes == ("Each line is a question; :help says what else there is.",)
    assert talk.say("   ") == Turn()
    assert asked.questions == []


def test_files_are_added(talk: Conversation) -> None:
    Path("rules.txt").write_text("Dogs are free.", encoding="utf-8")
    Path("my fares.csv").write_text("kind,fare\nsingle,4\nreturn,7\n", encoding="utf-8")
    assert talk.say(":add rules.txt").notes == ("1 source added.",)
    assert talk.say(":add rules.txt").notes == ("0 sources added.",)
    assert talk.say(":add 'my fares.csv'").notes == ("1 source added.",)
    assert talk.say(":sources").text.splitlines() == [
        "ferry.md  27 characters",
        "rules.txt  14 characters",
        "my fares.csv  2 rows, 2 columns",
    ]
    assert any(isinstance(table, Table) for table in talk.shown(Reply(Question("?"))).tables.values())


def test_a_bad_file_is_one_sentence(talk: Conversation) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    Path("bad.pdf").write_bytes(b"no PDF")
    for line in (":add missing.txt", ":add empty.txt", ":add bad.pdf", ":add -"):
        (note,) = talk.say(line).notes
        assert "\n" not in note
    assert talk.say(":sources").text == "ferry.md  27 characters"
    assert talk.say("How long does it take?").reply is not None


def test_what_of_a_folder_was_not_read_is_said(talk: Conversation) -> None:
    Path("guide").mkdir()
    Path("guide/rules.txt").write_text("Dogs are free.", encoding="utf-8")
    Path("guide/picture.xyz").write_bytes(b"\0")
    added, left = talk.say(":add guide").notes
    assert added == "1 source added."
    assert left.startswith(f"not read: {Path('guide', 'picture.xyz')}: ")


def test_the_last_reply_as_a_page_and_as_a_record(talk: Conversation) -> None:
    assert talk.say(":json").notes == talk.say(":html page.html").notes == (
        "There is no reply yet: ask a question first.",
    )  # fmt: skip
    turn = said("Can I get the grant?", "y")(talk)
    assert from_json(talk.say(":json").text, Reply) == turn.reply
    assert talk.say(":html page.html").notes == ("Written: page.html",)
    assert "Can I get the grant?" in Path("page.html").read_text("utf-8")


def test_what_cannot_be_written_is_one_sentence(talk: Conversation) -> None:
    def refuse(path: str, text: str) -> None:
        raise CaveatError(f"{path} cannot be written.")

    talk = Conversation(Asked(), refuse, [FERRY])
    assert said("Can I?", ":html page.html")(talk) == Turn(("page.html cannot be written.",))


def test_options_are_set(talk: Conversation, asked: Asked) -> None:
    said(":top 2", "How long?", ":top 0", ":top many", ":scenario I am 20.", "Who?")(talk)
    assert talk.top == 2
    assert asked.tops == [5, 5]
    assert asked.questions[-1].scenario == "I am 20."
    assert talk.say(":top").notes == (":top N: shows at most N alternatives, 1 or more",)


def test_facts_are_listed_and_forgotten_one_by_one(talk: Conversation) -> None:
    said("I am 20.", "I rent.")(talk)
    assert talk.say(":scenario").text == "1  I am 20.\n2  I rent."
    assert talk.say(":forget 1").notes == ("Forgotten: I am 20.",)
    assert talk.say(":scenario").text == "1  I rent."
    assert talk.say(":forget 7").notes[0].startswith(":forget [N]: ")
    assert talk.say(":forget").notes == ("What you said about yourself is forgotten.",)
    assert talk.say(":scenario").notes == ("You have said nothing about yourself yet.",)


def test_commands_may_be_shortened(talk: Conversation) -> None:
    assert talk.say(":q").ends
    assert talk.say(":quit").ends
    assert talk.say("exit").ends
    assert talk.say(":h").notes == ("There is no command :h; there are :html :help.",)
    assert talk.say(":nope").notes[0].startswith("There is no command :nope; there are :sources")
    assert talk.say(":").text == talk.say(":help").text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_is_in_the_help(language: Language) -> None:
    said = words_of(language).conversation
    assert tuple(said.commands) == COMMANDS
    assert all(usage.startswith(f":{name}") for name, (usage, _) in said.commands.items())


def test_without_sources_there_is_nothing_to_ask(asked: Asked) -> None:
    talk = Conversation(asked, print)
    assert talk.opening == talk.say("How long?").notes[0]
    assert ":add" in talk.opening
    assert asked.questions == []


class Library:
    """One text that is kept elsewhere."""

    def names(self) -> list[str]:
        return ["ferry.md"]

    def behind(self, reply: Reply) -> list[ReadSource]:
        return [FERRY] if reply.answers else []


def test_sources_may_be_kept_elsewhere(asked: Asked) -> None:
    talk = Conversation(asked, print, kept=Library())
    assert talk.opening.startswith("1 source is read.")
    assert talk.say(":sources").text == "ferry.md"
    reply = talk.say("How long does it take?").reply
    assert reply is not None
    assert talk.shown(reply).documents == {"ferry.md": FERRY.source}


LINES = st.sampled_from(
    [
        *("y", "n", "?", "是", "I am 34.", "Can I get it?", "And for dogs?", "What if I am 9?", "我能去吗？"),
        *("那猫呢？", ":scenario", ":forget", ":json", ":top 3", ":html", ":x", "thanks", "", "：sources"),
    ]
)


@given(st.lists(LINES, max_size=12))
def test_every_line_is_said_something_to(lines: list[str]) -> None:
    talk = Conversation(Asked(), lambda path, text: None, [FERRY])
    for line in lines:
        turn = talk.say(line)
        assert bool(line) == bool(turn.notes or turn.reply or turn.text or turn.offer)
        if turn.offer:
            assert talk.say("?") != Turn()
