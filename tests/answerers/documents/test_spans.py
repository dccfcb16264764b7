"""Which spans can be answers, and spans that list several things."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.amounts import pooled
from caveat.answerers.documents.spans import items_of, place_in, possible_answers, says_something
from caveat.answerers.engine import Engine
from caveat.core.answers import Answer, Place
from caveat.core.records import Document
from caveat.language.question import asks_for_several
from caveat.models.decoding import Candidate
from caveat.models.probability import Weighed, weigh
from caveat.models.reader import Reader, ReadResult
from caveat.models.tagger import Tagger
from caveat.sources.markdown import parse_markdown, read_markdown
from caveat.sources.outline import Block, assemble
from caveat.sources.plain_text import parse_plain_text

PAGE = parse_markdown("## Fares\n\nA ticket costs 4 euros.\n\n- Children: free\n- Dogs: 1 euro\n")


def kept(document: Document, *spans: str) -> list[str]:
    candidates = []
    for span in spans:
        start = document.text.index(span)
        candidates.append(Candidate(span, start, start + len(span), 1.0))
    found = possible_answers(ReadResult(tuple(candidates)), document)
    return [candidate.text for candidate in found.candidates]


def test_a_span_across_two_elements_is_no_answer() -> None:
    assert kept(PAGE, "Fares\nA ticket", "4 euros", "free\nDogs", "Fares") == ["4 euros", "Fares"]


def test_a_whole_element_and_its_beginning_and_end_are() -> None:
    spans = ["A ticket costs 4 euros.", "A ticket", "euros.", "Children: free"]
    assert kept(PAGE, *spans) == spans


def test_marks_alone_are_no_answer() -> None:
    page = parse_plain_text("- Children: free\n\n- Dogs: 1 euro\n")
    assert kept(page, "-", "1 euro") == ["1 euro"]
    assert kept(Document("…… 二 ……"), "……", "二") == ["二"]


def test_a_text_without_elements_has_no_edges() -> None:
    assert kept(Document("one\n\ntwo"), "one\n\ntwo") == ["one\n\ntwo"]


def items(text: str, *, several: bool = False) -> list[str]:
    before = "It says: "
    whole = f"{before}{text}. And more, or less."
    return [whole[a:b] for a, b in items_of(whole, len(before), len(before) + len(text), several=several)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ashford, Breck and Colwell", ["Ashford", "Breck", "Colwell"]),
        ("Ashford, Breck, and Colwell", ["Ashford", "Breck", "Colwell"]),
        ("the A site; the P site; or the E site", ["the A site", "the P site", "the E site"]),
        ("pens, ink as well as paper", ["pens", "ink", "paper"]),
        ("1,000 tons, 2,500 tons and 12 tons", ["1,000 tons", "2,500 tons", "12 tons"]),
        # Two things may be one name, a place has its country.
        ("Trinidad and Tobago", []),
        ("Porcupine, Ontario", []),
        ("Porcupine, Ontario, Canada", []),
        ("a bridge", []),
        ("1,000", []),
        ("", []),
        # No names of things: clauses.
        ("Paris, where he lived, and London", []),
        ("he rose early in the morning to feed all of the cows, ate, and slept", []),
    ],
)
def test_an_enumeration_is_its_items(text: str, found: list[str]) -> None:
    assert items(text) == found


def test_where_several_things_were_asked_for_two_are_enough() -> None:
    assert items("Ethiopia and Liberia", several=True) == ["Ethiopia", "Liberia"]
    assert items("Ethiopia, Liberia", several=True) == ["Ethiopia", "Liberia"]
    assert items("Ethiopia", several=True) == []


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which districts does the council cover?", True),
        ("What two countries remained free?", True),
        ("who were the founders", True),
        ("What are the stages?", True),
        ("Which people signed it?", True),
        ("Which district has a school?", False),
        ("What is the bus called?", False),
        ("Who wrote it?", False),
        ("What class is it in?", False),
        ("What does the ferry do on Sundays?", False),
        ("Which large old towns have a mill?", True),
    ],
)
def test_what_asks_for_several_things(question: str, several: bool) -> None:
    assert asks_for_several(question) is several


@given(st.text("ab ,;and01&", max_size=40), st.booleans())
def test_items_are_parts_of_the_span_in_order(text: str, several: bool) -> None:
    found = items_of(text, 0, len(text), several=several)
    assert all(a < b and text[a:b].strip() for a, b in found)
    assert all(before[1] < after[0] for before, after in pairwise(found))
    assert len(found) != 1


def test_marks_and_what_is_not_shown_are_no_answer() -> None:
    page = parse_plain_text("Ask [the **harbour**](tel:4711) by **noon**.")
    spans = ["[the **harbour**](tel:4711)", "4711", "**noon**", "noon**."]
    assert kept(page, *spans) == ["the **harbour**", "noon", "noon**."]


def test_a_run_of_blanks_is_passed_once() -> None:
    def work(blanks: int) -> float:
        text = f"one{' ' * blanks}two"
        begin = thread_time()
        for _ in range(3):
            items_of(text, 0, len(text), several=True)
        return thread_time() - begin

    work(1000)
    # Eight times as long takes eight times as much, not sixty-four.
    assert min(work(80_000) for _ in range(3)) < 30 * max(min(work(10_000) for _ in range(3)), 1e-4)


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


def choices(*found: tuple[str, int, float]) -> Weighed:
    candidates = [Candidate(text, start, start + len(text), score) for text, start, score in found]
    return weigh([candidates], temperature=2.0, none_at=3.0)


def test_a_clause_that_was_run_into_is_cut_off_and_the_same_is_one() -> None:
    weighed = choices(("20分钟休息；值夜班的，另有1次", 10, 2.95), ("20分钟休息", 60, 2.9), ("每天", 80, 1.0))
    one = pooled("每天休息多久？", weighed)
    assert [choice.text for choice in one.choices] == ["20分钟休息", "每天"]
    assert one.choices[0].probability == pytest.approx(sum(c.probability for c in weighed.choices[:2]))
    assert one.unanswerable == weighed.unanswerable
    assert weighed.choices[0].probability < weighed.unanswerable < one.choices[0].probability
    assert [candidate.start for _, candidate in one.choices[0].places] == [10, 60]


def test_a_condition_is_no_quantity_that_is_asked_for() -> None:
    one = pooled("可以借几本书？", choices(("满12岁的，可以借8本", 0, 3.0)))
    assert one.choices[0].text == "可以借8本"


def test_words_around_the_same_number() -> None:
    weighed = choices(
        ("30 days", 0, 5.0), ("up to 30 days", 40, 4.0), ("13 days", 80, 4.5), ("30 weeks", 90, 3.0)
    )
    assert [choice.text for choice in pooled("How long is it?", weighed).choices] == [
        "30 days",
        "13 days",
        "30 weeks",
    ]


def test_what_is_not_asked_as_a_quantity_keeps_its_edges() -> None:
    weighed = choices(("先敲门；再进去", 0, 5.0), ("敲门", 1, 4.0), ("女店员", 20, 4.0), ("店员", 30, 3.0))
    assert [choice.text for choice in pooled("怎么进去？", weighed).choices] == [
        "先敲门；再进去",
        "女店员",
        "店员",
    ]


@given(
    st.lists(
        st.tuples(st.sampled_from(["5天", "休5天", "15天", "门", "5天；门"]), st.integers(0, 9)), min_size=1
    )
)
def test_nothing_of_the_probability_is_lost(found: list[tuple[str, int]]) -> None:
    weighed = choices(*((text, 10 * place, float(score)) for place, (text, score) in enumerate(found)))
    one = pooled("休几天？", weighed)
    assert sum(c.probability for c in one.choices) == pytest.approx(
        sum(c.probability for c in weighed.choices)
    )
    assert sum(len(c.places) for c in one.choices) == len(found)
    assert [c.probability for c in one.choices] == sorted((c.probability for c in one.choices), reverse=True)


def test_what_another_case_gets_is_no_part_of_a_quantity() -> None:
    (one,) = pooled("甲类书可以借几天？", choices(("5天，2级会员为3天", 0, 3.0))).choices
    assert one.text == "5天"
    (one,) = pooled("How many days is it?", choices(("5 days, for students 3 days", 0, 3.0))).choices
    assert one.text == "5 days"
    (one,) = pooled("How many days do students get?", choices(("5 days, students 3 days", 0, 3.0))).choices
    assert one.text == "3 days"
    (one,) = pooled("How long is it?", choices(("2 years, 3 months", 0, 3.0))).choices
    assert one.text == "2 years, 3 months"


def test_what_stands_beside_a_span_tells_its_case() -> None:
    text = "博物馆早上九点开门，晚上八点关门。"
    weighed = choices(("早上九点开门，晚上八点", 3, 3.0))
    (one,) = pooled("博物馆几点关门？", weighed, [text]).choices
    assert one.text == "晚上八点"
    (one,) = pooled("博物馆几点开门？", weighed, [text]).choices
    assert one.text == "早上九点开门"


@pytest.mark.parametrize(
    ("question", "text", "may"),
    [
        ("谁来开门", "张", False),
        ("门票多少钱", "5", True),
        ("几号楼", "三", True),
        ("是左还是右", "左", True),
        ("第一个是什么字", "山", True),
        ("谁来开门", "张三", True),
        ("Which column?", "B", True),
    ],
)
def test_a_single_character_answers_only_where_one_is_asked_for(question: str, text: str, may: bool) -> None:
    assert says_something(question, text) is may
