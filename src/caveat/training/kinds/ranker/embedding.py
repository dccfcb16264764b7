"""Encoders of single texts as rankers: question and candidate apart, and how alike the two are; a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from caveat.models.queue import ReadRequest
from caveat.training.encoders import load_encoder

__all__ = ["EmbeddingScorer"]

# Texts that are sorted by length together, and those of a batch.
_TOGETHER, _BATCH = 1024, 32


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
