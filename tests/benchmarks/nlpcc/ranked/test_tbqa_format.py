from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.candidates import groups
from caveat.benchmarks.nlpcc.tbqa_format import (
    TbqaCandidate,
    TbqaPair,
    read,
    read_candidates,
    read_numbered,
    read_tables,
    write,
    write_candidates,
    write_tables,
)
from caveat.core.errors import InputError
from caveat.core.records import Table

HILLS = Table(("Hill", "Height", "Seen"), (("Montmartre", "130", "yes"),), "Hills")


def write_text(path: Path, *lines: str, encoding: str = "utf-8", end: str = "\n") -> Path:
    path.write_bytes("".join(line + end for line in lines).encode(encoding))
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_five_columns(tmp_path: Path, encoding: str, end: str) -> None:
    path = write_text(
        tmp_path / "a.tbqa",
        "1\t甲河有多长？\t河流\t名称 _|_ 长度\t甲河 _|_ 777 _||_ 乙河 _|_ ",
        "0\t甲河有多长？\tHills\tHill _|_ Height _|_ Seen\tMontmartre _|_ 130 _|_ yes",
        encoding=encoding,
        end=end,
    )
    rivers = Table(("名称", "长度"), (("甲河", "777"), ("乙河", "")), "河流")
    assert list(read(path)) == [TbqaPair("甲河有多长？", rivers, 1), TbqaPair("甲河有多长？", HILLS, 0)]
    assert [number for number, _ in read_numbered(path)] == [1, 2]


def test_the_same_without_labels(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.tbqa", "多高？\t山\t名 _|_ 高\t甲 _|_ 9")
    assert list(read(path)) == [TbqaPair("多高？", Table(("名", "高"), (("甲", "9"),), "山"))]


@pytest.mark.parametrize(
    ("cells", "rows"),
    [
        ("", ()),
        ("a", (("a",),)),
        ("a _|_  _|_ b", (("a", "", "b"),)),
        ("a _|_ _|_ b", (("a", "", "b"),)),
        (" _|_ b _||_  _|_ ", (("", "b"), ("", ""))),
        ("a _|_ b _||_ c _|_", (("a", "b"), ("c", ""))),
        ("a _||_  _||_ b", (("a",), ("",), ("b",))),
        ("a | b _|_ c_d", (("a | b", "c_d"),)),
    ],
)
def test_cells(tmp_path: Path, cells: str, rows: tuple[tuple[str, ...], ...]) -> None:
    path = write_text(tmp_path / "a.tbqa", f"0\tq\tc\th\t{cells}")
    assert next(read(path)).table.rows == rows


def test_candidates_join_their_tables_by_id(tmp_path: Path) -> None:
    pairs = write_text(tmp_path / "cand.tsv", "0\tHow high?\tt/1", "1\tHow high?\tt/2")
    tables = tmp_path / "tables.tsv.gz"
    tables.write_bytes(
        gzip.compress(
            b"t/1\tRivers of France\tRiver _|_ Length\tSeine _|_ 777 _||_ Loire _|_ \n"
            b"t/2\tHills\tHill _|_ Height _|_ Seen\tMontmartre _|_ 130 _|_ yes\n"
        )
    )
    found = list(read(pairs, tables))
    assert [(pair.question, pair.table.id, pair.label) for pair in found] == [
        ("How high?", "t/1", 0),
        ("How high?", "t/2", 1),
    ]
    assert found[1].table == Table(HILLS.headers, HILLS.rows, "Hills", "t/2")
    assert list(read_candidates(pairs)) == [
        TbqaCandidate("How high?", "t/1", 0),
        TbqaCandidate("How high?", "t/2", 1),
    ]


def test_candidates_without_labels(tmp_path: Path) -> None:
    pairs = write_text(tmp_path / "cand.tsv", "How high?\tt/1")
    assert list(read_candidates(pairs)) == [TbqaCandidate("How high?", "t/1")]


def test_candidates_of_a_file_with_tables_are_named_by_caption(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.tbqa", "1\tHow high?\tHills\tHill\tMontmartre")
    assert list(read_candidates(path)) == [TbqaCandidate("How high?", "Hills", 1)]


def test_the_tables_must_be_given_where_pairs_name_them(tmp_path: Path) -> None:
    pairs = write_text(tmp_path / "cand.tsv", "0\tHow high?\tt/1")
    with pytest.raises(InputError, match=r"cand\.tsv, line 1: .*--tables"):
        list(read(pairs))


def test_an_unknown_table_is_named(tmp_path: Path) -> None:
    pairs = write_text(tmp_path / "cand.tsv", "0\tHow high?\tt/1", "1\tHow high?\tt/9")
    tables = write_text(tmp_path / "tables.tsv", "t/1\tHills\tHill\tMontmartre")
    with pytest.raises(
        InputError, match=r"cand\.tsv, line 2, id t/9: there is no such table in .*tables\.tsv"
    ):
        list(read(pairs, tables))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["yes\tq\tt/1"], "line 1: expected a label, 0 or 1, in the first column, got 'yes'"),
        (["0\tq\tc\th\tx", "2\tq\tc\th\tx"], "line 2: expected a label"),
        (["q"], "line 1: expected label, question, table id, or .* found 1 columns"),
        (["0\tq\tc\th\tx\ty"], "line 1: .* found 6 columns"),
        (["0\tq\tc\th\tx", "0\tq\tt/1"], "line 2: expected 5 tab-separated columns, .* found 3"),
    ],
)
def test_bad_pairs_are_named(tmp_path: Path, lines: list[str], problem: str) -> None:
    path = write_text(tmp_path / "a.tsv", *lines)
    with pytest.raises(InputError, match=problem):
        list(read(path, tmp_path / "a.tsv") if "\tt/1" not in lines[0] else read_candidates(path))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["t/1\tc\th"], "line 1: expected 4 tab-separated columns"),
        (["t/1\tc\th\tx", "t/1\tc\th\ty"], "line 2, id t/1: a second table has this id"),
    ],
)
def test_bad_tables_are_named(tmp_path: Path, lines: list[str], problem: str) -> None:
    path = write_text(tmp_path / "tables.tsv", *lines)
    with pytest.raises(InputError, match=problem):
        list(read_tables(path))


# A file with many zeros is refused as UTF-16.
texts = st.text(st.characters(exclude_characters="\0\t\n\r\ufeff", codec="utf-8"), max_size=8)
cells = texts | st.sampled_from(["", " ", "_", "_|", "|_", "|", "_ |", "a _", "||"])
tables = st.builds(
    Table,
    st.lists(cells, min_size=2, max_size=3).map(tuple),
    st.lists(st.lists(cells, min_size=2, max_size=3).map(tuple), max_size=3).map(tuple),
    texts,
)


@settings(deadline=None, max_examples=60)
@given(
    pairs=st.lists(st.builds(TbqaPair, texts, tables, st.just(1)))
    | st.lists(st.builds(TbqaPair, texts, tables))
)
def test_pairs_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[TbqaPair]
) -> None:
    path = tmp_path_factory.getbasetemp() / "a.tbqa"
    try:
        write(path, pairs)
    except InputError:
        content = [cell for pair in pairs for row in (pair.table.headers, *pair.table.rows) for cell in row]
        assert any("_" in cell for cell in content)
    else:
        assert list(read(path)) == pairs


def test_candidates_and_tables_come_back(tmp_path: Path) -> None:
    candidates = [TbqaCandidate("q", "t/1", 0), TbqaCandidate("r", "t/2", 1)]
    write_candidates(tmp_path / "cand.tsv", candidates)
    assert list(read_candidates(tmp_path / "cand.tsv")) == candidates
    found = [Table(("a", "b"), (("1", ""),), "c", "t/1"), Table((), (), "", "t/2")]
    write_tables(tmp_path / "tables.tsv", found)
    assert list(read_tables(tmp_path / "tables.tsv")) == found


@pytest.mark.parametrize(
    "table",
    [
        Table(("a _|_ b", "c"), ()),
        Table(("a",), (("x _||_ y",),)),
        Table(("a",), ((),)),
        Table(("",), ()),
        Table(("a",), (("",),)),
        Table(("a",), (("x\ty",),)),
        Table(("a",), (("x",),), "one\ntwo"),
    ],
)
def test_tables_that_would_come_back_different_are_refused(tmp_path: Path, table: Table) -> None:
    with pytest.raises(InputError):
        write(tmp_path / "a.tbqa", [TbqaPair("q", table, 1)])
    assert list(tmp_path.iterdir()) == []


def test_labels_are_for_all_pairs_or_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: either all pairs have labels or none"):
        write_candidates(tmp_path / "c.tsv", [TbqaCandidate("q", "t"), TbqaCandidate("q", "t", 1)])


@pytest.mark.shared
def test_the_real_files(shared: Path) -> None:
    folder = shared / "data" / "nlpcc" / "tbqa"
    assert len(list(groups(read(folder / "fetaqa_dev_part.tbqa.gz")))) == 300
    pairs = read(folder / "wtq.cand.dev.tsv.gz", folder / "wtq.tables.tsv.gz")
    assert {len(group.pairs) for group in groups(pairs)} == {20}


def test_blanks_around_tabs_as_the_guideline_prints_them(tmp_path: Path) -> None:
    bare = write_text(tmp_path / "bare.tbqa", "1\t多高？\t山\t名 _|_ 高\t甲 _|_ 9 _||_ 乙 _|_ ")
    spaced = write_text(tmp_path / "spaced.tbqa", "1 \t 多高？ \t 山 \t 名 _|_ 高 \t 甲 _|_ 9 _||_ 乙 _|_ ")
    (pair,) = read(spaced)
    assert [pair] == list(read(bare))
    assert (pair.label, pair.question, pair.table.caption) == (1, "多高？", "山")
    assert pair.table.rows == (("甲", "9"), ("乙", ""))
    tables = write_text(tmp_path / "tables.tsv", "t/1\tHills\tHill\tMontmartre")
    pairs = write_text(tmp_path / "cand.tsv", "0 \t How high? \t t/1")
    assert [(pair.label, pair.question, pair.table.id) for pair in read(pairs, tables)] == [
        (0, "How high?", "t/1")
    ]
