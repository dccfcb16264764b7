# ruff: noqa: E402
"""Tokens that no text has are left out of a vocabulary, and nothing else changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from caveat.models.encoding import pair_layout
from caveat.training.export import without_unreachable
from caveat.training.kinds.joint.network import new_joint
from tiny_models import letters_tokenizer, write_encoder


def test_pieces_that_go_on_with_an_ideograph_go(tmp_path: Path) -> None:
    written = letters_tokenizer("the 北京 gate 是 old 1402")
    network, tokenizer = new_joint(str(write_encoder(tmp_path, written, seed=2)))
    network.eval()
    text = "the 北京 gate is 是 old"

    def scores(of: Any) -> Any:
        found = of.encode("which gate", text)
        with torch.inference_mode():
            return network(
                torch.tensor([found.ids]),
                torch.tensor([found.attention_mask]),
                torch.tensor([found.type_ids]),
            )

    before, tokens = scores(tokenizer), tokenizer.encode(text).tokens
    assert "##北" in tokenizer.get_vocab()
    smaller = without_unreachable(network, tokenizer)
    assert {"##北", "##京", "##是"}.isdisjoint(smaller.get_vocab())
    assert smaller.get_vocab_size() == tokenizer.get_vocab_size() - 3
    assert network.encoder.embeddings.word_embeddings.num_embeddings == smaller.get_vocab_size()
    assert smaller.encode(text).tokens == tokens
    for one, other in zip(before, scores(smaller), strict=True):
        assert torch.equal(one, other)
    assert pair_layout(smaller).before == (smaller.token_to_id("[CLS]"),)
    # Once is enough.
    assert without_unreachable(network, smaller) is smaller
