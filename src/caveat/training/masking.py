"""Hiding some of a batch's tokens, so that a run of many epochs learns to read rather than its windows by heart."""

from __future__ import annotations

from collections.abc import Callable

import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.core.errors import CaveatError
from caveat.models.encoding import PairLayout
from caveat.training.settings import Settings

__all__ = ["Masking", "masking_of"]

# As the tokenizers of BERT and of RoBERTa call it.
_NAMES = ("[MASK]", "<mask>")


class Masking:
    """Replaces a share of the tokens, drawn anew for every batch, by the mask; special tokens stay."""

    def __init__(self, share: float, tokenizer: Tokenizer, layout: PairLayout) -> None:
        found = [id for name in _NAMES if (id := tokenizer.token_to_id(name)) is not None]
        if not found:
            raise CaveatError("The encoder's tokenizer has no mask, so `masked` must be 0.")
        self._share, self._mask = share, found[0]
        self._kept = torch.tensor(sorted({*layout.before, *layout.between, *layout.after, layout.pad}))

    def __call__(self, input_ids: Tensor) -> Tensor:
        """The ids with some of them hidden, by torch's generator."""
        hidden = torch.rand(input_ids.shape) < self._share
        return input_ids.masked_fill(hidden & ~torch.isin(input_ids, self._kept), self._mask)


def masking_of(recipe: Settings, tokenizer: Tokenizer, layout: PairLayout) -> Callable[[Tensor], Tensor]:
    """What a recipe does to the ids of a batch: hide a share of them, or nothing."""
    return Masking(recipe.masked, tokenizer, layout) if recipe.masked else lambda input_ids: input_ids
