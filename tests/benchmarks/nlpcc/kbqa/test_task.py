from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.nlpcc.kbqa_task import check, check_kb
from caveat.core.errors import InputError

TRIPLE = "海獭 ||| 食物 ||| 海胆"


def block(
    id: str, question: str = "海獭吃什么？", triple: str | None = TRIPLE, answer: str | None = "海胆"
) -> str:
    """Four lines, or fewer where there is no triple or answer."""
    lines = [f"<question id={id}>\t{question}"]
    if triple is not None:
        lines.append(f"<triple id={id}>\t{triple}")
    if answer is not None:
        lines.append(f"<answer id={id}>\t{answer}")
    return "\n".join([*lines, "=" * 50, ""])


def write(path: Path, *blocks: str) -> Path:
    path.write_text("".join(blocks), encoding="utf-8")
    return path


def test_sound_data_gives_no_finding(tmp_path, told):
    path = write(
        tmp_path / "kbqa",
        block("1"),
        block("2", answer="贝类\t海胆"),
        block("3", answer="贝类 | 海胆"),
        block("4", triple="海獭 ||| 食物 ||| 贝类 | 海胆", answer="贝类 | 海胆"),
        block("5", triple=None),
    )
    assert told(check(path), path) == []


def test_a_test_file_has_no_answers_to_miss(tmp_path, told):
    path = write(tmp_path / "kbqa", block("1", triple=None, answer=None))
    assert told(check(path), path) == []


BROKEN = {
    "empty-question": block("2", question=""),
    "no-answer": block("2", answer=" "),
    "malformed-triple": block("2", triple="海獭 ||| 海胆"),
    "answer-not-object": block("2", answer="海带"),
}


@pytest.mark.parametrize("rule", BROKEN)
def test_each_rule_finds_the_second_question(rule, tmp_path, told):
    path = write(tmp_path / "kbqa", block("1"), BROKEN[rule], block("3"))
    assert told(check(path), path) == [(rule, 5, "2")]


def test_a_file_with_an_id_twice_cannot_be_read(tmp_path):
    path = write(tmp_path / "kbqa", block("1"), block("1"))
    with pytest.raises(InputError, match="line 5, id 1"):
        list(check(path))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("海獭", 'the triple "海獭" has 1 of the three parts'),
        ("海獭 ||| 食物", 'the triple "海獭 ||| 食物" has 2 of the three parts'),
        ("海獭 |||  ||| 海胆", 'the triple "海獭 |||  ||| 海胆" has no predicate'),
        (" ||| 食物 ||| ", 'the triple " ||| 食物 ||| " has no subject and no object'),
    ],
)
def test_a_malformed_line_of_the_knowledge_base(line, message, tmp_path):
    kb = write(tmp_path / "kb", f"{TRIPLE}\n", f"{line}\n", f"{TRIPLE}\n", "\n", f"{line}\n")
    found = list(check_kb(kb))
    assert [(f.rule, f.file, f.line, f.message) for f in found] == [
        ("malformed-triple", str(kb), 2, message),
        ("malformed-triple", str(kb), 5, message),
    ]


def test_the_knowledge_base_is_checked_after_the_questions(tmp_path):
    path = write(tmp_path / "kbqa", block("1", answer="海带"))
    kb = write(tmp_path / "kb", "海獭\n")
    assert [(f.rule, f.file) for f in check(path, kb)] == [
        ("answer-not-object", str(path)),
        ("malformed-triple", str(kb)),
    ]


@pytest.mark.shared
def test_the_published_questions(shared):
    folder = shared / "data/nlpcc/kbqa"
    found = [(f.rule, f.line, f.id) for f in check(folder / "nlpcc2016.kbqa.train.gz")]
    assert found == [
        ("malformed-triple", 44001, "11001"),
        ("no-answer", 44001, "11001"),
        ("malformed-triple", 51605, "12902"),
    ]
    assert list(check(folder / "kgclue.dev.kbqa.gz")) == []


@pytest.mark.shared
def test_the_knowledge_base_that_can_be_had(shared):
    assert list(check_kb(shared / "data/nlpcc/kb/union_zh.kb.gz")) == []
