"""All that a joint reader reads of a text, on one whose answers are known by construction."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.joint import KINDS, JointReader, TextReading, load_reader
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.windowed_model import ReadRequest

MARKED, UNMARKED = 1 / (1 + math.exp(-5)), 1 / (1 + math.exp(5))
WORDS = ["color", "red", "blue", "dark", "stop", "and", "not", "is", "the", "颜", "色", "。", ",", "\n", "xq"]


@pytest.fixture(scope="module")
def joint(joint_folder: Path) -> JointReader:
    found = load_reader(joint_folder, threads=1)
    assert isinstance(found, JointReader)
    return found


def read(joint: JointReader, question: str, text: str) -> TextReading:
    (found,) = joint.read_whole([ReadRequest(question, text)])
    return found


def logs(*logits: float) -> tuple[float, ...]:
    total = math.log(sum(map(math.exp, logits)))
    return tuple(logit - total for logit in logits)


def test_which_reader_a_folder_is(joint: JointReader, reader_folder: Path) -> None:
    assert joint.card.task == "joint"
    assert type(load_reader(reader_folder)) is Reader


@pytest.mark.parametrize(
    ("question", "text", "logits"),
    [
        ("color", "color red", (10, 0, 0, 0, 5)),
        ("size", "color red", (0, 0, 0, 0, 5)),
        ("color", "color red and blue", (10, 12, 0, 0, 5)),
        ("is color", "the color red", (10, 0, 14, 0, 5)),
        ("is color", "the color not red", (10, 0, 0, 14, 5)),
    ],
)
def test_the_kinds_are_log_probabilities(
    joint: JointReader, question: str, text: str, logits: tuple[float, ...]
) -> None:
    (window,) = read(joint, question, text).windows
    assert (window.start, window.end) == (0, len(text))
    assert window.kinds == pytest.approx(logs(*logits), abs=1e-5)
    assert len(window.kinds) == len(KINDS)


def test_evidence_and_answers_are_told_by_character(joint: JointReader) -> None:
    text = "the color red. size ten"
    found = read(joint, "color", text)
    at = text.index
    assert found.evidence_in(at("color"), at("color") + 5) == pytest.approx(MARKED)
    assert found.answers_in(at("color"), at("color") + 5) == pytest.approx(UNMARKED)
    assert found.answers_in(at("red"), at("red") + 3) == pytest.approx(MARKED)
    # A part of a token is the token, and of several it is the mean; a blank has none.
    assert found.answers_in(at("red") + 1, at("red") + 2) == pytest.approx(MARKED)
    assert found.answers_in(at("color"), at("red") + 3) == pytest.approx((MARKED + UNMARKED) / 2)
    assert found.answers_in(3, 4) == 0.0
    assert TextReading().evidence_in(0, 3) == 0.0


def test_spans_are_those_of_a_plain_reader(joint: JointReader, joint_folder: Path) -> None:
    texts = ["color red", "size ten", "the color dark red stop. " * 8, ""]
    requests = [ReadRequest("color", text) for text in texts]
    plain = Reader.load(joint_folder, threads=1).read(requests)
    for whole, result in zip(joint.read_whole(requests), plain, strict=True):
        assert whole.spans == result.candidates
    assert [result.candidates for result in joint.read(requests)] == [
        whole.spans for whole in joint.read_whole(requests)
    ]


def test_a_long_text_is_read_in_windows(joint: JointReader) -> None:
    text = "dog cat city " * 30 + "color red " + "dog cat city " * 30
    found = read(joint, "color", text)
    assert len(found.windows) > 2
    assert list(found.windows) == sorted(found.windows)
    assert (found.windows[0].start, found.windows[-1].end) == (0, len(text.rstrip()))
    assert all(one.end >= other.start for one, other in zip(found.windows, found.windows[1:], strict=False))
    at = text.index("red")
    # Of the windows that have a place, the one that is surest of an answer.
    assert found.kinds_at(at, at + 3) == pytest.approx(logs(10, 0, 0, 0, 5), abs=1e-5)
    assert found.kinds_at(0, 3) == pytest.approx(logs(0, 0, 0, 0, 5), abs=1e-5)
    # What no window has whole is told by the surest of all.
    assert found.kinds_at(0, len(text)) == found.kinds_at(at, at + 3)
    assert found.answers_in(at, at + 3) == pytest.approx(MARKED)


def test_tokens_that_were_not_read_have_probability_0(joint_folder: Path) -> None:
    joint = load_reader(joint_folder, threads=1, limit=Limit(few=1, margin=None))
    assert isinstance(joint, JointReader)
    text = "dog cat city " * 40 + "color red"
    chosen = joint.choose("color", [text])[0]
    (found,) = joint.read_whole([ReadRequest("color", text, chosen)])
    assert found.answers_in(text.index("red"), len(text)) == pytest.approx(MARKED)
    middle = 13 * 20
    assert not any(window.start <= middle < window.end for window in found.windows)
    assert found.answers_in(middle, middle + 3) == 0.0


@given(st.lists(st.sampled_from(WORDS), max_size=60), st.sampled_from(["color", "is red", "颜", ""]))
def test_offsets_and_probabilities(joint_folder: Path, words: list[str], question: str) -> None:
    joint = load_reader(joint_folder, threads=1)
    assert isinstance(joint, JointReader)
    text = " ".join(words)
    found = read(joint, question, text)
    if not question or not text.strip():
        assert found.windows == ()
        return
    for span in found.spans:
        assert span.text == text[span.start : span.end]
    for window in found.windows:
        assert 0 <= window.start < window.end <= len(text)
        assert sum(map(math.exp, window.kinds)) == pytest.approx(1.0)
    assert found.text is not None
    assert len(found.evidence) == len(found.answers) == len(found.text)
    assert ((found.evidence >= 0) & (found.evidence <= 1)).all()


def test_it_judges(joint: JointReader) -> None:
    statement = "is the color red"
    yes, no, silent, nothing = joint.judge(
        [
            (statement, "the color is red"),
            (statement, "the color is not red"),
            ("is size ten", "dog cat"),
            (statement, ""),
        ]
    )
    shares = [math.exp(each) / (math.exp(14) + 1 + math.exp(5)) for each in (14, 0, 5)]
    assert list(yes) == pytest.approx(shares)
    assert (no.entailed, no.contradicted) == pytest.approx((shares[1], shares[0]))
    assert silent.open == pytest.approx(math.exp(5) / (2 + math.exp(5)))
    assert tuple(nothing) == (0.0, 0.0, 1.0)
    (long,) = joint.judge([(statement, "dog cat city " * 40 + "the color is red")])
    assert list(long) == pytest.approx(shares)
