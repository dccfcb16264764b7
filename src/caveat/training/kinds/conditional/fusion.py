"""Fusion in the decoder, after FiD in ConditionalQA's paper: sections are encoded one by one, a decoder reads them all.

Any T5-like model does: an encoder and a decoder with attention to it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.training.encoders import load_tokenizer
from caveat.training.kinds.conditional.card import CARD, ConditionalCard, read_conditional_card
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.networks import load_weights, save_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Fusion", "load_fusion", "new_fusion", "save_fusion"]


class Fusion(nn.Module):
    """An encoder-decoder whose decoder attends to several encoded texts as if they were one."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @property
    def encoder(self) -> Any:
        """The whole of it, as what is trained, saved and described."""
        return self.model

    @property
    def end(self) -> int:
        """The token that ends every text."""
        return int(self.model.config.eos_token_id)

    @property
    def pad(self) -> int:
        """The token that fills a batch up."""
        return int(self.model.config.pad_token_id or 0)

    def encode(self, input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Texts, one a row, as one row of states with its mask."""
        found = self.model.get_encoder()(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        return found.flatten(0, 1).unsqueeze(0), attention_mask.flatten().unsqueeze(0)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor) -> Tensor:
        """The mean loss of a target's tokens, given the texts."""
        from transformers.modeling_outputs import BaseModelOutput

        found, mask = self.encode(input_ids, attention_mask)
        loss: Tensor = self.model(
            encoder_outputs=BaseModelOutput(last_hidden_state=found),
            attention_mask=mask,
            labels=labels.unsqueeze(0),
        ).loss
        return loss

    def write(self, input_ids: Tensor, attention_mask: Tensor, longest: int) -> list[int]:
        """The most probable token after the other, at most so many, without the one that ends them."""
        from transformers.modeling_outputs import BaseModelOutput

        found, mask = self.encode(input_ids, attention_mask)
        written: list[int] = []
        last, past = int(self.model.config.decoder_start_token_id), None
        while len(written) < longest:
            step = self.model(
                encoder_outputs=BaseModelOutput(last_hidden_state=found),
                attention_mask=mask,
                decoder_input_ids=torch.tensor([[last]]),
                past_key_values=past,
                use_cache=True,
            )
            last, past = int(step.logits[0, -1].argmax()), step.past_key_values
            if last == self.end:
                break
            written.append(last)
        return written


def new_fusion(recipe: ConditionalRecipe) -> tuple[Fusion, Tokenizer]:
    """A T5-like model of the hub, or of a folder, and its tokenizer."""
    from transformers import AutoModelForSeq2SeqLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    settings = {} if recipe.dropout is None else {"dropout_rate": recipe.dropout}
    try:
        model = AutoModelForSeq2SeqLM.from_pretrained(recipe.encoder, dtype="float32", **settings)
    except (OSError, TypeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise CaveatError(f"The model {recipe.encoder!r} cannot be loaded: {reason}") from error
    return Fusion(model), load_tokenizer(recipe.encoder, lower_case=recipe.lower_case)


def save_fusion(folder: Path, network: Fusion, tokenizer: Tokenizer, card: ConditionalCard) -> None:
    """Weights, configuration, tokenizer and card in a folder."""
    save_weights(folder, network, tokenizer)
    write_json(folder / CARD, card)


def load_fusion(folder: Path) -> tuple[Fusion, Tokenizer, ConditionalCard]:
    """A model that `save_fusion` wrote, ready for inference."""
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    card = read_conditional_card(folder)
    network = Fusion(AutoModelForSeq2SeqLM.from_config(AutoConfig.from_pretrained(str(folder))))
    load_weights(folder, network)
    return network, load_tokenizer(folder), card
