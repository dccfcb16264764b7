"""What every answerer obeys, run over each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.contract import Answerer, Asked
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.knowledge.answerer import KnowledgeAnswerer
from caveat.answerers.prompted.answerer import PromptedAnswerer
from caveat.answerers.prompted.reading import Reading
from caveat.answerers.tables.answerer import TableAnswerer
from caveat.core.records import Document, KnowledgeBase, Question, Reply, Source, Table
from caveat.models.language_model.client import Client
from caveat.models.language_model.completions import Completion, Prompt
from caveat.models.reader import Reader
from caveat.models.tagger import Tagger

TABLE = Table(("Bridge", "Built"), (("Green Bridge", "1872"), ("Iron Bridge", "1899")), "bridges", "b.csv")
RIVERS = Table(("River", "Length (km)"), (("Clear River", "46"), ("Old Moor", "31")), "rivers", "r.csv")
TRIPLES = "青石桥 ||| 设计者 ||| 秦婉\n青石桥 ||| 长度 ||| 46米\n清水河 ||| 支流 ||| 北沟\n"


class Case:
    """An answerer, sources of its kind, questions that they answer, and one that they do not."""

    def __init__(
        self, answerer: Answerer[Any, Any], sources: list[Source], questions: list[str], other: str
    ) -> None:
        self.answerer, self.sources, self.questions, self.other = answerer, sources, questions, other

    def asked(self, *questions: str, **more: Any) -> list[Asked[Any]]:
        prepared = tuple(map(self.answerer.prepare, self.sources))
        return [Asked(Question(question), prepared, **more) for question in questions]


Make = Callable[[Path, Any, Path], Case]


def documents(reader: Path, make_tagger: Any, folder: Path) -> Case:
    sources: list[Source] = [
        Document("color red. size ten.", url="a"),
        Document("The color blue.", url="b"),
    ]
    return Case(DocumentAnswerer([Reader.load(reader)]), sources, ["Color?", "size", "颜 color"], "name")


def tagged(reader: Path, make_tagger: Any, folder: Path) -> Case:
    tags = {"颜": ["B-condition"], "红": ["B-fine"], "蓝": ["I-fine"]}
    tagger = make_tagger("contract", [["condition"], ["fine"]], tags, language="zh", window=80)
    sources: list[Source] = [Document("颜的红。红蓝。", url="a"), Document("color red", url="b")]
    answerer = DocumentAnswerer([Reader.load(reader)], [Tagger.load(tagger)])
    return Case(answerer, sources, ["颜的", "color", "的"], "大")


def passages(reader: Path, make_tagger: Any, folder: Path) -> Case:
    answerer = DocumentAnswerer([Reader.load(reader)], retrieve=False)
    return Case(answerer, [Document("color red. size ten.", url="a")], ["color", "size"], "name")


class SilentModel(Client):
    """A language model that quotes nothing that stands anywhere, and nobody is asked."""

    def complete(self, prompt: Prompt[Any]) -> Completion[Any]:
        return Completion(parsed=Reading([], "span", ["no such words"]))


def prompted(reader: Path, make_tagger: Any, folder: Path) -> Case:
    case = documents(reader, make_tagger, folder)
    client = SilentModel("openai:http://127.0.0.1:9/v1#none", cache=None)
    answerer = PromptedAnswerer(case.answerer, client)  # type: ignore[arg-type]
    return Case(answerer, case.sources, case.questions, case.other)


def tables(reader: Path, make_tagger: Any, folder: Path) -> Case:
    questions = [
        "Which bridge was built in 1899?",
        "How long is the Clear River?",
        "How many bridges are there?",
    ]
    return Case(TableAnswerer(), [TABLE, RIVERS], questions, "Who wrote Hamlet?")


def bases(reader: Path, make_tagger: Any, folder: Path) -> Case:
    whole, half = folder / "whole.kb", folder / "half.kb"
    whole.write_text(TRIPLES, encoding="utf-8")
    half.write_text(TRIPLES[: TRIPLES.index("清")], encoding="utf-8")
    sources: list[Source] = [KnowledgeBase(str(whole)), KnowledgeBase(str(half))]
    return Case(KnowledgeAnswerer(), sources, ["谁设计了青石桥？", "清水河有哪些支流？"], "今天星期几？")


@pytest.fixture(
    scope="module",
    params=[documents, tagged, passages, prompted, tables, bases],
    ids=lambda make: make.__name__,
)
def case(
    request: pytest.FixtureRequest,
    reader_folder: Path,
    make_tagger: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Case:
    made: Case = request.param(reader_folder, make_tagger, tmp_path_factory.mktemp("contract"))
    return made


def test_a_reply_for_each_question_in_order(case: Case) -> None:
    questions = [*case.questions, case.other] * 3
    replies = list(case.answerer.answer(case.asked(*questions)))
    assert [reply.question.text for reply in replies] == questions
    assert replies[: len(questions) // 3] * 3 == replies
    assert all(reply.answers for reply in replies if reply.question.text in case.questions)


def test_asked_alone_and_together_the_reply_is_the_same(case: Case) -> None:
    together = list(case.answerer.answer(case.asked(*case.questions, case.other)))
    alone = [next(iter(case.answerer.answer([each]))) for each in case.asked(*case.questions, case.other)]
    assert together == alone


def test_what_is_prepared_once_can_be_asked_again(case: Case) -> None:
    asked = case.asked(*case.questions)
    assert list(case.answerer.answer(asked)) == list(case.answerer.answer(asked))
    # And is no other than what is prepared again.
    assert list(case.answerer.answer(asked)) == list(case.answerer.answer(case.asked(*case.questions)))


def test_what_is_prepared_has_its_source(case: Case) -> None:
    assert [case.answerer.prepare(source).source for source in case.sources] == case.sources


def test_no_questions(case: Case) -> None:
    assert list(case.answerer.answer([])) == []


def test_questions_come_as_a_stream(case: Case) -> None:
    asked = case.asked(*case.questions)
    assert list(case.answerer.answer(each for each in asked)) == list(case.answerer.answer(asked))


def test_a_question_without_sources_has_no_answer(case: Case) -> None:
    first, last = case.asked(case.questions[0], case.questions[-1])
    without = Asked(Question("Can I get it?"), ())
    replies = list(case.answerer.answer([first, without, last]))
    assert replies[1] == Reply(without.question, (), 1.0)
    assert [replies[0], replies[2]] == list(case.answerer.answer([first, last]))


def test_scores_are_probabilities(case: Case) -> None:
    for reply in case.answerer.answer(case.asked(*case.questions, case.other, top=50)):
        assert 0 <= reply.unanswerable <= 1
        assert all(0 <= answer.score <= 1 for answer in reply.answers)
        # Answers that hold together are no alternatives: each has its own probability.
        if not reply.together:
            assert sum(answer.score for answer in reply.answers) + reply.unanswerable <= 1 + 1e-9


def test_a_question_that_the_sources_do_not_answer(case: Case) -> None:
    (reply,) = case.answerer.answer(case.asked(case.other))
    assert not reply.answered
    assert all(answer.score < reply.unanswerable for answer in reply.answers)


def test_no_more_alternatives_than_asked_for(case: Case) -> None:
    for many, one in zip(
        case.answerer.answer(case.asked(*case.questions, top=5)),
        case.answerer.answer(case.asked(*case.questions, top=1)),
        strict=True,
    ):
        if not many.together:
            assert [answer.text for answer in one.answers] == [answer.text for answer in many.answers[:1]]


def test_the_number_of_answers_is_each_questions_own(case: Case) -> None:
    (few,), (many,) = case.asked(case.questions[0], top=1), case.asked(case.questions[0], top=20)
    mixed = list(case.answerer.answer([few, many, few]))
    assert mixed == [next(iter(case.answerer.answer([each]))) for each in (few, many, few)]
