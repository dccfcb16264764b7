"""How much of a document around an answer is read at once, and whether a text speaks of what a question is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.retrieval import passage_around
from caveat.core.records import Document, Element
from caveat.language.content_words import spoken_of
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

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
