"""`caveat bench long-texts`: passages put together, what is read of them and what it finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.bench import bench
from caveat.bench.long_texts import WAYS, bench_long_texts
from caveat.bench.questions import documents_of, read_questions
from caveat.benchmarks.shared.passage import Passage
from caveat.core.errors import InputError, UsageError

# Of the tiny reader's window of 48 tokens a question of one token leaves 44 to the text, and windows move by 16: five
# passages of 44 tokens have 12 windows, the first at token 0, the next at 16, the last from 176 to the end at 220.
PLACED = {
    # In the first window alone.
    0: "color blue",
    # In windows 1 and 2, and in windows 5 and 6.
    44: "size cat size cat",
    108: "size cat size cat",
    # In windows 8, 9 and 10.
    160: "size ten stop",
    # In the last window alone.
    216: "color red and color",
}
# By passage.
ASKED = {0: [("name", "")], 3: [("size", "ten stop")], 4: [("color", "red")]}


@pytest.fixture
def passages() -> list[str]:
    tokens = ["dog"] * 220
    for at, words in PLACED.items():
        tokens[at : at + len(words.split())] = words.split()
    return [" ".join(tokens[at : at + 44]) for at in range(0, 220, 44)]


@pytest.fixture
def data_file(tmp_path: Path, passages: list[str]) -> Path:
    paragraphs = [
        {
            "context": text,
            "qas": [
                {
                    "id": f"{number} {question}",
                    "question": question,
                    "answers": [{"text": answer, "answer_start": text.index(answer)}] if answer else [],
                }
                for question, answer in ASKED.get(number, [])
            ],
        }
        for number, text in enumerate(passages)
    ]
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    return path


def texts_of(passages: list[Passage], count: int) -> list[tuple[str, str]]:
    return [
        (document.replace("\n\n", "|"), passage.text) for document, passage in documents_of(passages, count)
    ]


def test_neighbours_of_one_article_are_put_together() -> None:
    made = [Passage(letter, article=letter > "e") for letter in "abcdefg"]
    # The first article's last document goes back to have three; the second has no more than two.
    assert texts_of(made, 3) == [
        *(("a|b|c", letter) for letter in "abc"),
        *(("c|d|e", letter) for letter in "de"),
        *(("f|g", letter) for letter in "fg"),
    ]
    assert texts_of(made, 1) == [(letter, letter) for letter in "abcdefg"]


def test_articles_of_one_passage_are_put_together() -> None:
    made = [Passage(letter, article=number) for number, letter in enumerate("abc")]
    assert texts_of(made, 2) == [("a|b", "a"), ("a|b", "b"), ("b|c", "c")]
    assert texts_of(made, 9) == [("a|b|c", letter) for letter in "abc"]
    assert texts_of([], 2) == []


def test_questions_of_a_document(data_file: Path, passages: list[str]) -> None:
    found = read_questions("en", data_file, 9, passages=4, seed=1)
    # The one without an answer is left out.
    assert found.pairs == (("size", "\n\n".join(passages[:4])), ("color", "\n\n".join(passages[1:])))
    assert found.golds == (["ten stop"], ["red"])
    drawn = {read_questions("en", data_file, 1, seed=seed).pairs for seed in range(20)}
    assert drawn == {(("size", passages[3]),), (("color", passages[4]),)}


def test_what_each_way_reads_and_finds(reader_folder: Path, data_file: Path, passages: list[str]) -> None:
    measured = bench_long_texts(
        data={"en": data_file}, models={"en": reader_folder}, passages=5, repeats=2, questions=9
    )
    assert measured.columns[:7] == (
        "",
        "characters",
        "windows",
        "windows read",
        "F1",
        "exact match",
        "a question",
    )
    characters = len("\n\n".join(passages))
    # "color": the model has blue and red alike, and the first counts; the window of red has the word twice.
    # "size": ten stop is best where it is read, but four other windows have the word twice.
    assert [row[:6] for row in measured.rows] == [
        ("en: all windows", characters, 12.0, 12.0, 50.0, 50.0),
        ("en: all windows, words counted", characters, 12.0, 12.0, 100.0, 100.0),
        ("en: chosen windows", characters, 12.0, 4.0, 50.0, 50.0),
    ]
    assert all(str(row[6]).endswith("s") for row in measured.rows)
    assert measured.rows[0][7:] == (None, None)
    for row in measured.rows[1:]:
        ratio, spread = (str(cell).rstrip("×") for cell in row[7:])
        smallest, largest = map(float, spread.split("–"))
        assert smallest <= float(ratio) <= largest
    assert "2 questions of facts.json" in measured.notes[1]
    assert "Passages in a document: 5." in measured.notes[1]


def test_chinese_answers_have_cmrcs_score(caveat: Any, reader_folder: Path, tmp_path: Path) -> None:
    contexts = [
        {
            "context_id": str(number),
            "context_text": text,
            "qas": [{"query_id": f"{number}", "query_text": question, "answers": [answer]}],
        }
        for number, (text, question, answer) in enumerate(
            [("大色红。", "颜色", "红蓝"), ("大是十，小。", "是", "十")]
        )
    ]
    (tmp_path / "facts.json").write_text(json.dumps(contexts))
    options = ("--model-zh", reader_folder, "--passages", 2, "--repeats", 1, "--json")
    done = caveat("bench", "long-texts", "--zh", "facts.json", *options)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert [row[0] for row in measured["rows"]] == [f"zh: {way.label}" for way in WAYS]
    # Four characters, a blank line and six in one window. 红 has of 红蓝 precision 1 and recall 1/2: F1 is 2/3.
    for row in measured["rows"]:
        assert row[1:6] == [12, 1.0, 1.0, pytest.approx((200 / 3 + 100) / 2), 50.0]
        assert row[8] is None


def test_what_does_not_go_together(reader_folder: Path, ranker_folder: Path, data_file: Path) -> None:
    with pytest.raises(UsageError, match="name one with --en or --zh"):
        bench("long-texts")
    with pytest.raises(UsageError, match="--model-zh reads nothing without --zh"):
        bench("long-texts", data={"en": data_file}, models={"zh": reader_folder})
    with pytest.raises(InputError, match="a model for 'ranker', expected one for 'reader'"):
        bench("long-texts", data={"en": data_file}, models={"en": ranker_folder})
