# ruff: noqa: E402
"""Readers that answer together, and one that learns from them, with tokenizers that cut texts differently."""

from __future__ import annotations

from array import array
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tiny_models import tiny_card, words_tokenizer, write_encoder

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnx")

from caveat.core.errors import UsageError
from caveat.models.encoding import PairLayout
from caveat.models.ensemble import Ensemble, carried, token_at
from caveat.models.reader import Reader
from caveat.models.session import SPAN_OUTPUTS
from caveat.models.windowed_model import ReadRequest
from caveat.training.export import export_network
from caveat.training.kinds.reader.assembly import Teaching, soft_loss
from caveat.training.kinds.reader.data import EncodedPassage
from caveat.training.kinds.reader.network import new_reader
from caveat.training.kinds.reader.options import Distillation
from caveat.training.kinds.reader.samples import Sample, collate

REQUESTS = [
    ReadRequest("When was the mill built?", "The mill was built in 1820 by Ada Finch."),
    ReadRequest("When does it close?", "The bakery opens at six and closes at noon. " * 3),
    ReadRequest("", "Nothing is asked."),
]


def numbers(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def test_a_character_is_found_among_other_tokens() -> None:
    # "the mill": one tokenizer has [the][mill], the other [th][e][mi][ll]; no token has the blank.
    starts, ends = numbers(0, 4), numbers(3, 8)
    assert token_at(starts, ends, numbers(0, 2, 4, 6), "start").tolist() == [0, 0, 1, 1]
    assert token_at(starts, ends, numbers(1, 2, 5, 7), "end").tolist() == [0, 0, 1, 1]
    assert token_at(starts, ends, numbers(3), "start").tolist() == [1]
    assert token_at(starts, ends, numbers(3), "end").tolist() == [0]
    assert token_at(starts, ends, numbers(9), "start").tolist() == [1]


def test_no_mass_is_lost_on_the_way() -> None:
    mass = np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32)
    whole = carried(mass, numbers(0, 2, 4, 6), numbers(0, 4), numbers(3, 8), "start")
    assert whole.tolist() == pytest.approx([0.3, 0.7])
    # From words to pieces: a word's start is that of its first piece, its end that of the last.
    words = np.array([0.25, 0.75], dtype=np.float32)
    pieces = numbers(0, 2, 4, 6), numbers(2, 3, 6, 8)
    assert carried(words, numbers(0, 4), *pieces, "start").tolist() == pytest.approx([0.25, 0, 0.75, 0])
    assert carried(words, numbers(2, 7), *pieces, "end").tolist() == pytest.approx([0, 0.25, 0, 0.75])


def test_a_student_that_says_the_same_has_nothing_to_learn() -> None:
    scores = torch.tensor([[1.0, 2.0, 9.0, 0.5]])
    allowed = torch.tensor([[True, True, False, True]])
    targets = torch.softmax(torch.tensor([[1.0, 2.0, -torch.inf, 0.5]]) / 2, dim=-1)
    assert soft_loss(scores, allowed, targets, 2.0).item() == pytest.approx(0.0, abs=1e-6)
    # One of two, where the student cannot tell: log 2, times the square of the temperature.
    sure = torch.tensor([[0.0, 1.0]])
    level = torch.zeros(1, 2)
    both = torch.ones(1, 2, dtype=torch.bool)
    assert soft_loss(level, both, sure, 3.0).item() == pytest.approx(9 * np.log(2))


@pytest.fixture(scope="module")
def word_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random encoder whose tokens are whole words."""
    text = " ".join(request.question + " " + request.text for request in REQUESTS).lower()
    words = sorted(set(text.replace("?", " ?").replace(".", " .").split()))
    changes = {"hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 32, "initializer_range": 0.5}
    return write_encoder(tmp_path_factory.mktemp("words"), words_tokenizer(words), seed=8, **changes)


def folder_of(encoder: Path, out: Path) -> Path:
    """A model folder of a fresh reader whose scores differ from token to token."""
    torch.manual_seed(3)
    reader, tokenizer = new_reader(str(encoder))
    for head in (reader.start, reader.end):
        torch.nn.init.normal_(head[3].weight, std=3.0)  # type: ignore[index]
    card = tiny_card(
        language="en", encoder="tiny", window=64, stride=24, max_question_tokens=24, max_answer_tokens=12
    )
    export_network(reader, SPAN_OUTPUTS, tokenizer, out, card, precision="fp32")
    return out


@pytest.fixture(scope="module")
def letters(encoder_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader.load(folder_of(encoder_folder, tmp_path_factory.mktemp("a") / "fp32"), threads=1)


@pytest.fixture(scope="module")
def words(word_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader.load(folder_of(word_encoder, tmp_path_factory.mktemp("b") / "fp32"), threads=1)


def test_an_ensemble_of_one_is_that_one(letters: Reader) -> None:
    alone, together = list(letters.read(REQUESTS)), list(Ensemble([letters]).read(REQUESTS))
    for one, other in zip(alone, together, strict=True):
        assert [(c.start, c.end) for c in one.candidates] == [(c.start, c.end) for c in other.candidates]
        assert [c.score for c in one.candidates] == pytest.approx(
            [c.score for c in other.candidates], abs=1e-4
        )


def test_scores_of_letters_and_words_are_averaged_at_the_same_characters(
    letters: Reader, words: Reader
) -> None:
    request = ReadRequest("When?", "mill 1820 noon")
    (by_letters,), (by_words,) = letters.scores([request]), words.scores([request])
    assert by_letters is not None
    assert by_words is not None
    assert len(by_words.text) == 3
    (found,) = Ensemble([letters, words]).read([request], count=1)
    best = found.candidates[0]
    # Every span of letters by hand: the mean of what both say of its first and its last character.
    texts = by_letters.text
    word_of = [
        next(w for w in range(3) if by_words.text.starts[w] <= at < by_words.text.ends[w])
        for at in texts.starts
    ]
    scores = {
        (int(texts.starts[i]), int(texts.ends[j])): (
            by_letters.starts[i]
            + by_letters.ends[j]
            + by_words.starts[word_of[i]]
            + by_words.ends[word_of[j]]
        )
        / 2
        for i in range(len(texts))
        for j in range(i, min(len(texts), i + 12))
    }
    assert (best.start, best.end) == max(scores, key=lambda place: scores[place])
    assert best.score == pytest.approx(max(scores.values()), abs=1e-4)


def test_an_ensemble_needs_a_reader() -> None:
    with pytest.raises(UsageError, match="at least one reader"):
        Ensemble([])


def test_what_a_teacher_of_words_says_goes_to_letters(words: Reader) -> None:
    text = "mill 1820"
    offsets = [at for at in range(len(text)) if text[at] != " "]
    tokens = array("i", offsets)
    passage = EncodedPassage(tokens, tokens, array("i", [at + 1 for at in offsets]), text)
    layout = PairLayout((2,), (3,), (3,), 0, 1, 0)
    samples = [Sample(passage, array("i", [5]), 0, len(tokens), (0, 1), 0, "When?")]
    table = Distillation(teachers=(str(words.folder),), temperature=1.0)
    teaching = Teaching(table, layout, no_answer=True, threads=1)
    starts, ends = teaching.targets(samples, collate(samples, layout))
    (said,) = words.scores([ReadRequest("When?", text)])
    assert said is not None
    assert starts.sum().item() == pytest.approx(1.0)
    assert ends.sum().item() == pytest.approx(1.0)
    # Positions: [CLS], the question, [SEP], then m i l l 1 8 2 0.
    expected = torch.softmax(torch.tensor([0.0, *said.starts.tolist()]), dim=0)
    assert starts[0, [0, 3, 7]].tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    expected = torch.softmax(torch.tensor([0.0, *said.ends.tolist()]), dim=0)
    assert ends[0, [0, 6, 10]].tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    # A student that always answers is told what the teacher would say if it had to.
    (row,) = Teaching(table, layout, no_answer=False, threads=1).targets(samples, collate(samples, layout))[0]
    assert row[0] == 0.0
    assert row.sum().item() == pytest.approx(1.0)
    # What no teacher can read is taught by the gold answer.
    silent = [msgspec.structs.replace(samples[0], asked="")]
    (row,) = teaching.targets(silent, collate(silent, layout))[0]
    assert row.nonzero().tolist() == [[3]]
