"""A trained relation network at work: the spans of a text that belong together, decided in torch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Tokenizer

from caveat.answerers.documents.structure.relations import Related
from caveat.answerers.documents.structure.spans import Span
from caveat.models.encoding import pair_layout
from caveat.training.kinds.relations.network import RelationNetwork, collate, load_relation_network
from caveat.training.kinds.relations.network_recipe import RelationNetworkRecipe
from caveat.training.kinds.relations.pairs import SpanText, encode_spans, windows_of

__all__ = ["NetworkRelater", "load_relater"]


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
