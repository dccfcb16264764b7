"""The judge: an encoder over premise and statement together, and a small network that weighs three verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from torch import Tensor, nn

from caveat.errors import CaveatError
from caveat.formats.json_files import read_json, write_json
from caveat.training.networks import (
    draw_weights,
    encoder_with,
    head,
    load_weights,
    save_weights,
    saved_encoder,
    states,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Judge", "JudgeCard", "load_judge", "new_judge", "save_judge"]

_CARD = "judge.json"


class Judge(nn.Module):
    """Scores of "it is so", "it is not so" and "it is open", read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.verdict = head(encoder, 3)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Three scores, each of one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores = self.verdict(found[:, :1])
        return scores[:, 0, 0], scores[:, 0, 1], scores[:, 0, 2]


class JudgeCard(msgspec.Struct, frozen=True):
    """What a saved judge says about itself beside its weights."""

    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_judge(
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
) -> tuple[Judge, Tokenizer]:
    """An encoder with a fresh head, initialised from torch's current seed."""
    encoder, tokenizer = encoder_with(
        name, dropout=dropout, attention_dropout=attention_dropout, lower_case=lower_case
    )
    judge = Judge(encoder)
    draw_weights(judge.verdict, encoder=encoder)
    return judge, tokenizer


def save_judge(folder: Path, judge: Judge, tokenizer: Tokenizer, card: JudgeCard) -> None:
    """Weights, the encoder's configuration, tokenizer and card in a folder."""
    save_weights(folder, judge, tokenizer)
    write_json(folder / _CARD, card)


def load_judge(folder: Path) -> tuple[Judge, Tokenizer, JudgeCard]:
    """A judge that `save_judge` wrote, ready for inference."""
    if not (folder / _CARD).is_file():
        raise CaveatError(f"{folder} holds no trained judge: {_CARD} is missing.")
    card = read_json(folder / _CARD, JudgeCard)
    encoder, tokenizer = saved_encoder(folder)
    judge = Judge(encoder)
    load_weights(folder, judge)
    return judge, tokenizer, card
