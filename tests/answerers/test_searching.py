"""Passages that are found without answering, and those that stand in a reply that is not sure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.asking import Collection
from caveat.answerers.searching import search, with_passages
from caveat.core.answers import Answer
from caveat.core.certainty import certainty_of
from caveat.core.records import Document, Question, Reply, Table
from caveat.sources.markdown import parse_markdown

FERRY = parse_markdown(
    "# Ferry\n\n## Fares\n\nA ticket costs 4 euros.\n\n## Dogs\n\nDogs travel free of charge.\n"
)
PARK = Document("小狗可以进公园，但须牵绳。\n\n公园每天八点开门。", url="公园.txt")


def collection(*sources: Document | Table) -> Collection:
    return Collection(tuple(sources))


def test_the_best_passage_first_with_its_words_marked() -> None:
    hits = search(collection(FERRY), "How much are tickets?")
    assert [(hit.text, hit.headings) for hit in hits] == [("A ticket costs 4 euros.", ("Ferry", "Fares"))]
    assert [hits[0].text[start:end] for start, end in hits[0].marked] == ["ticket"]
    assert FERRY.text[hits[0].start : hits[0].end] == hits[0].text


def test_chinese_words_are_marked_where_they_stand() -> None:
    hit = search(collection(PARK), "小狗能进公园吗？")[0]
    assert "小狗" in hit.text
    assert "小狗" in [hit.text[start:end] for start, end in hit.marked]


def test_rows_of_a_table() -> None:
    boats = Table(("Boat", "Seats"), (("Arvo", "180"), ("Sound", "60")), id="boats.csv")
    hit = search(collection(boats), "Arvo")[0]
    assert (hit.source, hit.start) == ("boats.csv", None)
    assert [hit.text[start:end] for start, end in hit.marked] == ["Arvo"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_marked_is_in_the_text(text: str, words: str) -> None:
    for hit in search(collection(Document(text, url="a")), words):
        edges = [edge for span in hit.marked for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(hit.text) for edge in edges)


def test_passages_only_where_nothing_is_sure() -> None:
    question = Question("May dogs travel?")
    sure = Reply(question, (Answer("yes", "yes", 0.9),))
    unsure = Reply(question, (Answer("yes", "yes", 0.2),), 0.1)
    none = Reply(question, (), 0.9)
    assert with_passages(sure, collection(FERRY)).passages == ()
    for reply in (unsure, none):
        assert with_passages(reply, collection(FERRY)).passages[0].headings == ("Ferry", "Dogs")
    assert with_passages(Reply(Question("Thank you!"), (), 1.0), collection(FERRY)).passages == ()


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (1.0, "sure"),
        (0.8, "sure"),
        (0.79, "likely"),
        (0.5, "likely"),
        (0.3, "guess"),
        (0.29, "unsure"),
        (0, "unsure"),
    ],
)
def test_words_for_probabilities(score: float, word: str) -> None:
    assert certainty_of(score) == word


def test_a_probability_has_the_word_of_the_figure_that_is_shown() -> None:
    assert certainty_of(0.796) == "sure"


def test_the_command(tmp_path: Path, caveat: object) -> None:
    path = tmp_path / "ferry.md"
    path.write_text("# Ferry\n\n## Fares\n\nA ticket costs 4 euros.\n", encoding="utf-8")
    done = caveat("search", "tickets", "cost", str(path))  # type: ignore[operator]
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "1  A «ticket» «costs» 4 euros."
    none = caveat("search", "submarine", str(path))  # type: ignore[operator]
    assert none.stdout == "Not found in this source\n"
    wrong = caveat("search", "tickets", str(path), "missing.md")  # type: ignore[operator]
    assert wrong.returncode == 2
    assert "missing.md does not exist" in wrong.stderr
