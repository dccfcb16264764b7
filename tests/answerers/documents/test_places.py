"""What a place says can be checked by anyone: the span, the sentence around it, the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.places import place_in
from caveat.answerers.engine import Engine
from caveat.core.answers import Answer, Place
from caveat.core.records import Document
from caveat.models.reader import Reader
from caveat.models.tagger import Tagger
from caveat.sources.markdown import read_markdown
from caveat.sources.outline import Block, assemble
from caveat.sources.plain_text import parse_plain_text

WORDS = st.sampled_from(
    ("color", "red", "size.", "ten!", "颜", "的红。", "\n", "\n\n", "# ", "- ", " ", "Mr. X", "a\r\nb")
)


def all_of(answers: tuple[Answer, ...]) -> Iterator[Answer]:
    for answer in answers:
        yield answer
        yield from all_of(answer.parts)


def check(place: Place, text: str, document: Document) -> None:
    assert place.start is not None
    assert document.text[place.start : place.end] == text
    assert text in place.sentence
    assert place.sentence in document.text


@given(st.lists(WORDS, min_size=1, max_size=40).map("".join), st.data())
def test_a_sentence_contains_its_span(text: str, data: Any) -> None:
    for document in (Document(text), parse_plain_text(text), read_markdown(text, "")[0]):
        if not document.text:
            continue
        start = data.draw(st.integers(0, len(document.text) - 1))
        end = data.draw(st.integers(start + 1, len(document.text)))
        check(place_in(document, start, end), document.text[start:end], document)


def test_answers_evidence_and_conditions_stand_where_they_say(reader_folder: Path, make_tagger: Any) -> None:
    tags = {"颜": ["B-condition"], "红": ["B-fine"], "蓝": ["I-fine"]}
    tagger = make_tagger("places", [["condition"], ["fine"]], tags, language="zh", window=80)
    document = Document("size ten. The color red. color blue\n颜的红。红蓝。", url="a")
    engine = Engine([Reader.load(reader_folder)], [Tagger.load(tagger)])
    for question in ("color?", "颜的"):
        for answer in all_of(engine.ask(question, document).answers):
            assert answer.place is not None
            check(answer.place, answer.text, document)
            for place in answer.evidence:
                check(place, document.text[place.start : place.end], document)
            for condition in answer.conditions:
                assert condition.place is not None
                check(condition.place, condition.text, document)


def test_the_page_of_an_answer(reader_folder: Path) -> None:
    pages = [
        Block("p", 0, "size ten.", page=1),
        Block("p", 0, "Nothing else.", page=1),
        Block("p", 0, "color red.", page=3),
    ]
    document = assemble(pages, url="a.pdf")
    assert document.pages == (0, 24, 24)
    reply = Engine([Reader.load(reader_folder)]).ask("color", document)
    best = reply.answers[0]
    assert best.place is not None
    assert (best.text, best.place.page, best.place.sentence) == ("red", 3, "color red.")
    assert [place.page for place in best.evidence] == [3]
