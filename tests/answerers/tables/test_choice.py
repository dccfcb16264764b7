from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.ranking.table_features import TableIndex
from caveat.answerers.tables.choice import TableMatch, match_tables, rank_columns, rank_rows
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.benchmarks.nlpcc import tbqa_format as nlpcc_tbqa
from caveat.benchmarks.nlpcc.metric import hit_at, reciprocal_rank
from caveat.core.records import Table

BANKS = Table(
    ("Bank", "Head office", "Branches"),
    (
        ("Harbour Savings", "Lindholm", "112"),
        ("Merchants' Trust", "Carrow", "340"),
        ("Union Credit", "Lindholm", "7"),
    ),
    "Banks",
)
SHIPS = Table(("Ship", "Home port"), (("Aurora", "Carrow"), ("Castor", "Lindholm")), "Ships")
TOWNS = Table(("镇名", "人口"), (("青石镇", "3.2万"), ("柳河镇", "5.6万")), "云岭县各镇")


def rank_tables(question: str, tables: list[Table], index: TableIndex | None = None) -> list[TableMatch]:
    return match_tables(
        ParsedQuestion(question), [PreparedTable(table) for table in tables], index or TableIndex()
    )


def test_the_table_with_the_rare_words_comes_first() -> None:
    found = rank_tables("How many branches does Union Credit have?", [SHIPS, TOWNS, BANKS])
    assert found[0].table == 2
    assert 0.5 < found[0].score <= 1
    assert [match.table for match in rank_tables("柳河镇的人口是多少？", [SHIPS, TOWNS, BANKS])] == [1]


def test_scores_sum_to_one_at_most() -> None:
    found = rank_tables("Which is in Lindholm?", [SHIPS, TOWNS, BANKS])
    assert {match.table for match in found} == {0, 2}
    assert sum(match.score for match in found) <= 1


@pytest.mark.parametrize("question", ["Who is the pope?", "", "the of a", "？"])
def test_nothing_in_common(question: str) -> None:
    assert rank_tables(question, [BANKS, SHIPS]) == []
    assert rank_tables(question, []) == []


def test_one_table_and_empty_tables() -> None:
    assert [match.table for match in rank_tables("banks in Carrow", [BANKS])] == [0]
    assert [match.table for match in rank_tables("banks in Carrow", [Table((), ()), BANKS])] == [1]


def test_words_are_read_only_where_there_is_a_choice() -> None:
    index = TableIndex()
    rank_tables("How many branches does Union Credit have?", [SHIPS, TOWNS, BANKS], index)
    empty = len(TableIndex().vocabulary)
    assert len(index.vocabulary) == empty
    rank_tables("Which is in Lindholm?", [SHIPS, TOWNS, BANKS], index)
    assert len(index.vocabulary) > empty


def test_of_two_tables_the_one_with_the_name_comes_first() -> None:
    """The other has more of the question's words, but words that any table may have."""
    talk = Table(
        ("What is the name of", "how many are in the"), (("the one", "which is it"),), "Which of these"
    )
    found = rank_tables("What is the name of the ship that is in the port of Carrow?", [talk, SHIPS])
    assert found[0].table == 1
    assert found[0].score > 0.5


def test_columns_whose_names_are_invented_have_none() -> None:
    bare = Table(("column 1", "column 2"), (("Aurora", "Carrow"), ("Castor", "Lindholm")))
    named = Table(("", ""), bare.rows)
    question = "What stands in column 2 beside Aurora?"
    invented, empty = rank_tables(question, [bare, named])
    assert invented.score == pytest.approx(empty.score)


def test_a_long_table_beside_a_short_one() -> None:
    """Of 5,001 rows the one that is asked about is the last."""
    rows = tuple((f"Farm {number}", "North") for number in range(5000))
    farms = Table(("Farm", "County"), (*rows, ("Skerry", "West")), "Farms")
    mills = Table(("Mill", "County"), (("Old Mill", "West"), ("New Mill", "East")), "Mills")
    index = TableIndex()
    assert rank_tables("Which county is the farm Skerry in?", [mills, farms], index)[0].table == 1
    assert rank_tables("Which county is the Old Mill in?", [mills, farms], index)[0].table == 0
    # "Farm 0" to "Farm 499" at most, never all of it.
    assert len(index.vocabulary) < 600


def test_rows_and_columns() -> None:
    parsed, banks = (
        ParsedQuestion("How many branches has the bank with its head office in Carrow?"),
        PreparedTable(BANKS),
    )
    assert rank_rows(parsed, banks)[0] == 1
    assert set(rank_columns(parsed, banks)) == {0, 1, 2}
    assert rank_rows(ParsedQuestion("nothing"), banks) == []


def test_no_row_is_lost_for_where_it_stands() -> None:
    rows = tuple((f"Town {number}", "quiet") for number in range(5000))
    towns = PreparedTable(Table(("Town", "Note"), (*rows, ("Skeld", "loud"))))
    assert rank_rows(ParsedQuestion("Is Skeld loud?"), towns, top=1) == [5000]


@pytest.mark.shared
def test_tables_of_wikitablequestions(shared: Path) -> None:
    """A part of the development set; docs/tables.md has the figures for all of it."""
    folder = shared / "data" / "nlpcc" / "tbqa"
    tables = {table.id: table for table in nlpcc_tbqa.read_tables(folder / "wtq.tables.tsv.gz")}
    ready: dict[str, PreparedTable] = {}
    index = TableIndex()
    ranked: list[list[bool]] = []
    pairs = list(nlpcc_tbqa.read_candidates_by_id(folder / "wtq.cand.dev.tsv.gz"))
    for start in range(0, len(pairs), 400):
        group = pairs[start : start + 20]
        for pair in group:
            ready.setdefault(pair.table, PreparedTable(tables[pair.table]))
        found = match_tables(ParsedQuestion(group[0].question), [ready[pair.table] for pair in group], index)
        ranked.append([group[match.table].label == 1 for match in found])
    assert len(ranked) == 142
    assert sum(hit_at(labels, 1) for labels in ranked) / len(ranked) > 0.65
    assert sum(map(reciprocal_rank, ranked)) / len(ranked) > 0.75
