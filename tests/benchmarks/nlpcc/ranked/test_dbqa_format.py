from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.candidates import groups, runs
from caveat.benchmarks.nlpcc.dbqa_format import DbqaPair, read, read_numbered, write
from caveat.core.errors import InputError

PAIRS = [
    DbqaPair("长江有多长？", "长江长约6300公里。", 1),
    DbqaPair("长江有多长？", "长江流入东海。", 0),
    DbqaPair("谁写了红楼梦？", "曹雪芹写了红楼梦。", 1),
]
LAST = "".join(f"{pair.question}\t{pair.sentence}\t{pair.label}\n" for pair in PAIRS)
FIRST = "".join(f"{pair.label}\t{pair.question}\t{pair.sentence}\n" for pair in PAIRS)


@pytest.mark.parametrize("content", [LAST, FIRST], ids=["label last", "label first"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_both_labelled_layouts(tmp_path: Path, content: str, encoding: str, end: str, packed: bool) -> None:
    path = tmp_path / "a.tsv"
    data = content.replace("\n", end).encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read(path)) == PAIRS


@pytest.mark.parametrize("content", [LAST, FIRST], ids=["label last", "label first"])
def test_blanks_around_tabs_as_the_guideline_prints_them(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(content.replace("\t", " \t "), encoding="utf-8")
    assert list(read(path)) == PAIRS
    # A blank at the edge of a text is the text's, where the label has none.
    path.write_text("谁？ \t 他。\t1\n", encoding="utf-8")
    assert list(read(path)) == [DbqaPair("谁？ ", " 他。", 1)]


def test_a_test_file_has_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("甲？\t一。\n甲？\t\n", encoding="utf-8")
    assert list(read(path)) == [DbqaPair("甲？", "一。"), DbqaPair("甲？", "")]


def test_line_numbers_count_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("甲？\t一。\t0\n\n甲？\t二。\t1\n\n", encoding="utf-8")
    assert list(read_numbered(path)) == [(1, DbqaPair("甲？", "一。", 0)), (3, DbqaPair("甲？", "二。", 1))]


def test_lines_that_fit_both_layouts_wait_for_one_that_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("1\t一和零？\t0\n0\t二？\t两个。\n", encoding="utf-8")
    assert list(read(path)) == [DbqaPair("一和零？", "0", 1), DbqaPair("二？", "两个。", 0)]
    path.write_text("1\t一。\t0\n二？\t两个。\t1\n", encoding="utf-8")
    assert list(read(path)) == [DbqaPair("1", "一。", 0), DbqaPair("二？", "两个。", 1)]


def test_the_label_is_last_where_nothing_tells(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("1\t一。\t0\n", encoding="utf-8")
    assert list(read(path)) == [DbqaPair("1", "一。", 0)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("甲？\t一。\t2\n", "line 1: expected a label, 0 or 1, in the last or first column, got '2'"),
        ("甲？\t一。\t0\n甲？\t二。\t是\n", "line 2: expected a label, 0 or 1, got '是'"),
        ("0\t甲？\t一。\n\n-\t甲？\t二。\n", "line 3: expected a label, 0 or 1, got '-'"),
        ("甲？\n", "line 1: expected question, sentence and label, .* found 1 columns"),
        ("a\tb\tc\t0\n", "line 1: .* found 4 columns"),
        ("甲？\t一。\t0\n甲？\t二。\n", "line 2: expected 3 tab-separated columns, .* found 2"),
        ("甲？\t一。\n甲？\t二。\t0\n", "line 2: expected 2 tab-separated columns, .* found 3"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read(path))


def test_a_cut_off_gzip_file_is_an_error_not_a_short_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress((LAST * 50).encode())[:-20])
    with pytest.raises(InputError, match="cut off"):
        list(read(path))


# A file with many zeros is refused as UTF-16.
texts = st.text(st.characters(exclude_characters="\0\t\n\r\ufeff", codec="utf-8"))


@settings(deadline=None, max_examples=60)
@given(
    pairs=st.lists(st.builds(DbqaPair, texts, texts, st.sampled_from([0, 1])))
    | st.lists(st.builds(DbqaPair, st.sampled_from(["0", "1", "q"]), st.sampled_from(["0", "s"]), st.just(1)))
    | st.lists(st.builds(DbqaPair, texts, texts))
)
def test_pairs_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[DbqaPair]) -> None:
    path = tmp_path_factory.getbasetemp() / "dbqa.tsv"
    write(path, pairs)
    assert list(read(path)) == pairs


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([DbqaPair("a\tb", "s", 0)], "tab"),
        ([DbqaPair("q", "s\nt", 0)], "line break"),
        ([DbqaPair("q", "s", 0), DbqaPair("q", "t")], "line 2: either all pairs have labels or none"),
        ([DbqaPair("q", "s", 2)], "a label is 0 or 1"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, pairs: list[DbqaPair], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        write(tmp_path / "a.tsv", pairs)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.shared
def test_the_real_files(shared: Path) -> None:
    folder = shared / "data" / "nlpcc" / "dbqa"
    train = list(read(folder / "train_part.tsv.gz"))
    assert len(train) == 14_855
    assert len(list(groups(read(folder / "valid_part.tsv.gz")))) == 827
    # Two of the questions made from CMRC's trial set are empty: by their text they are one.
    trial = list(read(folder / "cmrc2018_trial.dbqa.tsv.gz"))
    assert (len(list(runs(trial))), len(list(groups(trial)))) == (1_000, 999)
