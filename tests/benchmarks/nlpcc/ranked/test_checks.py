from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from caveat.benchmarks.nlpcc.ranked_checks import check_dbqa, check_tbqa

Row = tuple[str, ...]


def write(path: Path, *rows: Row) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


EATS = [("what do otters eat", "Otters eat urchins.", "1"), ("what do otters eat", "Otters sleep.", "0")]
SLEEP = [("where do otters sleep", "They sleep afloat.", "1"), ("where do otters sleep", "They eat.", "0")]


def test_sound_pairs_give_no_finding(tmp_path, told):
    path = write(tmp_path / "dbqa.tsv", *EATS, *SLEEP)
    assert told(check_dbqa(path), path) == []


def test_a_test_file_has_no_positives_to_miss(tmp_path, told):
    path = write(tmp_path / "dbqa.tsv", *(row[:2] for row in EATS))
    assert told(check_dbqa(path), path) == []


BROKEN = {
    "no-positive": ([("who swims", "Otters.", "0"), ("who swims", "Seals.", "0")], 3),
    "single-candidate": ([("who swims", "Otters.", "1")], 3),
    "duplicate-candidate": ([EATS[1]], 3),
    "contradictory-labels": ([("what do otters eat", "Otters sleep.", "1")], 3),
    "split-question": ([*SLEEP, ("what do otters eat", "Otters swim.", "0")], 5),
    "empty-question": ([("", "Otters.", "1"), ("", "Seals.", "0")], 3),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_of_candidates(rule, tmp_path, told):
    rows, line = BROKEN[rule]
    path = write(tmp_path / "dbqa.tsv", *EATS, *rows)
    assert told(check_dbqa(path), path) == [(rule, line, None)]


def test_blank_lines_are_counted(tmp_path, told):
    path = tmp_path / "dbqa.tsv"
    path.write_text("\n\nwho swims\tOtters.\t1\n")
    assert told(check_dbqa(path), path) == [("single-candidate", 3, None)]


def test_a_question_is_judged_by_all_its_places(tmp_path, told):
    path = write(tmp_path / "dbqa.tsv", EATS[0], *SLEEP, EATS[1])
    assert told(check_dbqa(path), path) == [("split-question", 4, None)]


TABLE = ("Otters", "name _|_ food", "sea otter _|_ urchins _||_ river otter _|_ fish")
TABLES = {
    "empty-table": ("Seals", "name _|_ food", ""),
    "duplicate-header": ("Seals", "name _|_ food _|_ name", "grey seal _|_ fish _|_ Halichoerus grypus"),
    "ragged-row": ("Seals", "name _|_ food", "grey seal _|_ fish _||_ monk seal"),
}


def pairs(*tables: Row) -> list[Row]:
    return [("1" if n == 0 else "0", "what do otters eat", *table) for n, table in enumerate(tables)]


def test_sound_tables_give_no_finding(tmp_path, told):
    path = write(tmp_path / "tbqa.tsv", *pairs(TABLE, ("Seals", "name _|_  _|_ ", "grey seal _|_ a _|_ b")))
    assert told(check_tbqa(path), path) == []


@pytest.mark.parametrize("rule", TABLES)
def test_each_rule_of_tables_within_the_pairs(rule, tmp_path, told):
    again = [("1", "what do seals eat", *TABLES[rule]), ("0", "what do seals eat", *TABLE)]
    path = write(tmp_path / "tbqa.tsv", *pairs(TABLE, TABLES[rule]), *again)
    # The table is a candidate twice, and found once.
    assert told(check_tbqa(path), path) == [(rule, 2, None)]


@pytest.mark.parametrize("rule", TABLES)
def test_each_rule_of_tables_in_a_file_of_their_own(rule, tmp_path, told):
    tables = write(tmp_path / "tables.tsv", ("t1", *TABLE), ("t2", *TABLES[rule]))
    path = write(tmp_path / "tbqa.tsv", *pairs(("t1",), ("t2",)))
    assert told(check_tbqa(path, tables), tables) == [(rule, 2, "t2")]


def test_a_candidate_that_names_no_table(tmp_path, told):
    tables = write(tmp_path / "tables.tsv", ("t1", *TABLE))
    path = write(tmp_path / "tbqa.tsv", *pairs(("t1",), ("t2",)))
    assert told(check_tbqa(path, tables), path) == [("unknown-table", 2, "t2")]


def test_candidates_that_are_tables_follow_the_same_rules(tmp_path, told):
    path = write(tmp_path / "tbqa.tsv", *pairs(TABLE, TABLE))
    assert told(check_tbqa(path), path) == [("contradictory-labels", 2, None)]
    tables = write(tmp_path / "tables.tsv", ("t1", *TABLE))
    path = write(tmp_path / "tbqa.tsv", ("0", "what do otters eat", "t1"))
    assert told(check_tbqa(path, tables), path) == [
        ("single-candidate", 1, None),
        ("no-positive", 1, None),
    ]


@pytest.mark.shared
def test_published_candidates(shared):
    folder = shared / "data/nlpcc/dbqa"
    valid = Counter(f.rule for f in check_dbqa(folder / "valid_part.tsv.gz"))
    assert valid == {"duplicate-candidate": 561, "contradictory-labels": 20, "single-candidate": 7}
    train = Counter(f.rule for f in check_dbqa(folder / "train_part.tsv.gz"))
    assert train == {"single-candidate": 3881, "contradictory-labels": 59}


@pytest.mark.shared
def test_published_tables(shared):
    folder = shared / "data/nlpcc/tbqa"
    wtq = Counter(f.rule for f in check_tbqa(folder / "wtq.cand.dev.tsv.gz", folder / "wtq.tables.tsv.gz"))
    assert wtq == {"duplicate-header": 87}
    fetaqa = Counter(f.rule for f in check_tbqa(folder / "fetaqa_dev_part.tbqa.gz"))
    assert fetaqa == {"duplicate-header": 173}
