"""The extractive reader: an encoder and two small networks that score each token as start and as end.

Position 0, the encoder's first special token, stands for "this window does not answer the question".
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from torch import Tensor, nn

from caveat.errors import CaveatError
from caveat.formats.json_files import read_json, write_json
from caveat.training.encoders import load_encoder, load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Reader", "ReaderCard", "load_reader", "new_reader", "save_reader"]

_WEIGHTS, _CARD = "model.safetensors", "reader.json"


class Reader(nn.Module):
    """Scores of every position as the answer's first and as its last token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        dropout = float(getattr(encoder.config, "hidden_dropout_prob", 0.1))
        self.encoder = encoder
        self.start = _scorer(width, dropout)
        self.end = _scorer(width, dropout)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Start and end scores, both batch × length; the caller leaves out positions outside the context."""
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if getattr(self.encoder.config, "type_vocab_size", 0) > 1:
            inputs["token_type_ids"] = token_type_ids
        states = self.encoder(**inputs).last_hidden_state
        return self.start(states).squeeze(-1), self.end(states).squeeze(-1)


def _scorer(width: int, dropout: float) -> nn.Module:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, 1))


class ReaderCard(msgspec.Struct, frozen=True):
    """What a saved reader says about itself beside its weights."""

    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_reader(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Reader, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    settings = {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": attention_dropout}
    encoder, tokenizer = load_encoder(
        name, lower_case=lower_case, settings={k: v for k, v in settings.items() if v is not None}
    )
    reader = Reader(encoder)
    spread = float(getattr(encoder.config, "initializer_range", 0.02))
    for head in (reader.start, reader.end):
        for layer in head.modules():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=spread)
                nn.init.zeros_(layer.bias)
    return reader, tokenizer


def save_reader(folder: Path, reader: Reader, tokenizer: Tokenizer, card: ReaderCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = {name: tensor.detach().clone().contiguous() for name, tensor in reader.state_dict().items()}
    save_file(state, str(folder / _WEIGHTS))
    reader.encoder.config.save_pretrained(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / _CARD, card)


def load_reader(folder: Path) -> tuple[Reader, Tokenizer, ReaderCard]:
    """A reader that `save_reader` wrote, ready for inference."""
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoModel

    if not (folder / _CARD).is_file():
        raise CaveatError(f"{folder} holds no trained reader: {_CARD} is missing.")
    card = read_json(folder / _CARD, ReaderCard)
    config = AutoConfig.from_pretrained(str(folder))
    encoder = AutoModel.from_config(config)
    if hasattr(encoder, "pooler"):
        encoder.pooler = None
    reader = Reader(encoder)
    reader.load_state_dict(load_file(str(folder / _WEIGHTS)))
    reader.eval()
    return reader, load_tokenizer(folder), card
