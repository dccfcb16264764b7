"""The reader on a model whose answers are known by construction."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from math import log
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import caveat.models.windowed_model as windowed_module
from caveat.core.errors import InputError
from caveat.models.decoding import Candidate
from caveat.models.embedded import find
from caveat.models.encoding import EncodedText
from caveat.models.reader import Reader, SentenceOverlap
from caveat.models.selection import BEHIND, Limit
from caveat.models.windowed_model import ReadRequest


@pytest.fixture(scope="module")
def reader(reader_folder: Path) -> Reader:
    return Reader.load(reader_folder, threads=1)


def best(reader: Reader, question: str, text: str) -> tuple[str, float]:
    (result,) = reader.read([ReadRequest(question, text)])
    return result.candidates[0].text, result.candidates[0].score


def test_known_answers(reader: Reader) -> None:
    assert best(reader, "color", "the color red") == ("red", 12)
    assert best(reader, "COLOR?", "The Color   RED.") == ("RED", 12)
    assert best(reader, "color", "color dark\tred stop") == ("dark\tred stop", 17)
    assert best(reader, "color", "color perhaps") == ("perhaps", 9)
    assert best(reader, "颜", "小颜红。") == ("红", 12)
    assert best(reader, "size", "color red")[1] == -8
    # An unknown word is a token too; what it stands for is given back as it is.
    assert best(reader, "color", "color Ωmega!") == ("Ωmega", 12)


def test_spans_do_not_overlap_and_come_best_first(reader: Reader) -> None:
    text = "color red , size ten ; color blue stop . color perhaps"
    (result,) = reader.read([ReadRequest("color", text)])
    assert [c.text for c in result.candidates[:3]] == ["blue stop", "red", "perhaps"]
    scores = [c.score for c in result.candidates]
    assert scores == sorted(scores, reverse=True)
    places = sorted((c.start, c.end) for c in result.candidates)
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    assert all(text[c.start : c.end] == c.text for c in result.candidates)
    (result,) = reader.read([ReadRequest("color", text)], count=1)
    assert [c.text for c in result.candidates] == ["blue stop"]


def test_an_answer_in_any_window(reader: Reader) -> None:
    filler = "dog cat "
    for before in range(0, 120, 7):
        text = filler * before + "color red " + filler * 60
        (result,) = reader.read([ReadRequest("color", text)])
        assert (result.candidates[0].text, result.candidates[0].start) == ("red", 8 * before + 6)
        # Overlapping windows see it several times; it is one answer.
        assert [c.score for c in result.candidates].count(12) == 1


@pytest.mark.parametrize(
    ("question", "text"),
    [("", "color red"), (" \n", "color red"), ("color", ""), ("color", " \t\n"), ("", "")],
)
def test_nothing_to_read(reader: Reader, question: str, text: str) -> None:
    (result,) = reader.read([ReadRequest(question, text)])
    assert result.candidates == ()
    assert reader.weigh([result]).unanswerable == 1.0


def test_a_long_question_keeps_its_beginning(reader: Reader) -> None:
    # 16 tokens are allowed.
    assert best(reader, "color " + "dog " * 200_000, "color red")[0] == "red"
    assert best(reader, "dog " * 15 + "color", "color red") == ("red", 12)
    assert best(reader, "dog " * 16 + "color", "color red")[1] == -8


def test_only_the_windows_that_share_most_with_the_question_are_read(reader_folder: Path) -> None:
    text = "dog cat " * 400 + "color red " + "dog cat " * 400 + "size ten " + "dog cat " * 400
    reader = Reader.load(reader_folder, threads=1, limit=Limit(few=2, share=0))
    assert len(list(reader._windows(0, ReadRequest("color", text)))) == 2
    assert best(reader, "color", text) == ("red", 12)
    assert best(reader, "size", text) == best(Reader.load(reader_folder, threads=1), "size", text)


def test_what_a_window_lacks_of_the_question_counts_against_its_spans(reader: Reader) -> None:
    # Both texts say it; "size" speaks for the second, and a dog for neither.
    texts = ["dog color red", "", "size color red"]
    first, none, second = reader.choose("color size", texts)
    assert none == ()
    assert [window.behind > 0 for window in (*first, *second)] == [True, False]
    requests = [
        ReadRequest("color size", text, windows)
        for text, windows in zip(texts, (first, none, second), strict=True)
    ]
    alike = [result.candidates for result in reader.read(requests)]
    apart = [result.candidates for result in reader.read([ReadRequest("color size", text) for text in texts])]
    assert alike[1] == apart[1] == ()
    assert alike[2][0].score == apart[2][0].score
    assert alike[0][0].score == pytest.approx(apart[0][0].score - BEHIND * first[0].behind)


def test_a_megabyte_of_text(reader_folder: Path) -> None:
    reader = Reader.load(reader_folder, window=384, stride=320)
    filler = "the dog and the cat of the city\n" * 16_000
    text = filler + "color red\n" + filler
    assert len(text) > 1_000_000
    (result,) = reader.read([ReadRequest("color", text)])
    assert (result.candidates[0].text, result.candidates[0].start) == ("red", len(filler) + 6)


words = st.lists(
    st.sampled_from(["color", "red", "blue", "stop", "size", "perhaps", "dog", "颜", "红"]), max_size=90
)


@given(st.lists(st.tuples(words, words), max_size=8), st.sampled_from([1, 7, 1024]))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_queue_gives_what_one_by_one_gives(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, asked: list[tuple[list[str], list[str]]], queue: int
) -> None:
    requests = [ReadRequest(" ".join(question[:20]), " ".join(text)) for question, text in asked]
    alone = [next(reader.read([request])) for request in requests]
    monkeypatch.setattr(windowed_module, "_QUEUE", queue)
    assert list(reader.read(requests)) == alone


def test_requests_are_taken_as_a_stream(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windowed_module, "_QUEUE", 8)
    taken = 0

    def requests() -> object:
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield ReadRequest("color", "color red")

    next(reader.read(requests()))  # type: ignore[arg-type]
    assert taken <= 9


def test_a_text_is_tokenised_once(reader_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader.load(reader_folder)
    seen = []
    real = windowed_module.encode_text
    monkeypatch.setattr(windowed_module, "encode_text", lambda t, text: seen.append(text) or real(t, text))
    texts = ["color red", "size ten"]
    list(reader.read(ReadRequest(q, text) for text in texts for q in ("color", "size", "who")))
    next(reader.read([ReadRequest("name", texts[0])]))
    assert seen == texts
    monkeypatch.setattr(windowed_module, "_KEPT_CHARACTERS", 20)
    for text in ("dog " * 4, "cat " * 4, "dog " * 4):
        reader.encode(text)
    assert seen[2:] == ["dog " * 4, "cat " * 4, "dog " * 4]


def test_several_threads_share_a_reader(reader_folder: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    reader = Reader.load(reader_folder)
    values = ["red", "blue", "green", "ten"] * 8
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda value: best(reader, "color", f"color {value}")[0], values)
        assert list(found) == values


def test_any_number_of_threads_gives_the_same(reader: Reader, reader_folder: Path) -> None:
    requests = [
        ReadRequest("color", "dog cat " * before + "color red " + "dog cat " * (3 * before % 61))
        for before in range(0, 90, 4)
    ]
    expected = list(reader.read(requests))
    for threads in (2, 3, 16):
        several = Reader.load(reader_folder, threads=threads)
        assert list(several.read(requests)) == expected
        # One window alone, and fewer windows than threads.
        assert list(several.read(requests[:1])) == expected[:1]
        assert list(several.read(requests[-1:])) == expected[-1:]


def test_a_reading_that_nobody_waits_for_ends(reader_folder: Path) -> None:
    results = Reader.load(reader_folder, threads=2).read(
        ReadRequest("color", "color red " + "dog " * 90) for _ in range(10_000)
    )
    assert next(results).candidates[0].text == "red"
    results.close()  # type: ignore[attr-defined]


def test_settings_replace_the_card(reader_folder: Path) -> None:
    reader = Reader.load(reader_folder, window=512, stride=128, max_answer_tokens=2)
    assert (reader.card.window, reader.card.stride) == (512, 128)
    assert best(reader, "color", "color dark red stop")[0] == "dark"
    with pytest.raises(InputError, match="stride must be above 0"):
        Reader.load(reader_folder, stride=0)
    with pytest.raises(InputError, match="leaves no room"):
        best(Reader.load(reader_folder, window=18), "color", "color red")


def test_a_model_without_no_answer(reader_folder: Path, tmp_path: Path) -> None:
    folder = copy(reader_folder, tmp_path, null="none")
    reader = Reader.load(folder)
    (result,) = reader.read([ReadRequest("size", "color red")])
    assert result.candidates[0].score == 0  # 0 + 0, nothing taken off
    weighed = reader.weigh([result])
    assert weighed.unanswerable == 0
    assert weighed.answered
    assert sum(choice.probability for choice in weighed.choices) == pytest.approx(1)


def test_a_layout_on_the_card_is_used(reader_folder: Path, tmp_path: Path) -> None:
    # Without segments the small model sees no context: nothing is asked for.
    layout = {"before": [2], "between": [3, 3], "after": [3], "question_type": 0, "context_type": 0, "pad": 0}
    folder = copy(reader_folder, tmp_path, layout=layout)
    assert best(Reader.load(folder), "color", "color red")[1] == -8


def copy(reader_folder: Path, tmp_path: Path, **changes: object) -> Path:
    folder = tmp_path / "model"
    shutil.copytree(reader_folder, folder)
    card = msgspec.json.decode((folder / "card.json").read_bytes())
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, "checksum": "", **changes}))
    return folder


def encoded(text: str) -> EncodedText:
    """A token a character."""
    places = np.arange(len(text), dtype=np.int32)
    return EncodedText(text, np.array([ord(sign) for sign in text], dtype=np.int32), places, places + 1)


def lacking(question: str, text: str) -> SentenceOverlap:
    return SentenceOverlap(encoded(question).ids, encoded(text), [(0, len(text))])


def test_a_sentence_is_as_far_behind_as_it_has_less_of_the_question() -> None:
    found = lacking("乙丁", "甲甲。乙丁。乙甲。")
    # 乙 stands in two of three sentences, 丁 and the pair in one; a single occurrence counts 1 / 2.2.
    common, rare = log(1 + 1.5 / 2.5) / 2.2, log(1 + 2.5 / 1.5) / 2.2
    behind = [found.at(character) for character in (0, 3, 6)]
    assert behind == pytest.approx([common + 2 * rare, 0, 2 * rare])
    assert found.at(5) == found.at(3)


def test_candidates_lose_what_their_sentences_lack_and_come_best_first() -> None:
    found = lacking("乙丁", "甲甲。乙丁。乙甲。")
    told = found.penalised([Candidate("甲甲", 0, 2, 3.0), Candidate("丁", 4, 5, 2.5)], 0.5)
    assert [each.text for each in told] == ["丁", "甲甲"]
    assert [each.score for each in told] == pytest.approx([2.5, 3.0 - 0.5 * found.at(0)])


@pytest.mark.parametrize("text", ["", "。", "乙", "甲乙丙"])
def test_a_text_of_one_sentence_or_none_lacks_nothing(text: str) -> None:
    assert lacking("乙", text).at(0) == 0


@given(st.text("甲乙丙。 ", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_parts_that_overlap_are_one(text: str, one: int, other: int) -> None:
    begin, end = sorted((min(one, len(text)), min(other, len(text))))
    apart = SentenceOverlap(encoded("乙丙").ids, encoded(text), [(begin, len(text)), (0, end)])
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


@pytest.mark.torch
def test_the_weight_is_fitted_where_it_helps(reader_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="fitting is a part of training (extra train)")
    from caveat.training.kinds.reader.figures import fit_overlap_weight, read_all

    reader = Reader.load(reader_folder, threads=1)
    context = "The dog has the color red. This size ten has another color."

    def fitted(question: str, answer: str) -> float:
        gold = {"text": answer, "answer_start": context.index(answer)}
        paragraph = {"context": context, "qas": [{"id": "1", "question": question, "answers": [gold]}]}
        path = tmp_path / "questions.json"
        path.write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}), "utf-8")
        return fit_overlap_weight(reader, read_all(reader, "squad", path))

    assert fitted("color size", "ten") == 0.1
    assert fitted("color dog", "red") == 0


def test_the_embedded_reader_finds_the_same_whatever_it_reads_beside() -> None:
    reader = Reader.load(find("reader-en"), threads=1)
    requests = [
        ReadRequest(
            "Who mends the clock?", f"The keeper mends the clock on {day}, and {'much ' * number}more."
        )
        for number, day in enumerate(("Monday", "Tuesday", "Friday", "Sunday"))
    ]
    together = [result.candidates for result in reader.read(requests)]
    assert together == [result.candidates for request in requests for result in reader.read([request])]
