"""How much of a document around an answer is read at once, and whether a text speaks of what a question is about."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import caveat.models.windowed_model
from caveat import Engine, Question, load
from caveat.answerers.contract import Asked
from caveat.answerers.documents.retrieval import LARGE, excerpts_of, passage_around
from caveat.answerers.documents.sections import Sections
from caveat.core.answers import Answer, Place
from caveat.core.records import Document, Element
from caveat.language.tokens import spoken_of
from caveat.models.encoding import EncodedText, encode_text
from caveat.sources.markdown import parse_markdown
from caveat.sources.outline import Block, assemble, headings_at
from caveat.sources.plain_text import parse_plain_text
from caveat.sources.read import parse_file

PAGE = parse_markdown(
    "# 君子兰\n\n喜欢半阴。\n\n- 少浇水\n- 换土\n\n每年开花。\n\n## 病害\n\n叶子会发黄。\n\n烂根要剪掉。\n"
)


def around(document: Document, span: str, tokens: int) -> str:
    start = document.text.index(span)
    first, last = passage_around(document, start, start + len(span), tokens)
    return document.text[first:last]


@pytest.mark.parametrize(
    ("tokens", "passage"),
    [
        (1, "换土"),
        (2, "换土"),
        # Before it first, then behind it; line ends and marks count little.
        (6, "少浇水\n换土"),
        (11, "少浇水\n换土\n每年开花。"),
        (17, "喜欢半阴。\n少浇水\n换土\n每年开花。"),
        # Not beyond a heading.
        (1000, "喜欢半阴。\n少浇水\n换土\n每年开花。"),
    ],
)
def test_it_grows_by_whole_elements_under_one_heading(tokens: int, passage: str) -> None:
    assert around(PAGE, "换土", tokens) == passage


def test_a_heading_is_a_passage_of_its_own() -> None:
    assert around(PAGE, "病害", 1000) == "病害"
    assert around(PAGE, "烂根", 1000) == "叶子会发黄。\n烂根要剪掉。"


def test_english_has_fewer_tokens_than_characters() -> None:
    page = parse_plain_text("one two three four\n\nfive six seven eight\n\nnine ten")
    assert around(page, "six", 10) == "one two three four\n\nfive six seven eight"
    assert around(page, "six", 12) == page.text


def test_a_long_element_is_cut_between_sentences() -> None:
    page = parse_plain_text("一二三。四五六。七八九。十十十。\n\n后面。")
    assert around(page, "五", 4) == "四五六。"
    assert around(page, "五", 8) == "一二三。四五六。"
    assert around(page, "六。七", 9) == "四五六。七八九。"
    assert around(page, "五", 12) == "一二三。四五六。七八九。"
    # A sentence that has no end is not cut, but it is not followed to its end either.
    endless = parse_plain_text("字" * 5000 + "答" + "字" * 5000)
    assert around(endless, "答", 100) == "字" * 400 + "答" + "字" * 400


def test_a_text_without_elements_is_plain_text() -> None:
    text = "开头。" * 500 + "\n\n一二三。\n\n四五六。\n\n" + "最后。" * 500
    assert around(Document(text), "五", 10) == "一二三。\n\n四五六。"
    assert around(Document("  "), " ", 10) == " "
    assert around(Document("1. 一二\n2. 三四"), "2. 三", 10) == "一二\n2. 三四"


def test_a_place_beside_all_elements() -> None:
    page = Document("一。\n---\n二。", elements=(Element("p", "一。", 0, 2), Element("p", "二。", 7, 9)))
    assert around(page, "---", 10) == "---"


@given(st.text(st.sampled_from("一二。a \n-#."), max_size=80), st.data())
def test_the_answer_is_in_its_passage(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    tokens = data.draw(st.integers(1, 40))
    for document in (Document(text), parse_plain_text(text), parse_markdown(text)):
        first, last = passage_around(document, start, end, tokens)
        assert 0 <= first <= start <= end <= last <= len(text)


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        # 药 is there, but a single character is no subject beside another.
        ("感冒吃什么药好", "多吃新鲜的蔬菜和水果，可以局部用药。", 0),
        ("吃什么药好？", "可以局部用药。", 1),
        ("感冒怎么办", "多吃新鲜的蔬菜和水果。", 0),
        ("口腔溃疡怎么办？", "口腔溃疡大多能自己愈合。", 1),
        ("口腔溃疡怎么办？", "这种溃疡大多能自己愈合。", 1 / 3),
        ("有什么？", "随便什么。", 1),
        ("What helps against hay fever?", "Hay keeps well in a dry barn.", 1 / 4),
        ("DNA是什么", "A text on dna.", 1),
        ("DNA是什么", "", 0),
        ("", "", 1),
    ],
)
def test_how_much_of_the_subject_a_text_has(question: str, text: str, share: float) -> None:
    assert spoken_of(question, text) == pytest.approx(share)


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
    with patch("caveat.answerers.documents.retrieval._EXCERPT", 3_000):
        [excerpt] = excerpts_of([Sections(text)], Question("What does a pilot earn, 年假?"))
    document = excerpt.document
    for element in document.elements:
        found = excerpt.place(Place(document.url, element.start, element.end))
        assert found.start is not None
        assert text.text[found.start : found.end] == element.text
        assert headings_at(document, element.start) == headings_at(text, found.start)
