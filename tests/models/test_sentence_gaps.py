"""What a sentence lacks of the question counts against its spans, where the card says so."""

from __future__ import annotations

import json
from math import log
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.decoding import Candidate
from caveat.models.encoding import EncodedText
from caveat.models.reader import Reader, ReadRequest
from caveat.models.selection import SentenceGaps


def encoded(text: str) -> EncodedText:
    """A token a character."""
    places = np.arange(len(text), dtype=np.int32)
    return EncodedText(text, np.array([ord(sign) for sign in text], dtype=np.int32), places, places + 1)


def lacking(question: str, text: str) -> SentenceGaps:
    return SentenceGaps(encoded(question).ids, encoded(text), [(0, len(text))])


def test_a_sentence_is_as_far_behind_as_it_has_less_of_the_question() -> None:
    found = lacking("乙丁", "甲甲。乙丁。乙甲。")
    # 乙 stands in two of three sentences, 丁 and the pair in one; a single occurrence counts 1 / 2.2.
    common, rare = log(1 + 1.5 / 2.5) / 2.2, log(1 + 2.5 / 1.5) / 2.2
    behind = [found.at(character) for character in (0, 3, 6)]
    assert behind == pytest.approx([common + 2 * rare, 0, 2 * rare])
    assert found.at(5) == found.at(3)


def test_candidates_lose_what_their_sentences_lack_and_come_best_first() -> None:
    found = lacking("乙丁", "甲甲。乙丁。乙甲。")
    told = found.adjusted([Candidate("甲甲", 0, 2, 3.0), Candidate("丁", 4, 5, 2.5)], 0.5)
    assert [each.text for each in told] == ["丁", "甲甲"]
    assert [each.score for each in told] == pytest.approx([2.5, 3.0 - 0.5 * found.at(0)])


@pytest.mark.parametrize("text", ["", "。", "乙", "甲乙丙"])
def test_a_text_of_one_sentence_or_none_lacks_nothing(text: str) -> None:
    assert lacking("乙", text).at(0) == 0


@given(st.text("甲乙丙。 ", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_parts_that_overlap_are_one(text: str, one: int, other: int) -> None:
    begin, end = sorted((min(one, len(text)), min(other, len(text))))
    apart = SentenceGaps(encoded("乙丙").ids, encoded(text), [(begin, len(text)), (0, end)])
    assert [apart.at(at) for at in range(len(text))] == [
        lacking("乙丙", text).at(at) for at in range(len(text))
    ]


def test_a_reader_whose_card_says_so(reader_folder: Path) -> None:
    plain = Reader.load(reader_folder, threads=1)
    reader = Reader(reader_folder, msgspec.structs.replace(plain.card, lacking=0.5), threads=1)
    request = ReadRequest("color size", "The dog has the color red. This size ten has another color.")
    (before,) = plain.read([request])
    (after,) = reader.read([request], count=1)
    assert before.candidates[0].text == "red"
    assert [each.text for each in after.candidates] == ["ten"]


def test_the_weight_is_fitted_where_it_helps(reader_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="fitting is a part of training (extra train)")
    from caveat.training.kinds.reader.figures import read_all
    from caveat.training.kinds.reader.lacking import fit_lacking

    reader = Reader.load(reader_folder, threads=1)
    context = "The dog has the color red. This size ten has another color."

    def fitted(question: str, answer: str) -> float:
        gold = {"text": answer, "answer_start": context.index(answer)}
        paragraph = {"context": context, "qas": [{"id": "1", "question": question, "answers": [gold]}]}
        path = tmp_path / "questions.json"
        path.write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}), "utf-8")
        return fit_lacking(reader, read_all(reader, "squad", path))

    assert fitted("color size", "ten") == 0.1
    assert fitted("color dog", "red") == 0
