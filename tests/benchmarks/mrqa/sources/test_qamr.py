from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.mrqa.sources.build import convert_source
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

SENTENCES = (
    "Wiki1k:wikipedia:1:0:0\tMiller -LRB- a `` baker '' -RRB- sold bread and cakes .\n"
    "Wiki1k:wikinews:2:0:0\tRain fell .\n"
)
ROWS = [
    # Writer and validators, with a repeated answer and one wider than the others.
    "Wiki1k:wikipedia:1:0:0\t0 2\t7\t0\t0\tWho sold bread?\t0\t8:0\t9:0 1 2 3 4 5 6",
    # A gap in the writer's answer: filled.
    "Wiki1k:wikipedia:1:0:0\t0 2\t7\t1\t8\tWhat was sold?\t8 10\t8:8\t9:Invalid",
    "Wiki1k:wikipedia:1:0:0\t0 2\t7\t2\t8\tWhat else?\t10\t8:Invalid\t9:Redundant-1",
    "Wiki1k:wikinews:2:0:0\t0\t7\t0\t0\tWhat fell?\t0\t8:0\t9:0",
    "PTB:00/wsj_0001:1\t0\t7\t0\t0\tWho joined?\t0\t8:0\t9:0",
]


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "wiki-sentences.tsv"
    path.write_text(SENTENCES)
    return path


def test_rows(tmp_path: Path, sentences: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text("\n".join(ROWS) + "\n")
    drops = Drops()
    first, second = convert_source("qamr", path, drops, sentences)
    assert first.context == 'Miller ( a " baker " ) sold bread and cakes .'
    assert first.extra["id"] == "Wiki1k:wikipedia:1:0:0"
    who, what = first.questions
    assert who.answers == ("Miller", "Miller", 'Miller ( a " baker " )')
    assert who.extra["id"] == "Wiki1k:wikipedia:1:0:0/0-2/7/0"
    assert (what.question, what.answers) == ("What was sold?", ("bread and cakes", "bread"))
    assert [first.context[p.start : p.end] for d in what.detected for p in d.places] == [
        "bread and cakes",
        "bread",
    ]
    assert second.context == "Rain fell ."
    assert drops.counts == {"not valid to most annotators": 1, "sentence not among the companion's": 1}
    assert drops.examples["sentence not among the companion's"] == ["PTB:00/wsj_0001:1/0/7/0"]


def test_no_sentences_given(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"give wiki-sentences\.tsv"):
        list(convert_source("qamr", tmp_path / "dev.tsv", Drops()))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("Wiki1k:wikinews:2:0:0\t0\t7", "line 2: has 3 tab-separated columns, expected at least 7"),
        (
            "Wiki1k:wikinews:2:0:0\t0\t7\t0\t0\tWhat?\t3\t8:0\t9:0",
            "line 2, id Wiki1k:wikinews:2:0:0/0/7/0: the answer '3' is outside the sentence of 3 tokens",
        ),
        (
            "Wiki1k:wikinews:2:0:0\t0\t7\t0\t0\tWhat?\tRain\t8:0\t9:0",
            "the answer is 'Rain', expected token numbers",
        ),
    ],
)
def test_bad_rows(tmp_path: Path, sentences: Path, row: str, problem: str) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(f"{ROWS[0]}\n{row}\n")
    with pytest.raises(InputError) as caught:
        list(convert_source("qamr", path, Drops(), sentences))
    assert problem in str(caught.value)


def test_bad_sentences(tmp_path: Path, sentences: Path) -> None:
    path = tmp_path / "dev.tsv"
    path.write_text(ROWS[0] + "\n")
    sentences.write_text("Rain fell .\n")
    with pytest.raises(InputError, match="line 1: expected sentence id and sentence"):
        list(convert_source("qamr", path, Drops(), sentences))
