from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.nlpcc.kbqa_format import (
    KbqaPrediction,
    KbqaQuestion,
    read,
    read_numbered,
    read_predictions,
    write,
    write_predictions,
)
from caveat.core.answers import Triple
from caveat.core.errors import InputError

LINE = "=" * 50
FILE = f"""<question id=1>\t长江有多长？\x20
<triple id=1>\t长江 ||| 长度 ||| 6300公里
<answer id=1>\t6300公里
{LINE}
<question id=2>\t大理石是什么颜色？
<triple id=2>\t ||| 颜色 ||| 白色 | white
<answer id=2>\t白色 | white
{LINE}
<question id=7>\t谁写了红楼梦？
<answer id=7>\t曹雪芹\t高鹗
{LINE}
<question id=8>\t没有答案？
{LINE}
<question id=9>\t也没有？
<answer id=9>\t
"""
QUESTIONS = [
    KbqaQuestion("1", "长江有多长？ ", ("6300公里",), "长江 ||| 长度 ||| 6300公里"),
    KbqaQuestion("2", "大理石是什么颜色？", ("白色", "white"), " ||| 颜色 ||| 白色 | white"),
    KbqaQuestion("7", "谁写了红楼梦？", ("曹雪芹", "高鹗")),
    KbqaQuestion("8", "没有答案？"),
    KbqaQuestion("9", "也没有？"),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_questions(tmp_path: Path, encoding: str, end: str, packed: bool) -> None:
    path = tmp_path / "a.kbqa"
    data = FILE.replace("\n", end).encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read(path)) == QUESTIONS
    assert [number for number, _ in read_numbered(path)] == [1, 5, 9, 12, 14]


def test_a_malformed_triple_is_kept_as_it_is() -> None:
    assert QUESTIONS[0].fact == Triple("长江", "长度", "6300公里")
    assert QUESTIONS[1].fact is None
    assert QUESTIONS[2].fact is None


def test_questions_without_separators_and_with_a_blank_for_the_tab(tmp_path: Path) -> None:
    path = tmp_path / "a.kbqa"
    path.write_text("<question id=1> 甲？\n<answer id=1> a b\n<question id=2>乙？\n", encoding="utf-8")
    assert list(read(path)) == [KbqaQuestion("1", "甲？", ("a b",)), KbqaQuestion("2", "乙？")]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("a | b\tc", ("a", "b", "c")),
        ("很长 |", ("很长 |",)),
        ("a|b", ("a|b",)),
        (" a \t\t b", ("a", "b")),
        ("", ()),
    ],
)
def test_what_separates_gold_answers(tmp_path: Path, line: str, answers: tuple[str, ...]) -> None:
    path = tmp_path / "a.kbqa"
    path.write_text(f"<question id=1>\t甲？\n<answer id=1>\t{line}\n", encoding="utf-8")
    assert next(read(path)).answers == answers


def test_only_a_tab_separates_predicted_answers(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(
        f"<question id=1>\t甲？\n<answer id=1>\ta | b\tc\n{LINE}\n<question id=2>\t乙？\n<answer id=2>\t\n",
        encoding="utf-8",
    )
    expected = [KbqaPrediction("1", "甲？", ("a | b", "c")), KbqaPrediction("2", "乙？")]
    assert list(read_predictions(path)) == expected
    write_predictions(path, expected)
    assert list(read_predictions(path)) == expected
    assert path.read_text(encoding="utf-8").endswith(f"<question id=2>\t乙？\n<answer id=2>\t\n{LINE}\n")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<question id=1>\ta\n<question id=1>\tb\n", "line 2, id 1: a second question has this id"),
        ("<answer id=1>\ta\n", "line 1, id 1: this answer does not follow the question with its id"),
        ("<question id=1>\ta\n<answer id=2>\tb\n", "line 2, id 2: this answer does not follow"),
        ("<question id=1>\ta\n<answer id=1>\tb\n<answer id=1>\tc\n", "line 3, id 1: a second answer"),
        ("<question id=1>\ta\nanswer: b\n", "line 2: expected <question id=…>"),
        (f"<question id=1>\ta\n{LINE}\n<triple id=1 a ||| b\n", "line 3: expected <question id=…>"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "a.kbqa"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read(path))


def test_the_text_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.kbqa"
    write(path, QUESTIONS[1:3])
    assert path.read_text(encoding="utf-8") == (
        "<question id=2>\t大理石是什么颜色？\n"
        "<triple id=2>\t ||| 颜色 ||| 白色 | white\n"
        f"<answer id=2>\t白色\twhite\n{LINE}\n"
        f"<question id=7>\t谁写了红楼梦？\n<answer id=7>\t曹雪芹\t高鹗\n{LINE}\n"
    )


texts = st.text(max_size=10)
answers = st.lists(
    st.text(min_size=1, max_size=8) | st.sampled_from(["a | b", "|", "a |", "| b"]), max_size=3
)


@settings(deadline=None, max_examples=60)
@given(
    items=st.lists(
        st.builds(KbqaQuestion, st.integers(0, 99).map(str), texts, answers.map(tuple), st.none() | texts),
        unique_by=lambda item: item.id,
    )
)
def test_questions_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, items: list[KbqaQuestion]
) -> None:
    path = tmp_path_factory.getbasetemp() / "a.kbqa"
    try:
        write(path, items)
    except InputError:
        given_answers = [answer for item in items for answer in item.answers]
        lines = [item.question for item in items] + [item.triple or "" for item in items]
        assert any(a != a.strip() or " | " in a or {"\t", "\n"} & set(a) for a in given_answers) or any(
            {"\n", "\r"} & set(line) for line in lines
        )
    else:
        assert list(read(path)) == items


@settings(deadline=None, max_examples=60)
@given(
    items=st.lists(
        st.builds(KbqaPrediction, st.integers(0, 99).map(str), texts, answers.map(tuple)),
        unique_by=lambda item: item.id,
    )
)
def test_predictions_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, items: list[KbqaPrediction]
) -> None:
    path = tmp_path_factory.getbasetemp() / "run.txt"
    try:
        write_predictions(path, items)
    except InputError:
        given_answers = [answer for item in items for answer in item.answers]
        assert any(a != a.strip() or {"\t", "\n"} & set(a) for a in given_answers) or any(
            {"\n", "\r"} & set(item.question) for item in items
        )
    else:
        assert list(read_predictions(path)) == items


@pytest.mark.parametrize("id", ["1>", "a<b", " 1"])
def test_an_id_that_would_come_back_different_is_refused(tmp_path: Path, id: str) -> None:
    with pytest.raises(InputError, match="cannot be an id"):
        write(tmp_path / "a.kbqa", [KbqaQuestion(id, "q")])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "questions", "malformed"),
    [("nlpcc2016.kbqa.train", 14_609, 2), ("kgclue.train.kbqa", 18_000, 0), ("kgclue.dev.kbqa", 2_000, 0)],
)
def test_the_real_files(shared: Path, tmp_path: Path, name: str, questions: int, malformed: int) -> None:
    found = list(read(shared / "data" / "nlpcc" / "kbqa" / f"{name}.gz"))
    assert len(found) == questions
    assert sum(question.fact is None for question in found) == malformed
    write(tmp_path / "again.kbqa", found)
    assert list(read(tmp_path / "again.kbqa")) == found
