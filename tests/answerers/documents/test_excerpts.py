"""A question on a large text reads an excerpt, and its reply is about the text."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caveat.models.windowed_model
from caveat import Document, Engine, Question, load
from caveat.answerers.contract import Asked
from caveat.answerers.documents.excerpts import LARGE, excerpts_of
from caveat.answerers.documents.sections import Sections
from caveat.core.answers import Answer, Place
from caveat.models.encoding import EncodedText, encode_text
from caveat.sources.outline import Block, assemble, headings_at
from caveat.sources.read import parse_file


def filling(number: int, chinese: bool) -> str:
    if chinese:
        return f"{number}号码头的船只须在{number % 28}日内通知{number * 7 % 97}号办公室，费用另计。" * 5
    return f"Vessels of pier {number} inform office {number * 7 % 97} within {number % 28} days. " * 5


def large(kind: str, chinese: bool) -> bytes:
    """About 600,000 characters, the answer past their middle."""
    needle = (
        "格里姆岛的灯塔看守人每周工资为417克朗。" if chinese else "The keeper of Grimholm earns 417 crowns."
    )
    paragraphs = [filling(number, chinese) for number in range(4_800 if chinese else 2_200)]
    paragraphs[len(paragraphs) * 2 // 3] += needle
    if kind == "html":
        return "".join(f"<h2>{at}</h2><p>{text}</p>" for at, text in enumerate(paragraphs)).encode()
    between = "\n\n## Pier\n\n" if kind == "md" else "\n\n"
    return between.join(paragraphs).encode()


def places(answer: Answer) -> Iterator[Place]:
    if answer.place is not None:
        yield answer.place
    yield from answer.evidence
    yield from (condition.place for condition in answer.conditions if condition.place is not None)
    for part in answer.parts:
        yield from places(part)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load(threads=1)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the texts are that are cut into tokens."""
    lengths: list[int] = []

    def encode(tokenizer: object, text: str) -> EncodedText:
        lengths.append(len(text))
        return encode_text(tokenizer, text)  # type: ignore[arg-type]

    monkeypatch.setattr(caveat.models.windowed_model, "encode_text", encode)
    return lengths


@pytest.mark.parametrize("kind", ["txt", "md", "html"])
@pytest.mark.parametrize("chinese", [False, True])
def test_of_a_large_text_little_is_read_and_the_answer_is_found(
    engine: Engine, encoded: list[int], kind: str, chinese: bool
) -> None:
    document = parse_file(large(kind, chinese), f"a.{kind}").document
    assert document is not None
    assert len(document.text) > 2 * LARGE
    question = (
        "格里姆岛的灯塔看守人每周工资是多少？" if chinese else "How much does the keeper of Grimholm earn?"
    )
    reply = engine.ask(question, document)
    assert "417" in reply.answers[0].text
    assert sum(encoded) < LARGE
    for answer in reply.answers:
        for place in places(answer):
            assert place.source == document.url
            assert place.sentence in document.text
            assert place.start is not None
            assert document.text[place.start : place.end] in place.sentence
        if answer.place is not None:
            assert document.text[answer.place.start : answer.place.end] == answer.text
            assert answer.place.start is not None
            assert answer.place.headings == headings_at(document, answer.place.start)


def test_yes_or_no_is_told_from_an_excerpt_too(engine: Engine, encoded: list[int]) -> None:
    document = parse_file(large("txt", False), "a.txt").document
    assert document is not None
    reply = engine.ask("Does the keeper of Grimholm earn 417 crowns?", document)
    assert reply.answers[0].kind == "yes"
    assert sum(encoded) < LARGE
    assert any(place.sentence.endswith("417 crowns.") for place in reply.answers[0].evidence)


def test_places_of_texts_of_one_name_are_told_apart(engine: Engine) -> None:
    texts = [[filling(number, False) for number in range(800)] for _ in range(3)]
    texts[1][700] += "The keeper of Grimholm earns 417 crowns."
    documents = [Document("\n\n".join(text)) for text in texts]
    reply = engine.ask("How much does the keeper of Grimholm earn?", *documents)
    best = reply.answers[0].place
    assert best is not None
    assert best.source == ""
    assert documents[1].text[best.start : best.end] == reply.answers[0].text


def test_a_page_is_that_of_the_text(engine: Engine) -> None:
    blocks = [Block("p", 0, filling(at, False).strip(), page=1 + at // 10) for at in range(900)]
    blocks[655] = Block("p", 0, "The keeper of Grimholm earns 417 crowns.", page=66)
    reply = engine.ask("How much does the keeper of Grimholm earn?", assemble(blocks))
    assert reply.answers[0].place is not None
    assert reply.answers[0].place.page == 66


def test_shorter_texts_and_thorough_engines_have_no_excerpts() -> None:
    question = Question("How much is it?")
    for engine, length, is_whole in (
        (load(), LARGE, True),
        (load(), LARGE + 1, False),
        (load(thorough=True), LARGE + 1, True),
    ):
        prepared = engine.documents.prepare(Document("x " * (length // 2) + "x" * (length % 2)))
        asked = Asked(question, (prepared,))
        assert (engine.documents.excerpted(asked)[0] is asked) == is_whole


BLOCKS = st.lists(
    st.builds(
        Block,
        st.sampled_from(["p", "p", "p", "li", "tr", "h1", "h2", "h3"]),
        st.integers(0, 2),
        st.sampled_from(["pilot", "The pilot earns nine crowns.", "harbour " * 90, "年休假为五天。" * 80]),
        st.sampled_from(["", "1. ", "（一）"]),
        st.just(0),
        turns=st.just(()),
    ),
    max_size=60,
)


@given(BLOCKS)
def test_an_excerpt_is_of_the_text_and_has_its_headings(blocks: list[Block]) -> None:
    text = assemble(blocks)
    # So short that something is left out.
    with patch("caveat.answerers.documents.excerpts._EXCERPT", 3_000):
        [excerpt] = excerpts_of([Sections(text)], Question("What does a pilot earn, 年假?"))
    document = excerpt.document
    for element in document.elements:
        found = excerpt.place(Place(document.url, element.start, element.end))
        assert found.start is not None
        assert text.text[found.start : found.end] == element.text
        assert headings_at(document, element.start) == headings_at(text, found.start)
