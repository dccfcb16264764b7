"""Lists with their evidence as a stream, with a scorer of pairs and without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from caveat.answerers.ranking.evidence import BY_RANKER, CandidateList, Evidence, with_neighbours
from caveat.benchmarks.nlpcc.ranked_predict import read_sentence_lists, read_table_lists
from caveat.core.errors import InputError
from caveat.core.records import Table
from caveat.models.windowed_model import ReadRequest

SENTENCES = CandidateList("渡船几点开？", ("渡船在北岸。", "七点开。"), (False, True))
TABLES = CandidateList(
    "who keeps the light?", (Table(("Keeper",), (("Ada",),), "Lights"), Table(("Mill",), (("Low",),)))
)


class Lengths:
    """Scores a text by its length, and keeps what it read."""

    neighbours, window = 1, 64

    def __init__(self) -> None:
        self.read: list[ReadRequest] = []

    def score(self, pairs: Iterable[ReadRequest]) -> Iterator[float]:
        for pair in list(pairs):  # reads ahead
            self.read.append(pair)
            yield float(len(pair.text))


def test_without_a_scorer() -> None:
    found = list(Evidence().of([SENTENCES, TABLES]))
    assert [each for each, _ in found] == [SENTENCES, TABLES]
    assert [len(features.values) for _, features in found] == [2, 2]
    assert BY_RANKER[0] not in found[0][1].names


def test_a_scorer_reads_sentences_with_neighbours_and_tables_as_text() -> None:
    scorer = Lengths()
    (_, first), (_, second) = Evidence().of([SENTENCES, TABLES], scorer)
    texts = [
        "渡船在北岸。 |  | 七点开。",
        "七点开。 | 渡船在北岸。 | ",
        "Lights | Keeper | Ada",
        " | Mill | Low",
    ]
    assert [pair.text for pair in scorer.read] == texts
    assert [pair.question for pair in scorer.read] == [SENTENCES.question] * 2 + [TABLES.question] * 2
    assert first.column("ranker").tolist() == [len(texts[0]), len(texts[1])]
    assert second.column("ranker").tolist() == [len(texts[2]), len(texts[3])]
    assert 0.99 < first.column(BY_RANKER[1])[0] <= 1


def test_neighbours_are_cut_on_their_far_side() -> None:
    far = "a" * 100
    text = with_neighbours([f"{far}!", "b", f"?{far}"], 1, 1)
    assert text.startswith("b | ")
    assert f"{'a' * 79}! | ?{'a' * 79}" in text
    assert far not in text
    assert with_neighbours(["a", "b"], 0, 1) == "b"


def test_no_candidates() -> None:
    with pytest.raises(InputError, match="has no candidates"):
        CandidateList("who?", ())


def test_lists_of_files(tmp_path: Path) -> None:
    path = tmp_path / "dbqa.tsv"
    path.write_text("甲？\t一\t0\n乙？\t二\t1\n甲？\t三\t1\n", encoding="gb18030")
    first, second = read_sentence_lists(path)
    assert (first.question, first.candidates, first.right, first.indices) == (
        "甲？",
        ("一", "三"),
        (False, True),
        (0, 2),
    )
    assert second.kind == "sentences"
    path.write_text("甲？\t一\n")
    assert next(read_sentence_lists(path)).right == ()
    tables = tmp_path / "tables.tsv"
    tables.write_text("t1\tLights\tKeeper _|_ Year\tAda _|_ 1890 _||_ Eve _|_ 1901\n")
    path.write_text("1\twho?\tt1\n")
    (found,) = read_table_lists(path, tables)
    assert found.kind == "tables"
    assert found.candidates == (
        Table(("Keeper", "Year"), (("Ada", "1890"), ("Eve", "1901")), "Lights", "t1"),
    )
