from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from caveat.benchmarks.nlpcc import kbqa_task as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa_task import count_kb, count_mentions
from caveat.benchmarks.nlpcc.ranked_task import count_dbqa, count_tbqa
from caveat.core.errors import InputError

KBQA = """\
<question id=1>\t谁写了春歌？
<triple id=1>\t春歌 ||| 作者 ||| 小明
<answer id=1>\t小明
==================================================
<question id=2>\t夏歌是谁写的？
<triple id=2>\t夏歌 ||| 作者 ||| 小红
<answer id=2>\t小红\t小华
==================================================
<question id=3>\t夏歌多长？
<triple id=3>\t夏歌 ||| 长度
<answer id=3>\t
==================================================
<question id=4>\t夏歌几分钟？
<answer id=4>\t三
"""
KB = """\
春歌 ||| 作者 ||| 小明
春歌 ||| 语言 ||| 中文
夏歌 ||| 语言 ||| 中文
夏歌 | 长度 | 三
秋歌 ||| 语言 ||| 中文 ||| 英文
"""
MENTIONS = "春 ||| 春歌\t春天\n夏 ||| 夏歌\n歌 ||| 春歌\t夏歌\t秋歌\n歌\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_kbqa_questions(tmp_path: Path) -> None:
    counted = nlpcc_kbqa.count(written(tmp_path, "train", KBQA))
    assert counted.counts == {
        "questions": 4,
        "answers": 4,
        "questions_without_answer": 1,
        "triples": 3,
        "malformed_triples": 1,
        "distinct_triples": 2,
        "distinct_subjects": 2,
        "distinct_predicates": 1,
    }
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["How many of each"] == (("answers per question", 4, 1.0, 1.0, 2),)
    assert tables["Lengths in characters"] == (
        ("questions", 4, 6.0, 6.0, 7),  # 6, 7, 5, 6
        ("answers", 4, 7 / 4, 2.0, 2),
    )
    assert tables["Most frequent predicates"] == (("作者", 2, 100.0),)


def test_kb(tmp_path: Path) -> None:
    path = written(tmp_path, "kb", KB)
    assert count_kb(path).counts == {
        "triples": 4,
        "malformed_triples": 1,
        "entities": 3,
        "predicates": 2,
        "objects": 3,  # 小明, 中文, and all that follows the second mark
        "bytes": len(KB.encode()),
    }


def test_bytes_are_those_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "kb.gz"
    path.write_bytes(gzip.compress(KB.encode()))
    counts = count_kb(path).counts
    assert (counts["triples"], counts["bytes"]) == (4, path.stat().st_size)


def test_kb_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(KB.encode()))))
    counts = count_kb("-").counts
    assert (counts["triples"], counts["bytes"]) == (4, None)


def test_mentions(tmp_path: Path) -> None:
    assert count_mentions(written(tmp_path, "mentions", MENTIONS)).counts == {
        "mentions": 3,
        "malformed_mentions": 1,
        "distinct_mentions": 3,
        "ambiguous_mentions": 2,
        "mentioned_entities": 4,
        "links": 6,
    }


def test_kbqa_with_knowledge_base_and_mentions(tmp_path: Path) -> None:
    counted = nlpcc_kbqa.count(
        written(tmp_path, "train", KBQA), written(tmp_path, "kb", KB), written(tmp_path, "mentions", MENTIONS)
    )
    assert counted.counts["triples"] == 3
    assert counted.counts["kb_triples"] == 4
    assert counted.counts["kb_malformed_triples"] == 1
    assert counted.counts["kb_entities"] == 3
    assert counted.counts["mentions"] == 3
    assert "kb_wanted_triples_found" not in counted.counts
    # 春歌's triple is there, 夏歌's is not.
    assert counted.tables[-1].rows == (("distinct triples", 1, 50.0),)


def test_dbqa(tmp_path: Path) -> None:
    pairs = [
        ("谁唱？", "小明唱。", "1"),
        ("谁唱？", "小红听。", "0"),
        ("谁唱？", "小明唱。", "0"),  # again, and now it is wrong
        ("谁听？", "小明唱。", "0"),
        ("谁听？", "小明唱。", "0"),
        ("谁唱？", "小华唱歌。", "1"),  # a new question with an old text
    ]
    counted = count_dbqa(written(tmp_path, "dbqa", "".join("\t".join(pair) + "\n" for pair in pairs)))
    assert counted.counts == {
        "questions": 3,
        "question_texts": 2,
        "pairs": 6,
        "positives": 2,
        "questions_without_positive": 1,
        "repeated_candidates": 2,
        "questions_with_repeated_candidates": 2,
        "candidates_with_contradicting_labels": 1,
    }
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["How many of each"] == (
        ("candidates per question", 3, 2.0, 2.0, 3),
        ("right candidates per question", 3, 2 / 3, 1.0, 1),
    )
    assert tables["Lengths in characters"] == (
        ("questions", 3, 3.0, 3.0, 3),
        ("candidates", 6, 25 / 6, 4.0, 5),
    )


def test_dbqa_without_labels(tmp_path: Path) -> None:
    counted = count_dbqa(written(tmp_path, "test", "谁唱？\t小明唱。\n谁唱？\t小红听。\n"))
    assert counted.counts["questions"] == 1
    assert counted.counts["pairs"] == 2
    assert counted.counts["positives"] is None
    assert counted.counts["questions_without_positive"] is None
    assert [row[0] for row in counted.tables[0].rows] == ["candidates per question"]


FIVE_COLUMNS = """\
1\twho won?\tCup\tYear _|_ Team\t1990 _|_ Reds _||_ 1991 _|_ Blues
0\twho won?\tShops\tName\tBakery
0\twhere?\tShops\tName\tBakery
0\twhere?\t\tName _|_ Place\tInn
"""


def test_tbqa_in_five_columns(tmp_path: Path) -> None:
    counted = count_tbqa(written(tmp_path, "tbqa", FIVE_COLUMNS))
    assert counted.counts == {
        "questions": 2,
        "question_texts": 2,
        "pairs": 4,
        "positives": 1,
        "questions_without_positive": 1,
        "tables": 3,  # the shops are a candidate twice
        "tables_without_caption": 1,
        "tables_without_rows": 0,
        "ragged_tables": 1,
    }
    assert counted.tables[0].rows == (
        ("candidates per question", 2, 2.0, 2.0, 2),
        ("right candidates per question", 2, 0.5, 0.5, 1),
        ("characters per question", 2, 7.0, 7.0, 8),
        ("rows per table", 3, 4 / 3, 1.0, 2),
        ("columns per table", 3, 5 / 3, 2.0, 2),
    )


CANDIDATES = "1\twho won?\tt1\n0\twho won?\tt2\n"
TABLES = "t1\tCup\tYear _|_ Team\t1990 _|_ Reds\nt2\tShops\tName\tBakery\nt3\tUnused\tName\tInn\n"


def test_tbqa_with_tables_by_id(tmp_path: Path) -> None:
    counted = count_tbqa(written(tmp_path, "c", CANDIDATES), written(tmp_path, "t", TABLES))
    assert (counted.counts["tables"], counted.counts["ragged_tables"]) == (2, 0)
    assert counted.tables[0].rows[-1] == ("columns per table", 2, 1.5, 1.5, 2)


def test_tbqa_with_ids_alone(tmp_path: Path) -> None:
    counted = count_tbqa(written(tmp_path, "c", CANDIDATES))
    assert counted.counts == {
        "questions": 1,
        "question_texts": 1,
        "pairs": 2,
        "positives": 1,
        "questions_without_positive": 0,
        "tables": 2,
    }


def test_tbqa_names_the_table_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="t2"):
        count_tbqa(written(tmp_path, "c", CANDIDATES), written(tmp_path, "t", TABLES.splitlines()[0]))
