"""What the document answerer offers beside the contract, on models whose answers are known by construction."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.core.errors import CaveatError, UsageError
from caveat.core.records import Document, Question
from caveat.models.joint import JointReader, load_reader
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.tagger import Tagger
from caveat.models.windowed_model import ReadRequest
from caveat.sources.markdown import parse_markdown

PAGE = parse_markdown("# Bee permit\n\nYou can get a bee permit if you rent a garden.\n")


def asked(answerer: DocumentAnswerer, *pairs: tuple[str, str], **more: Any) -> list[Asked[PreparedDocument]]:
    return [
        Asked(Question(question), (answerer.prepare(Document(text)),), **more) for question, text in pairs
    ]


@pytest.fixture(scope="module")
def reader(reader_folder: Path) -> Reader:
    return Reader.load(reader_folder)


def test_what_there_is_for_a_language(reader: Reader, make_tagger: Any) -> None:
    tagger = Tagger.load(make_tagger("zh", [["fine"]], {"红": ["B-fine"]}, language="zh"))
    answerer = DocumentAnswerer([reader], [tagger])
    english, chinese = answerer.equipment("en"), answerer.equipment("zh")
    assert (english.reader, english.finder, english.rules) == (reader, None, True)
    assert (chinese.finder, chinese.rules) == (answerer.finders[tagger], False)
    assert (english.joint, english.weights) == (None, None)
    with pytest.raises(CaveatError, match="No model came with this installation"):
        DocumentAnswerer().equipment("en")


def test_a_page_is_made_once(reader: Reader) -> None:
    prepared = DocumentAnswerer([reader]).prepare(PAGE)
    assert prepared.page is prepared.page


@pytest.fixture(scope="module")
def joint(joint_folder: Path) -> JointReader:
    found = load_reader(joint_folder, limit=Limit())
    assert isinstance(found, JointReader)
    return found


def test_a_joint_reader_decides_by_the_weights_beside_it(joint: JointReader, tmp_path: Path) -> None:
    equipment = DocumentAnswerer([joint]).equipment("en")
    assert equipment.joint is joint
    assert equipment.weights is not None
    # Without weights it is a reader of spans.
    shutil.copytree(joint.folder, tmp_path / "alone")
    (tmp_path / "alone" / "decision.json").unlink()
    alone = load_reader(tmp_path / "alone", limit=Limit())
    answerer = DocumentAnswerer([alone])
    assert answerer.equipment("en").weights is None
    (reply,) = answerer.answer(asked(answerer, ("is the color red", "the color is red")))
    assert {answer.kind for answer in reply.answers} == {"span"}


@pytest.mark.parametrize(
    ("question", "text", "kinds", "texts"),
    [
        ("is the color red", "the color is red", ["yes", "no"], ["yes", "no"]),
        ("is the color red", "the color is not red", ["no", "yes"], ["no", "yes"]),
        # After "color" come "red" and "blue", each of which is in an answer.
        ("color", "color red and color blue", ["span", "span"], ["red", "blue"]),
    ],
)
def test_what_a_joint_reader_answers(
    joint: JointReader, question: str, text: str, kinds: list[str], texts: list[str]
) -> None:
    answerer = DocumentAnswerer([joint])
    (reply,) = answerer.answer(asked(answerer, (question, text)))
    assert reply.answered
    assert [answer.kind for answer in reply.answers] == kinds
    assert [answer.text for answer in reply.answers] == texts
    assert reply.together == (len(texts) > 1 and kinds[0] == "span")


def test_spans_of_a_joint_reader(joint: JointReader) -> None:
    answerer = DocumentAnswerer([joint])
    (reply,) = answerer.answer(asked(answerer, ("color", "the color red. dog")))
    assert reply.answered
    assert not reply.together
    assert (reply.answers[0].kind, reply.answers[0].text) == ("span", "red")


def test_what_a_joint_reader_does_not_answer(joint: JointReader) -> None:
    answerer = DocumentAnswerer([joint])
    replies = answerer.answer(
        asked(answerer, ("size", "the color red. dog"), ("size", ""), ("", "color red"))
    )
    for reply in replies:
        assert not reply.answered
        assert reply.unanswerable > 0.5


def test_proposals_are_what_is_decided_among(joint: JointReader) -> None:
    answerer = DocumentAnswerer([joint])
    pairs = [("color", "the color red. dog"), ("is the color red", "the color is red"), ("size", "")]
    for found in answerer.proposals(asked(answerer, *pairs), {"is": 0.5}):
        kinds = [each.kind for each in found.each]
        assert kinds[-4:] == ["yes", "no", "none", "missed"]
        assert all(each.features[each.kind] == 1.0 for each in found.each)


def test_passages_are_read_as_the_model_has_it(reader: Reader) -> None:
    texts = [
        ("color", "color red. " * 30),
        ("size", "color red"),
        ("color", "color — . color dark red stop"),
        ("", ""),
    ]
    answerer = DocumentAnswerer([reader], retrieve=False)
    replies = list(answerer.answer(asked(answerer, *texts, top=1, structure=False)))
    results = reader.read(ReadRequest(question, text) for question, text in texts)
    for reply, weighed in zip(replies, (reader.weigh([result]) for result in results), strict=True):
        assert [answer.text for answer in reply.answers] == [choice.text for choice in weighed.choices[:1]]
        assert reply.unanswerable == weighed.unanswerable


def spans(answerer: DocumentAnswerer, pairs: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    found = answerer.all_spans(each for each in asked(answerer, *pairs))
    return [[(span.kind, span.text) for span in several] for several in found]


def test_all_spans_are_the_items_of_the_readers_best(reader: Reader) -> None:
    answerer = DocumentAnswerer([reader], retrieve=False)
    pairs = [("color", "color dark, red and blue stop"), ("color", "the color red"), ("name", "")]
    assert spans(answerer, pairs) == [
        [("answer", "dark"), ("answer", "red"), ("answer", "blue stop")],
        [("answer", "red")],
        [],
    ]


def test_all_spans_of_several_taggers_in_the_order_of_the_text(make_tagger: Any) -> None:
    fine = Tagger.load(make_tagger("fine", [["fine"]], {"红": ["B-fine"], "蓝": ["I-fine"]}, language="zh"))
    coarse = Tagger.load(make_tagger("coarse", [["coarse"]], {"大": ["B-coarse"]}, language="zh"))
    answerer = DocumentAnswerer(taggers=[fine, coarse])
    pairs = [("颜", "红蓝，大。红"), ("颜", "的"), ("颜", "大红")] * 20
    assert (
        spans(answerer, pairs)
        == [
            [("fine", "红蓝"), ("coarse", "大"), ("fine", "红")],
            [],
            [("coarse", "大"), ("fine", "红")],
        ]
        * 20
    )
    with pytest.raises(UsageError, match="Two of the models find spans of the kind 'fine'"):
        list(DocumentAnswerer(taggers=[fine, fine]).all_spans([]))


def test_questions_in_two_languages_keep_their_order(joint: JointReader, make_tagger: Any) -> None:
    tagger = Tagger.load(make_tagger("two", [["fine"]], {"红": ["B-fine"]}, language="zh"))
    answerer = DocumentAnswerer([joint], [tagger])
    pairs = [
        ("color", "color red"),
        ("颜", "颜红"),
        ("is the color red", "the color is red"),
        ("颜", "颜蓝"),
    ] * 50
    many = asked(answerer, *pairs)
    replies = list(answerer.answer(each for each in many))
    assert [reply.question.text for reply in replies] == [question for question, _ in pairs]
    assert replies[:4] * 50 == replies
    assert [reply.answers[0].text for reply in replies[:4]] == ["red", "红", "yes", "蓝"]
