"""The ranker: an encoder over question and candidate together, and a small network that scores the pair.

And an encoder of single texts as a baseline: question and candidate apart, and how alike the two are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.models.queue import ReadRequest
from caveat.training.encoders import load_encoder
from caveat.training.networks import (
    EncoderSettings,
    NetworkCard,
    head,
    load_network,
    new_network,
    states,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["CARD", "EmbeddingScorer", "RankerNetwork", "load_ranker", "new_ranker"]

CARD = "ranker.json"

# Texts that are sorted by length together, and those of a batch.
_TOGETHER, _BATCH = 1024, 32


class RankerNetwork(nn.Module):
    """The log-odds that a candidate answers a question, read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.pair = head(encoder, 1)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.pair,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores: Tensor = self.pair(found[:, :1])[:, 0, 0]
        return scores


def new_ranker(name: str, **settings: Unpack[EncoderSettings]) -> tuple[RankerNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(RankerNetwork, name, **settings)


def load_ranker(folder: Path) -> tuple[RankerNetwork, Tokenizer, NetworkCard]:
    """A ranker that a run has saved, ready for inference."""
    return load_network(folder, CARD, NetworkCard, lambda encoder, _: RankerNetwork(encoder), "ranker")


class EmbeddingScorer:
    """The cosine of the mean states of question and candidate, as sentence encoders are used."""

    neighbours = 0

    def __init__(self, name: str, *, window: int = 256, lower_case: bool | None = None) -> None:
        """`name` is a folder, a packaged encoder, or one of the hub; texts are cut at `window` tokens."""
        self.window = window
        self._encoder, self._tokenizer = load_encoder(name, lower_case=lower_case)
        self._encoder.eval()
        self._tokenizer.enable_truncation(window)
        self._question = lru_cache(maxsize=1024)(lambda text: self._embed([text])[0])

    def score(self, pairs: Iterable[ReadRequest]) -> Iterator[float]:
        """A cosine a pair, in order."""
        coming = iter(pairs)
        while part := list(islice(coming, _TOGETHER)):
            texts = self._embed([pair.text for pair in part])
            questions = np.stack([self._question(pair.question) for pair in part])
            yield from (texts * questions).sum(1).tolist()

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place].ids))
        found: dict[int, NDArray[np.float32]] = {}
        for begin in range(0, len(order), _BATCH):
            places = order[begin : begin + _BATCH]
            longest = max(len(encoded[place].ids) for place in places)
            ids = torch.zeros((len(places), longest), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for row, place in enumerate(places):
                size = len(encoded[place].ids)
                ids[row, :size] = torch.tensor(encoded[place].ids)
                mask[row, :size] = 1
            with torch.inference_mode():
                states = self._encoder(input_ids=ids, attention_mask=mask).last_hidden_state
                kept = mask[:, :, None].to(states.dtype)
                means = (states * kept).sum(1) / kept.sum(1).clamp(min=1)
                rows = torch.nn.functional.normalize(means, dim=-1).numpy()
            found.update(zip(places, rows, strict=True))
        return np.stack([found[place] for place in range(len(texts))])
