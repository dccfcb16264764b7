"""The relation network: an encoder over question and text, and a small network that decides on pairs of spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.answerers.documents.structure.relations import Related
from caveat.answerers.documents.structure.spans import Span
from caveat.models.encoding import PairLayout, pair_layout
from caveat.models.windows import collate as collate_windows
from caveat.training.kinds.relations.recipe import (
    FEATURES,
    MARKERS,
    PairSample,
    RelationNetworkRecipe,
    SpanText,
    encode_spans,
    windows_of,
)
from caveat.training.networks import encoder_settings, load_network, new_network, states

CARD = "relation-network.json"
# Vectors that stand for a span.
_PARTS = {"start": 1, "start-end": 2, "pooled": 3}


class PairBatch(NamedTuple):
    """Windows as tensors, and the spans and pairs of all of them."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    # Row, first and last token of each span; head and tail of each pair, as numbers of spans, and its features.
    spans: Tensor
    pairs: Tensor
    features: Tensor


class RelationNetwork(nn.Module):
    """A score above 0 for each pair that belongs together: a feed-forward network over the vectors of both spans."""

    def __init__(self, encoder: Any, recipe: RelationNetworkRecipe) -> None:
        super().__init__()
        self.encoder = encoder
        self._representation = recipe.representation
        width = int(encoder.config.hidden_size)
        dropout = float(getattr(encoder.config, "hidden_dropout_prob", 0.1))
        table = encoder.get_input_embeddings()
        # Ids from here on are markers. They have a table of their own, which is learnt where the encoder's is frozen.
        self.markers_from = int(table.num_embeddings) if recipe.mode == "span-assist" else None
        self.markers = (
            nn.Embedding(MARKERS, int(table.embedding_dim)) if self.markers_from is not None else None
        )
        # A layer over vectors that stand side by side is the sum of a layer over each: that of a span is computed once,
        # and not for all pairs it is in. A row of `of_features` is the weights of a feature that is there or not.
        parts = _PARTS[recipe.representation] * width
        self.of_head = nn.Linear(parts, width)
        self.of_tail = nn.Linear(parts, width)
        self.of_features = nn.Embedding(FEATURES, width) if recipe.features else None
        self.decide = nn.Sequential(nn.GELU(), nn.Dropout(dropout), nn.Linear(width, 1))

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        parts = (self.markers, self.of_head, self.of_tail, self.of_features, self.decide)
        return tuple(part for part in parts if part is not None)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        token_type_ids: Tensor,
        spans: Tensor,
        pairs: Tensor,
        features: Tensor,
    ) -> Tensor:
        """The log-odds of each pair, from one pass of the encoder over the batch."""
        found = states(
            self.encoder, input_ids, attention_mask, token_type_ids, embedded=self._embedded(input_ids)
        )
        vectors = self._vectors(found, spans)
        hidden = self.of_head(vectors)[pairs[:, 0]] + self.of_tail(vectors)[pairs[:, 1]]
        if self.of_features is not None:
            hidden = hidden + self.of_features(features).sum(1)
        scores: Tensor = self.decide(hidden)[:, 0]
        return scores

    def _embedded(self, input_ids: Tensor) -> Tensor | None:
        """The vectors of tokens and markers; None where there are no markers."""
        if self.markers is None or self.markers_from is None:
            return None
        number = input_ids - self.markers_from
        is_marker = number >= 0
        words = self.encoder.get_input_embeddings()(input_ids.masked_fill(is_marker, 0))
        return torch.where(is_marker[..., None], self.markers(number.clamp(min=0)), words)

    def _vectors(self, found: Tensor, spans: Tensor) -> Tensor:
        """What stands for each span."""
        row, first, last = spans.T
        parts = [found[row, first]]
        if self._representation != "start":
            parts.append(found[row, last])
        if self._representation == "pooled":
            sums = nn.functional.pad(found, (0, 0, 1, 0)).cumsum(1)
            parts.append((sums[row, last + 1] - sums[row, first]) / (last + 1 - first)[:, None])
        return torch.cat(parts, dim=-1)


def collate(samples: Sequence[PairSample], layout: PairLayout) -> PairBatch:
    """Windows as tensors, padded to the longest, with their spans and pairs one window's after another's."""
    arrays = collate_windows([sample.window for sample in samples], layout)
    spans, pairs = [], []
    before = 0
    for row, (sample, begin) in enumerate(zip(samples, arrays.context, strict=True)):
        places = np.full_like(sample.first, row), begin + sample.first, begin + sample.last
        spans.append(np.stack(places, axis=1))
        pairs.append(before + sample.pairs)
        before += len(sample.first)
    return PairBatch(
        *map(
            torch.from_numpy,
            (
                arrays.input_ids,
                arrays.attention_mask,
                arrays.token_type_ids,
                np.concatenate(spans),
                np.concatenate(pairs),
                np.concatenate([sample.features for sample in samples]),
            ),
        )
    )


class RelationNetworkCard(msgspec.Struct, frozen=True):
    """What a saved relation network says about itself beside its weights."""

    recipe: RelationNetworkRecipe
    scores: dict[str, Any] = {}


def new_relation_network(recipe: RelationNetworkRecipe) -> tuple[RelationNetwork, Tokenizer]:
    """An encoder with fresh heads and markers, initialised from torch's current seed."""
    return new_network(
        lambda encoder: RelationNetwork(encoder, recipe),
        recipe.encoder,
        **encoder_settings(recipe),
    )


def load_relation_network(folder: Path) -> tuple[RelationNetwork, Tokenizer, RelationNetworkCard]:
    """A relation network that a run has saved, ready for inference."""
    return load_network(
        folder,
        CARD,
        RelationNetworkCard,
        lambda encoder, card: RelationNetwork(encoder, card.recipe),
        "relation network",
    )


class NetworkRelater:
    """A network with what it takes to read a text for it; each text is one pass, or one a window where it is long."""

    def __init__(self, network: RelationNetwork, tokenizer: Tokenizer, recipe: RelationNetworkRecipe) -> None:
        self.network = network
        self._tokenizer, self._recipe = tokenizer, recipe
        self._layout = pair_layout(tokenizer)
        self._shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)

    def encode(self, context: str, spans: Iterable[Span], question: str) -> SpanText:
        """A text with its spans as the network reads it."""
        return encode_spans(
            self._tokenizer,
            context,
            spans,
            question,
            max_question_tokens=self._recipe.max_question_tokens,
            markers_from=self.network.markers_from,
        )

    def relate(self, context: str, spans: Iterable[Span], question: str = "") -> list[Related]:
        """The spans that belong together by a probability above a half, from left to right of their tails."""
        text = self.encode(context, spans, question)
        room = self._shape.window - self._layout.specials
        found: list[tuple[int, int, float]] = []
        was_training = self.network.training
        self.network.eval()
        try:
            with torch.inference_mode():
                for sample in windows_of(text, room, self._shape.stride):
                    probabilities = self.network(*collate([sample], self._layout)).sigmoid().tolist()
                    for (head, tail), probability in zip(sample.pairs.tolist(), probabilities, strict=True):
                        if probability > 0.5:
                            found.append((tail, head, probability))
        finally:
            self.network.train(was_training)
        return [
            Related(text.spans[head], text.spans[tail], probability)
            for tail, head, probability in sorted(found)
        ]


def load_relater(folder: Path, *, threads: int | None = None) -> NetworkRelater:
    """The network of a finished run, or of the model/ in its folder."""
    if threads:
        torch.set_num_threads(threads)
    inside = folder / "model"
    network, tokenizer, card = load_relation_network(inside if inside.is_dir() else folder)
    return NetworkRelater(network, tokenizer, card.recipe)
