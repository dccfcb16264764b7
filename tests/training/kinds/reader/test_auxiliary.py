# ruff: noqa: E402
"""Further tasks: what each of their losses is, and that a step's pairs depend on its number alone."""

from __future__ import annotations

import json
import math
from array import array
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import caveat.training.networks as networks
from caveat.core.errors import CaveatError
from caveat.models.encoding import pair_layout
from caveat.training.kinds.reader.assembly import (
    InferenceCompanion,
    MaskedWordsCompanion,
    RankingCompanion,
    ranking_loss,
)
from caveat.training.kinds.reader.data import EncodedPassage
from caveat.training.kinds.reader.layers import MaskedWordsHead, Reading
from caveat.training.kinds.reader.network import ReaderNetwork, new_reader
from caveat.training.kinds.reader.recipe import Inference, InferenceSet, MaskedWords
from caveat.training.kinds.reader.samples import Sample, collate
from caveat.training.networks import head


def reading(reader: ReaderNetwork, tokenizer: object, step: int = 0) -> Reading:
    """Two windows of a passage, of which the first has the answer."""
    tokens = array("i", range(10, 16))
    passage = EncodedPassage(tokens, array("i", range(6)), array("i", range(1, 7)))
    samples = [
        Sample(passage, array("i", [9]), 0, 3, (1, 2)),
        Sample(passage, array("i", [9]), 3, 6, None),
    ]
    batch = collate(samples, pair_layout(tokenizer))
    return Reading(step, samples, batch, reader.states(*batch[:3]))


def test_a_window_that_answers_is_told_from_one_that_does_not() -> None:
    level = ranking_loss(torch.zeros(2), torch.tensor([True, False]))
    assert level.item() == pytest.approx(math.log(2))
    # Odds of 3 for the first, which is right, and of 1/3 for the second, which is right too: both -log 3/4.
    told = ranking_loss(torch.tensor([math.log(3), -math.log(3)]), torch.tensor([True, False]))
    assert told.item() == pytest.approx(math.log(4 / 3))


def test_ranking_reads_the_first_token(encoder_folder: Path) -> None:
    reader, tokenizer = new_reader(str(encoder_folder))
    scores = torch.nn.Linear(32, 1)
    torch.nn.init.zeros_(scores.weight)
    torch.nn.init.zeros_(scores.bias)
    loss = RankingCompanion(scores, 0.5).loss(reading(reader, tokenizer))
    assert loss.item() == pytest.approx(0.5 * math.log(2))


def test_hidden_words_are_looked_for_among_all(encoder_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "_MASK_TOKENS", ("[UNK]",))
    reader, tokenizer = new_reader(str(encoder_folder))
    words = MaskedWordsHead(reader.encoder)
    layout = pair_layout(tokenizer)
    table = MaskedWords(weight=2.0, share=0.99, windows=1)
    companion = MaskedWordsCompanion(reader.encoder, words, tokenizer, layout, table)
    torch.nn.init.zeros_(words.transform[2].weight)  # type: ignore[index]
    # Every word is as probable as any other, whatever is hidden.
    vocabulary = reader.encoder.config.vocab_size
    torch.manual_seed(1)
    assert companion.loss(reading(reader, tokenizer)).item() == pytest.approx(
        2 * math.log(vocabulary), rel=1e-4
    )


def test_pairs_of_a_step_depend_on_its_number(encoder_folder: Path, tmp_path: Path) -> None:
    lines = [
        {
            "premise": f"The mill was built in 18{n}.",
            "hypothesis": "The mill was built.",
            "label": "entailment",
        }
        for n in range(10, 17)
    ]
    (tmp_path / "pairs.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
    )
    reader, tokenizer = new_reader(str(encoder_folder), dropout=0.0, attention_dropout=0.0)
    verdict = head(reader.encoder, 3).eval()

    def companion(window: int = 90) -> InferenceCompanion:
        table = Inference(data=(InferenceSet(path="pairs.jsonl"),), batch_size=3, every=2, window=window)
        return InferenceCompanion(
            reader,
            verdict,
            tokenizer,
            pair_layout(tokenizer),
            table,
            root=tmp_path,
            seed=1,
            max_question_tokens=24,
            note=lambda message: None,
        )

    def losses(steps: range) -> list[float]:
        made = companion()
        return [made.loss(reading(reader, tokenizer, step)).item() for step in steps]

    whole = losses(range(12))
    assert losses(range(5, 12)) == whole[5:]
    # Every second step has a batch.
    assert [loss > 0 for loss in whole] == [True, False] * 6
    with pytest.raises(CaveatError, match="takes 96 tokens"):
        companion(window=97)
