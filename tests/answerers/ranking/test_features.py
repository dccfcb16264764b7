"""Evidence for sentences and tables, on short lists where it can be counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.ranking.features import CUES, HEADER_CUES, Features, asked_about, is_number, numbers_in
from caveat.answerers.ranking.sentence_features import sentence_features
from caveat.answerers.ranking.table_features import TableIndex, TableMatch, table_features
from caveat.core.records import Table
from caveat.language.bm25 import idf

BRIDGE = [
    "青石桥是一座石桥。",
    "青石桥建于1872年，横跨清水河。",
    "桥长46米。",
    "青石桥是谁建的？",
]
FERRIES = Table(
    ("Ferry", "Built", "Port"),
    (("Gannet", "1956", "Lindholm"), ("Tern", "1963", "Old Harbour"), ("Petrel", "1971", "Lindholm")),
    "Ferries of the northern coast",
)
MILLS = Table(("Mill", "Year"), (("Low Mill", "1820"), ("High Mill", "1956")), "Water mills")


def test_columns_of_sentences() -> None:
    found = sentence_features("青石桥建于哪一年？", BRIDGE)
    assert found.values.shape == (4, len(found.names))
    assert np.isfinite(found.values).all()
    assert len(set(found.names)) == len(found.names)
    # 青石桥建于哪一年 has eight tokens; the second sentence has six of them.
    assert found.column("overlap").tolist() == [0.5, 0.75, 0.125, 0.5]
    assert found.column("share of the longest run")[1] == 5 / 8
    assert found.column("bm25").argmax() == 1
    assert found.column("when: date").tolist() == [0, 1, 0, 0]
    assert found.column("how many: date").tolist() == [0, 0, 0, 0]
    assert found.column("ends in a question mark").tolist() == [0, 0, 0, 1]
    assert found.column("first").tolist() == [1, 0, 0, 0]
    assert found.column("bm25 before")[2] == found.column("share of bm25")[1]
    assert found.column("bm25 behind")[1] == found.column("share of bm25")[2]


def test_a_word_that_all_candidates_have_tells_nothing_much() -> None:
    found = sentence_features("灯塔的颜色", ["灯塔很高。", "灯塔很老。", "灯塔是蓝色的。", "灯塔在北岸。"])
    assert found.column("covered, runs of 1").argmax() == 2
    assert found.column("rare runs of 1").tolist() == [0, 0, 2, 0]


def test_what_is_asked_about() -> None:
    assert asked_about("东线用什么颜色表示？") == ("颜色表示", "线用")
    assert asked_about("Which river does it cross?")[0] == "river does "
    assert asked_about("桥长46米。") == ("", "")
    found = sentence_features("东线是什么颜色？", ["东线的颜色为橙。", "东线很长。"])
    assert found.column("asked about").tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("date", "建于1872年"),
        ("date", "It opened in March."),
        ("amount", "全长46米"),
        ("amount", "about 22 miles long"),
        ("place", "位于县城西北"),
        ("person", "It was built by Ada Finch."),
        ("reason", "Because of the wind it was closed."),
        ("reason", "由于大风停航"),
        ("enumeration", "有豆饼水、羊粪"),
        ("definition", "又称守岁"),
    ],
)
def test_cues(cue: str, text: str) -> None:
    assert CUES[cue].search(text)
    assert not CUES[cue].search("——")


def test_numbers() -> None:
    assert numbers_in("1,234 boats, 5.5 km") == {"1234", "5.5"}
    assert all(map(is_number, ["12", "3–1", "$1,200.50", " 45% "]))
    assert not any(map(is_number, ["", "A1", "–", "12 May"]))
    assert HEADER_CUES["when"].search("Years won")


def test_columns_of_tables() -> None:
    found = table_features("which ferry of lindholm was built in 1956?", [FERRIES, MILLS], TableIndex())
    assert np.isfinite(found.values).all()
    assert found.column("bm25").argmax() == 0
    # which ferry of lindholm was built in 1956: the first table has ferry, of, lindholm, built and 1956.
    assert found.column("overlap").tolist() == [5 / 8, 1 / 8]
    assert found.column("numbers missing").tolist() == [0, 0]
    assert found.column("numbers in cells").tolist() == [1, 1]
    # Ferry and Built are whole headers, Lindholm and 1956 whole cells of one row; 1956 alone in the other table.
    rare, common = np.log(1 + 1.5 / 1.5), np.log(1 + 0.5 / 2.5)
    assert found.column("sum of whole headers") == pytest.approx([rare, 0])
    assert found.column("best of whole headers") == pytest.approx([rare, 0])
    assert found.column("sum of whole cells") == pytest.approx([rare + common, common])
    assert found.column("covered by best row") == pytest.approx([rare + common, common])
    assert found.column("covered by best row with its frame") == pytest.approx([4 * rare + common, common])
    assert found.column("when: has years").tolist() == [0, 0]


def test_two_tables_as_among_many() -> None:
    index = TableIndex()
    words = [index.words(FERRIES), index.words(MILLS)]
    question = "which ferry of lindholm was built in 1956?"
    found = TableMatch(question, words, index, among=20).features()
    # "of" stands in the caption of the ferries and, so it is thought, in the eighteen tables that are not there.
    stop, rare, common = idf(19, 20), idf(1, 20), idf(2, 20)
    assert found.column("covered by table") == pytest.approx([stop + 3 * rare + common, common])
    plain = table_features(question, [FERRIES, MILLS], index)
    several = TableMatch(question, words * 10, index, among=20).features()
    alone = TableMatch(question, words * 10, index).features()
    assert found.names == plain.names
    assert several.values.tolist() == alone.values.tolist()


def test_rows_and_columns_that_matter() -> None:
    index = TableIndex()
    match = TableMatch("the port of the tern", [index.words(MILLS), index.words(FERRIES)], index)
    assert match.row_evidence(1).argmax() == 1
    # The header of one, a cell of another.
    assert (match.column_evidence(1) > 0).tolist() == [True, False, True]
    assert match.row_evidence(0).tolist() == [0, 0]


@pytest.mark.parametrize(
    "table",
    [
        Table((), ()),
        Table((), (("a", "b"),)),
        Table(("a",), ()),
        Table(("a", "a", ""), (("1",), ("1", "2", "3", "4"), ())),
        Table(("a\x1fb",), (("c\x1f",),), "\x1f"),
    ],
)
def test_tables_of_any_shape(table: Table) -> None:
    found = table_features("a 1 2", [table, MILLS], TableIndex())
    assert np.isfinite(found.values).all()
    again = TableIndex()
    match = TableMatch("a 1", [again.words(table)], again)
    assert len(match.row_evidence(0)) == len(table.rows)
    assert len(match.column_evidence(0)) >= len(table.headers)


TEXT = st.text(st.sampled_from("ab1 石桥年？。:"), max_size=9)


@given(question=TEXT, sentences=st.lists(TEXT, min_size=1, max_size=4))
def test_any_texts(question: str, sentences: list[str]) -> None:
    found = sentence_features(question, sentences)
    assert found.values.shape == (len(sentences), len(found.names))
    assert np.isfinite(found.values).all()


def test_the_words_of_a_table_are_kept_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    from caveat.answerers.ranking import table_features as table_words

    index = TableIndex()
    assert index.words(FERRIES) is index.words(FERRIES)
    monkeypatch.setattr(table_words, "_KEPT_TOKENS", 1)
    first = index.words(FERRIES)
    index.words(MILLS)
    assert index.words(FERRIES) is not first


def test_more_columns() -> None:
    some = Features(("a",), np.array([[1.0], [2.0]]))
    more = some.with_columns({"b": np.array([3.0, 4.0])})
    assert more.names == ("a", "b")
    assert more.column("b").tolist() == [3, 4]
    assert some.with_columns({}).names == ("a",)
