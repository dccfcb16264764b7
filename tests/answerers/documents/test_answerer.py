"""What the document answerer offers beside the contract, on models whose answers are known by construction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.core.errors import CaveatError, UsageError
from caveat.core.records import Document, Question
from caveat.models.embedded import find
from caveat.models.judge import Judge
from caveat.models.reader import Reader, ReadRequest
from caveat.models.tagger import Tagger
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
    assert (english.lists, chinese.lists) == (False, True)
    with pytest.raises(CaveatError, match="No model came with this installation"):
        DocumentAnswerer().equipment("en")


def test_a_page_is_made_once(reader: Reader) -> None:
    prepared = DocumentAnswerer([reader]).prepare(PAGE)
    assert prepared.page is prepared.page


def test_how_probable_it_is_that_yes_or_no_depends(reader: Reader) -> None:
    answerer = DocumentAnswerer([reader], judges=[Judge.load(find("judge-en"))])
    prepared = answerer.prepare(PAGE)

    def depends(question: str, **more: Any) -> float | None:
        return answerer.depends(Asked(Question(question), (prepared,), **more))

    found = depends("Can I get a bee permit?")
    assert found is not None
    assert 0 < found < 1
    assert depends("How much is a bee permit?") is None
    assert depends("Can I get a bee permit?", structure=False) is None
    # There is no judge of Chinese.
    assert depends("我可以申请养蜂许可证吗？") is None


def test_a_name_that_is_nowhere_makes_an_answer_less_probable(reader: Reader) -> None:
    answerer = DocumentAnswerer([reader])

    def odds_of_none(text: str, title: str = "") -> float:
        prepared = answerer.prepare(Document(text, title=title))
        (reply,) = answerer.answer([Asked(Question("What color has Bruno Quill?"), (prepared,))])
        assert reply.answers
        return reply.unanswerable / (1 - reply.unanswerable)

    unknown = odds_of_none("color red is his")
    assert odds_of_none("color red is his", title="Bruno Quill") == pytest.approx(unknown * math.exp(-2.4))


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


def test_questions_in_two_languages_keep_their_order(
    reader: Reader, reader_folder: Path, make_tagger: Any
) -> None:
    tagger = Tagger.load(make_tagger("two", [["fine"]], {"红": ["B-fine"]}, language="zh"))
    answerer = DocumentAnswerer([reader], [tagger], [Judge.load(find("judge-en"))])
    pairs = [
        ("color", "color red"),
        ("颜", "颜红"),
        ("Can I get a color?", "You can get a color."),
        ("颜", "颜蓝"),
    ] * 50
    many = asked(answerer, *pairs)
    replies = list(answerer.answer(each for each in many))
    assert [reply.question.text for reply in replies] == [question for question, _ in pairs]
    assert replies[:4] * 50 == replies
    assert [reply.answers[0].text for reply in replies[:4]] == ["red", "红", "yes", "蓝"]
