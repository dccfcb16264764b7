"""Finding names in questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.core.answers import Triple
from caveat.library.triples.build import open_knowledge
from caveat.library.triples.folding import FIRST_WIDE, fold
from caveat.library.triples.names import other_names
from caveat.library.triples.store import KnowledgeStore
from caveat.sources.triple_lines import write_triples

NAMES = [
    "李娜（中国女子网球名将）",
    "尼克·克莱格",
    "《河边的日子》",
    "河边",
    "青石桥",
    "石桥",
    "Isa",
    "New York",
    "York",
    "Barack Obama",
    "16",
    "2008年奥运会",
    "？",
    "Pelé",
]


def store_of(folder: Path, names: list[str]) -> KnowledgeStore:
    write_triples(folder / "kb", [Triple(name, "is", "something") for name in names])
    return open_knowledge(folder / "kb")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeStore:
    return store_of(tmp_path_factory.mktemp("kb"), NAMES)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("李娜的教练是谁？", ["李娜"]),
        ("李娜（中国女子网球名将）的教练是谁", ["李娜（中国女子网球名将）", "李娜"]),
        ("尼克克萊格毕业于哪里", ["尼克克萊格"]),
        ("尼克 • 克莱格毕业于哪里", ["尼克 • 克莱格"]),
        ("《河边的日子》是谁写的", ["《河边的日子》", "河边的日子", "河边"]),
        ("ＮＥＷ　ＹＯＲＫ在哪里", ["ＮＥＷ　ＹＯＲＫ", "ＹＯＲＫ"]),
        ("青石桥和石桥", ["青石桥", "石桥", "石桥"]),
        ("He is a friend of Pele\u0301.", ["Pele\u0301"]),  # not Isa
        ("Is Yorkshire new?", []),
        ("2016年和16年", ["16"]),
        ("谁？", []),
        ("", []),
    ],
)
def test_names_in_questions(store: KnowledgeStore, question: str, found: list[str]) -> None:
    mentions = store.mentions(question)
    assert [mention.text for mention in mentions] == found
    for mention in mentions:
        assert question[mention.start : mention.end] == mention.text
        assert not mention.misspelt


def test_entities_places_and_quotes(store: KnowledgeStore) -> None:
    marked, whole, inner = store.mentions("请问《 河边的日子 》好看吗")
    assert (marked.start, marked.end, marked.entities, marked.quoted) == (2, 11, ("《河边的日子》",), True)
    assert (whole.start, whole.end, whole.entities, whole.quoted) == (4, 9, ("《河边的日子》",), True)
    assert (inner.text, inner.entities, inner.quoted) == ("河边", ("河边",), False)
    (mention,) = store.mentions("“李娜”是谁")
    assert (mention.entities, mention.quoted) == (("李娜（中国女子网球名将）",), True)


@pytest.mark.parametrize(
    ("question", "found", "entity"),
    [
        ("尼克克来格是谁", "尼克克来格", "尼克·克莱格"),
        ("青大石桥有多长", "青大石桥", "青石桥"),
        ("Who is Barak Obama?", "Barak Obama", "Barack Obama"),
        ("Who is Barakc Obama?", "Barakc Obama", "Barack Obama"),
        ("河边日子是谁写的", "河边日子", "《河边的日子》"),
    ],
)
def test_misspelt_names(store: KnowledgeStore, question: str, found: str, entity: str) -> None:
    first = store.misspelt(question)[0]
    assert (first.text, first.entities, first.misspelt) == (found, (entity,), True)
    assert first in store.mentions(question)


def test_misspelt_names_only_where_nothing_of_three_characters_is_spelt_right(store: KnowledgeStore) -> None:
    assert [mention.text for mention in store.mentions("青石侨和李娜")] == ["青石侨", "李娜"]
    assert [mention.text for mention in store.mentions("青石侨和青石桥")] == ["青石桥", "石桥"]


def test_a_number_is_never_misspelt(store: KnowledgeStore) -> None:
    assert store.mentions("2009年奥运会在哪里") == []


LETTERS = st.text("ab 甲乙丙·（）Ａ2", min_size=1, max_size=5).map(str.strip).filter(bool)


@settings(max_examples=40)
@given(st.lists(LETTERS, min_size=1, max_size=12), st.text("ab 甲乙丙·（）Ａ2，", max_size=14))
def test_the_same_as_looking_at_every_stretch(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], question: str
) -> None:
    store = store_of(tmp_path_factory.mktemp("kb"), names)
    known = {fold(name).text for each in names for name in (each, *other_names(each))} - {""}
    expected = {
        (start, end)
        for start in range(len(question))
        for end in range(start + 1, len(question) + 1)
        if fold(text := question[start:end]).text in known
        and any(map(str.isalnum, text))
        and all(fold(edge).text for edge in (text[0], text[-1]))
        and not in_word(question, start)
        and not in_word(question, end)
    }
    found = [mention for mention in store.mentions(question) if not mention.misspelt]
    assert {(mention.start, mention.end) for mention in found} == expected
    assert [mention.end - mention.start for mention in found] == sorted(
        (mention.end - mention.start for mention in found), reverse=True
    )
    for mention in found:
        named = [
            name
            for name in names
            if fold(mention.text).text in {fold(n).text for n in (name, *other_names(name))}
        ]
        assert set(mention.entities) == set(named)


def in_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and all(
        ord(letter) < FIRST_WIDE and letter.isalnum() for letter in text[place - 1 : place + 1]
    )
