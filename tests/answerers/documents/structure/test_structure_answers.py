"""Structured answers, on models whose answers and spans are known by construction."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.structure import finder as structure
from caveat.answerers.documents.structure.finder import BestSpan, StructureFinder, as_answers, is_structured
from caveat.answerers.documents.structure.relations import (
    RELATIONS,
    Related,
    embedded_model,
    nearest_coarse,
    nearest_condition_of_the_uppermost,
)
from caveat.answerers.documents.structure.spans import Span
from caveat.answerers.engine import Engine, load
from caveat.core.answers import Answer, Condition, Place
from caveat.core.errors import InputError
from caveat.core.records import Document, Reply, from_json, to_json
from caveat.models.reader import Reader
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed_model import ReadRequest
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text

# Conditions are 颜色, coarse answers 大小, fine ones 红 and what follows of 蓝 and 十. The reader's answer to 的 is
# what stands behind the first 的, one token.
TAGS = {
    "颜": ["B-condition"],
    "色": ["I-condition"],
    "大": ["B-coarse"],
    "小": ["I-coarse"],
    "红": ["B-fine"],
    "蓝": ["I-fine"],
    "十": ["I-fine"],
}


class Nearest:
    """Relations by the nearest head, a coarse one in the same sentence, which are known beforehand."""

    def relate(self, context: str, spans: Iterable[Span], question: str) -> list[Related]:
        spans = list(spans)
        coarse = [pair for pair in nearest_coarse(spans) if "。" not in context[pair[0].end : pair[1].start]]
        pairs = [*nearest_condition_of_the_uppermost(context, spans), *coarse]
        return [Related(head, tail, 0.9) for head, tail in pairs]


@pytest.fixture(autouse=True)
def _decided_by_the_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader made by hand is sure of everything, and its answer may be far from the spans."""
    monkeypatch.setattr(structure, "MOST_ANSWERABLE", 1.0)
    monkeypatch.setattr(structure, "FARTHEST", 4000)


@pytest.fixture(scope="module")
def zh_folder(make_tagger: Any) -> Path:
    folder: Path = make_tagger(
        "structure", [["condition"], ["coarse", "fine"]], TAGS, language="zh", window=80
    )
    return folder


@pytest.fixture(scope="module")
def engine(reader_folder: Path, zh_folder: Path) -> Engine:
    engine = load([reader_folder, zh_folder])
    for finder in engine.documents.finders.values():
        finder.__dict__["relations"] = Nearest()
    return engine


def outline(answers: Iterable[Answer]) -> list[Any]:
    """Texts alone: an answer, its conditions, its parts."""
    return [
        (
            answer.text,
            *([c.text for c in answer.conditions],) * bool(answer.conditions),
            *outline(answer.parts),
        )
        for answer in answers
    ]


def in_order(answers: Iterable[Answer]) -> list[Any]:
    return outline(sorted(answers, key=lambda answer: (answer.place and answer.place.start) or 0))


def every(answers: Iterable[Answer]) -> Iterator[Answer | Condition]:
    for answer in answers:
        yield answer
        yield from answer.conditions
        yield from every(answer.parts)


def test_the_tree(engine: Engine) -> None:
    text = "的红。颜色，大小是红蓝，红十。颜色，红。"
    reply = engine.ask("的", Document(text, url="a.txt"), top=1)
    assert reply.together
    # Its answers are not alternatives: all are there.
    assert in_order(reply.answers) == [
        ("红",),
        ("大小", ["颜色"], ("红蓝",), ("红十",)),
        ("红", ["颜色"]),
    ]
    coarse = next(answer for answer in reply.answers if answer.parts)

    def place(start: int, end: int) -> Place:
        return Place("a.txt", start, end, sentence=text[3:15])

    assert coarse.place == place(6, 8)
    assert coarse.conditions == (Condition("颜色", place(3, 5), "以下情况是否属实：颜色？"),)
    assert [part.place for part in coarse.parts] == [place(9, 11), place(12, 14)]
    assert coarse.evidence == coarse.parts[0].evidence == (place(3, 15),)
    assert from_json(to_json(reply), Reply) == reply


def test_scores_are_the_spans_times_that_there_is_an_answer(engine: Engine) -> None:
    text = "的红，大小。"
    reply = engine.ask("的", Document(text))
    (tagged,) = engine.taggers[0].tag([ReadRequest("的", text)])
    flat = engine.ask("的", Document(text), structure=False)
    # The reader says how probable it is that there is an answer, the tagger what it is.
    answerable = 1 - flat.unanswerable
    assert reply.unanswerable == pytest.approx(flat.unanswerable)
    scores = {span.text: span.score * answerable for span in tagged.spans}
    assert {answer.text: answer.score for answer in reply.answers} == pytest.approx(scores)


def test_the_reader_alone(engine: Engine, reader_folder: Path) -> None:
    document = Document("的红。颜色，大小是红蓝。")
    flat = engine.ask("的", document, structure=False)
    assert not flat.together
    assert flat == load(reader_folder).ask("的", document)
    assert list(engine.ask_many([("的", document)], structure=False)) == [flat]


@pytest.mark.parametrize(
    ("question", "text", "together"),
    [
        # One answer without a condition is what the reader says better.
        ("的", "的红，是。", False),
        ("的", "颜色，的是红。", True),
        ("的", "的红，大。", True),
        # A condition of nothing.
        ("的", "颜色，的是。", False),
        # The reader finds no answer.
        ("size", "的红，大小。", False),
        # Not of the tagger's language.
        ("color", "color red. 红，大小。", False),
        ("的", "的。", False),
    ],
)
def test_when_a_reply_is_structured(engine: Engine, question: str, text: str, together: bool) -> None:
    reply = engine.ask(question, Document(text))
    assert reply.together == together
    if not together:
        assert reply == engine.ask(question, Document(text), structure=False)


def tagged_answer(start: int, end: int, *conditions: Condition) -> Answer:
    return Answer("红" * (end - start), "span", 0.9, Place("", start, end), conditions)


def test_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("红" * 100)
    found = BestSpan("的", document, 50, 52, 0.6)
    two = [tagged_answer(10, 12), tagged_answer(60, 62)]
    assert is_structured(found, two, 0.9)
    assert not is_structured(found, two[:1], 0.9)
    assert not is_structured(found, (), 0.9)
    assert is_structured(found, [tagged_answer(60, 62, Condition("颜色"))], 0.9)
    assert is_structured(found, [msgspec.structs.replace(two[0], parts=(two[1],))], 0.9)
    assert not is_structured(found, two, 0.4)
    assert not is_structured(msgspec.structs.replace(found, answerable=0.01), two, 0.9)
    # From 52 to 60; what overlaps, or touches, is 0 away.
    monkeypatch.setattr(structure, "FARTHEST", 8)
    assert is_structured(found, two, 0.9)
    monkeypatch.setattr(structure, "FARTHEST", 7)
    assert not is_structured(found, two, 0.9)
    assert is_structured(found, [*two, tagged_answer(51, 53)], 0.9)


def test_a_reader_that_is_very_sure_has_the_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = BestSpan("的", Document("红" * 100), 50, 52, 0.999)
    two = [tagged_answer(50, 52), tagged_answer(60, 62)]
    assert is_structured(found, two, 0.9)
    monkeypatch.undo()
    assert not is_structured(found, two, 0.9)


def test_only_the_passage_of_the_readers_answer_is_tagged(engine: Engine) -> None:
    other = Document("红，大小。", url="other")
    page = msgspec.structs.replace(
        parse_markdown("# 大小\n\n是红蓝。\n\n## 十\n\n的红。\n\n大。\n\n## 小\n\n红十。\n"), url="page"
    )
    reply = engine.ask("的", other, page, other)
    assert reply.together
    assert in_order(reply.answers) == [("红",), ("大",)]
    assert {answer.place and (answer.place.source, answer.place.headings) for answer in reply.answers} == {
        ("page", ("大小", "十"))
    }
    # As much of a long text as the tagger sees at once.
    long = Document("红，" * 500 + "的红。" + "大，" * 500, url="long")
    places = [answer.place for answer in engine.ask("的", long).answers]
    assert all(place and 900 < (place.start or 0) < 1100 for place in places)


def test_spans_across_elements_are_no_answers(engine: Engine) -> None:
    text = "的红\n\n蓝，大。\n\n红蓝"
    assert in_order(engine.ask("的", parse_plain_text(text)).answers) == [("大",), ("红蓝",)]
    assert in_order(engine.ask("的", Document(text)).answers) == [("红\n\n蓝",), ("大",), ("红蓝",)]


def test_many_questions_at_once(engine: Engine) -> None:
    documents = [Document("的红，大。"), Document("的是。"), Document("颜色，的红。")]
    pairs = [("的", document) for document in documents] * 50
    replies = list(engine.ask_many(pairs))
    assert [reply.together for reply in replies[:3]] == [True, False, True]
    assert replies == [engine.ask("的", document) for document in documents] * 50


def span(kind: Any, text: str, words: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return Span(kind, start, start + len(words))


def test_what_belongs_together() -> None:
    text = "if A or B use creams: x, y. If C, x. Wash, if D."
    a, b, c, d = (span("condition", text, letter) for letter in "ABCD")
    creams, wash = span("coarse", text, "creams"), span("fine", text, "Wash")
    x, y, again = span("fine", text, "x"), span("fine", text, "y"), span("fine", text, "x", 1)
    scores = {a: 0.9, b: 0.9, c: 0.9, d: 0.9, creams: 0.5, x: 0.6, y: 0.7, again: 0.8, wash: 0.4}
    related = [
        Related(b, creams, 0.9),
        Related(a, creams, 0.6),
        # Not repeated on the part, but its own condition is.
        Related(a, x, 0.9),
        Related(c, y, 0.7),
        Related(creams, x, 0.9),
        Related(creams, y, 0.9),
        Related(c, again, 0.9),
    ]
    answers = as_answers(Document("… " + text), 2, scores, related)
    assert outline(answers) == [
        ("x", ["C"]),
        ("creams", ["A", "B"], ("x",), ("y", ["C"])),
        ("Wash",),
    ]
    assert [answer.score for answer in answers] == [0.8, 0.5, 0.4]


def test_the_same_words_are_one_answer() -> None:
    text = "Wash it. Then wash it, or creams: zinc. Creams: Zinc, oil. If A, wash."
    first, second, third = (span("fine", text, *which) for which in (("Wash",), ("wash",), ("wash", 1)))
    creams, again = span("coarse", text, "creams"), span("coarse", text, "Creams")
    zinc, more_zinc, oil = (span("fine", text, word) for word in ("zinc", "Zinc", "oil"))
    condition = span("condition", text, "A")
    scores = {first: 0.5, second: 0.6, third: 0.4, creams: 0.8, again: 0.7}
    scores |= {zinc: 0.5, more_zinc: 0.4, oil: 0.3, condition: 0.9}
    related = [Related(creams, zinc, 0.9), Related(again, more_zinc, 0.9), Related(again, oil, 0.9)]
    answers = as_answers(Document(text), 0, scores, [*related, Related(condition, third, 0.9)])
    assert outline(answers) == [("creams", ("zinc",), ("oil",)), ("wash",), ("wash", ["A"])]
    shown = [text[place.start : place.end] for place in answers[1].evidence]
    assert shown == ["Then wash it, or creams: zinc.", "Wash it."]


def test_a_list(reader_folder: Path, make_tagger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of a kind that is not CMQA's there is nothing to relate.
    monkeypatch.setattr(structure, "embedded_model", None)
    tags = {"red": ["B-answer"], "blue": ["B-answer"], "dark": ["B-answer"], "green": ["I-answer"]}
    english = load([reader_folder, make_tagger("list", [["answer"]], tags, language="en")])
    reply = english.ask("color", Document("The color red, dark green and blue. Red!"))
    assert reply.together
    assert sorted(answer.text.lower() for answer in reply.answers) == ["blue", "dark green", "red"]
    assert not english.ask("颜", Document("颜 red, blue")).together


def test_answers_of_another_kind_may_have_conditions(reader_folder: Path, make_tagger: Any) -> None:
    tags = {"red": ["B-answer"], "dog": ["B-condition"]}
    folder = make_tagger("conditions", [["condition", "answer"]], tags, language="en")
    finder = StructureFinder(Tagger.load(folder))
    finder.__dict__["relations"] = Nearest()
    document = Document("dog: red")
    tagged = [TaggedSpan("condition", "dog", 0, 3, 0.9), TaggedSpan("answer", "red", 5, 8, 0.8)]
    (answer,) = finder.tree(BestSpan("color", document, 5, 8, 0.5), (0, 8), tagged)
    assert outline([answer]) == [("red", ["dog"])]
    assert answer.score == 0.4


def test_five_hundred_spans_and_overlapping_ones(zh_folder: Path) -> None:
    finder = StructureFinder(Tagger.load(zh_folder))
    text = "颜色，大小是红蓝。" * 125
    document = Document(text)
    tagged = [
        TaggedSpan(kind, text[at : at + length], at, at + length, 0.9)
        for begin in range(0, len(text), 9)
        for kind, at, length in (
            ("condition", begin, 2),
            ("condition", begin, 9),
            ("coarse", begin + 3, 5),
            ("fine", begin + 6, 2),
        )
    ]
    answers = finder.tree(BestSpan("的", document, 0, 1), (0, len(text)), tagged)
    assert len(tagged) == 500
    # The same words are the same answer.
    assert {answer.text for answer in answers} <= {"大小是红蓝", "红蓝"}
    assert 1 <= len(answers) < 10
    assert not finder.tree(BestSpan("的", document, 0, 1), (0, len(text)), [])


def test_the_relation_model(zh_folder: Path, tmp_path: Path) -> None:
    assert StructureFinder(Tagger.load(zh_folder)).relations is embedded_model()
    folder = Path(shutil.copytree(zh_folder, tmp_path / "model"))
    (folder / RELATIONS).write_text('{"about": {}, "features": {"mine": {"size": 1}}}')
    assert list(StructureFinder(Tagger.load(folder)).relations.features) == ["mine"]


def test_the_tagger_is_loaded_only_when_it_is_needed(
    reader_folder: Path, zh_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, "LEAST_ANSWERABLE", 0.5)
    engine = load([reader_folder, zh_folder])
    (tagger,) = engine.taggers
    engine.ask("color", Document("color red"))
    engine.ask("的", Document("的红，大。"), structure=False)
    engine.ask("是", Document("的红，大。"))  # not answered
    assert tagger._tools is None
    engine.ask("的", Document("的红，大。"))
    assert tagger._tools is not None


def test_models_are_sorted_by_their_task(reader_folder: Path, zh_folder: Path, tagger_folder: Path) -> None:
    engine = load([tagger_folder, reader_folder, zh_folder])
    assert [reader.card.name for reader in engine.readers] == ["tiny"]
    tagger = engine.tagger_for("zh")
    assert tagger is not None
    assert tagger.card.name == "structure"
    # That of many languages is for all others.
    tagger = engine.tagger_for("en")
    assert tagger is not None
    assert tagger.card.name == "tiny-structure"
    assert load([reader_folder, zh_folder]).tagger_for("en") is None
    with pytest.raises(InputError, match="a reader has to find the passage"):
        load(zh_folder)
    with pytest.raises(InputError, match="a model for 'reader', expected one for 'structure'"):
        Engine([Reader.load(reader_folder)], [Reader.load(reader_folder)])  # type: ignore[list-item]


def test_what_comes_with_the_package() -> None:
    engine = load()
    assert all(reader.card.task in ("reader", "joint") for reader in engine.readers)
    assert all(tagger.card.task == "structure" for tagger in engine.taggers)


@given(st.text(st.sampled_from("颜色大小红蓝十的，。 \n\t-#Ä\u0301ﬁＡ１😀\u200d\ud800a"), max_size=100))
def test_every_text_is_the_documents_at_its_place(engine: Engine, text: str) -> None:
    text = f"的红，大。{text}"
    for document in (Document(text), parse_plain_text(text), parse_markdown(text)):
        reply = engine.ask("的", document)
        for each in every(reply.answers):
            assert each.place is not None
            assert each.text == document.text[each.place.start : each.place.end]
        for answer in reply.answers:
            assert reply.together or not (answer.parts or answer.conditions)
            (first, *_) = answer.evidence
            assert answer.text in document.text[first.start : first.end]
