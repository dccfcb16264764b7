"""Questions with typing errors, asked of texts, tables, triples and libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caveat.answerers.engine import Engine, load
from caveat.core.records import Correction, Document, Table, from_json, to_json
from caveat.core.records import Reply as ReplyRecord
from caveat.library.library import Library

HANDBOOK = Document(
    "Vacation\n\nEvery employee gets 25 days of vacation a year.\n\nSick leave is paid for 10 days.",
    url="hr.txt",
)
BUDGETS = Table(
    ("department", "budget"), (("Research", "500"), ("Sales", "300"), ("Canteen", "90")), id="budgets.csv"
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load()


def test_a_text_tells_what_is_meant(engine: Engine) -> None:
    reply = engine.ask("How many days of vacaton do I get?", HANDBOOK)
    assert reply.understood == (Correction("vacaton", "vacation"),)
    assert reply.question.text == "How many days of vacaton do I get?"
    right = engine.ask("How many days of vacation do I get?", HANDBOOK)
    assert right.understood == ()
    assert reply.answers == right.answers


def test_the_reply_says_it_in_json(engine: Engine) -> None:
    reply = engine.ask("How many days of vacaton do I get?", HANDBOOK)
    assert json.loads(to_json(reply))["understood"] == [{"typed": "vacaton", "meant": "vacation"}]
    assert from_json(to_json(reply), ReplyRecord) == reply
    assert "understood" not in json.loads(to_json(engine.ask("How many days of vacation?", HANDBOOK)))


def test_a_table_tells_it_too(engine: Engine) -> None:
    reply = engine.ask("What is the budgte of reserach?", BUDGETS)
    assert reply.understood == (Correction("budgte", "budget"), Correction("reserach", "research"))
    assert reply.answers[0].text == "500"


def test_triples_tell_it_too(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "facts.kb").write_text("Freedonia ||| population ||| 68 million\n")
    reply = engine.ask("What is the populaton of Freedonia?", tmp_path / "facts.kb")
    assert reply.understood == (Correction("populaton", "population"),)
    assert reply.answers[0].text == "68 million"


def test_a_folder_and_a_library_tell_the_same(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "leave.txt").write_text(HANDBOOK.text)
    (folder / "travel.txt").write_text("Flights are booked by the office manager.")
    library = Library.create(tmp_path / "library")
    library.add([folder])
    for source in (folder, library):
        reply = engine.ask("who books flihgts", source)
        assert reply.understood == (Correction("flihgts", "flights"),)
        assert reply.answers[0].text == "the office manager"
        assert engine.ask("who books flights", source).understood == ()


def test_several_questions_at_once(engine: Engine) -> None:
    first, second = engine.ask_many([("vacaton days", HANDBOOK), ("vacation days", HANDBOOK)])
    assert (first.understood, second.understood) == ((Correction("vacaton", "vacation"),), ())
