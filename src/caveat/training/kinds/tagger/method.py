"""The method that trains a tagger: the label of every token, measured on a file of its own or on a fold held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Unpack

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.benchmarks.registry import SPAN_TASKS
from caveat.core.errors import CaveatError
from caveat.models.tagger import TASK, Layers, Tagger, column_count
from caveat.models.windows import collate
from caveat.training.cards import card_in_torch
from caveat.training.kinds.tagger.data import (
    SpanDataSet,
    TagCorpus,
    TaggerRecipe,
    TagSample,
    TagSampler,
    encode_marked,
    read_marked,
)
from caveat.training.method import NetworkMethod
from caveat.training.networks import (
    EncoderSettings,
    InTorch,
    encoder_settings,
    head,
    load_network,
    new_network,
    states,
)
from caveat.training.sampling import fold_of, spread

__all__ = [
    "CARD",
    "UNLABELLED",
    "Labelling",
    "TaggerCard",
    "TaggerNetwork",
    "held_out",
    "load_tagger",
    "new_tagger",
    "tag_loss",
    "tagger_in_torch",
]

CARD = "tagger.json"
# The label of a token that is not learnt from.
UNLABELLED = -100


class TaggerNetwork(nn.Module):
    """Scores of every position, layer by layer: O, then B and I of each kind (`caveat.models.tagger`)."""

    def __init__(self, encoder: Any, layers: Layers) -> None:
        super().__init__()
        self.encoder = encoder
        self.tags = head(encoder, column_count(layers))

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.tags,)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """Scores, batch × length × columns."""
        scores: Tensor = self.tags(states(self.encoder, input_ids, attention_mask, token_type_ids))
        return scores


def tag_loss(scores: Tensor, labels: Tensor, layers: Layers) -> Tensor:
    """The mean cross-entropy of the labelled tokens in each layer, added up over the layers.

    `labels` are layers × batch × length: the column within the layer, or UNLABELLED.
    """
    total = scores.new_zeros(())
    at = 0
    for kinds, wanted in zip(layers, labels, strict=True):
        columns = 1 + 2 * len(kinds)
        if bool((wanted != UNLABELLED).any()):
            total = total + nn.functional.cross_entropy(
                scores[..., at : at + columns].flatten(0, 1), wanted.flatten(), ignore_index=UNLABELLED
            )
        at += columns
    return total


class TaggerCard(msgspec.Struct, frozen=True):
    """What a saved tagger says about itself beside its weights."""

    layers: tuple[tuple[str, ...], ...]
    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def new_tagger(
    name: str,
    layers: Layers,
    **settings: Unpack[EncoderSettings],
) -> tuple[TaggerNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(lambda encoder: TaggerNetwork(encoder, layers), name, **settings)


def load_tagger(folder: Path) -> tuple[TaggerNetwork, Tokenizer, TaggerCard]:
    """A tagger that a run has saved, ready for inference."""
    return load_network(
        folder, CARD, TaggerCard, lambda encoder, card: TaggerNetwork(encoder, card.layers), "tagger"
    )


def held_out(recipe: TaggerRecipe, data_root: Path) -> list[Any]:
    """The records of the tuning metric's format that the recipe keeps out of training; none without a fold."""
    tuning = recipe.tuning
    if tuning is None:
        return []
    task = SPAN_TASKS[tuning.metric]
    if tuning.path:
        return list(task.read(data_root / tuning.path))
    return [
        record
        for data in recipe.data
        if data.held_out
        for record in task.read(data_root / data.path)
        if fold_of(task.asked(record).text, recipe.folds) == recipe.fold
    ]


class Labelling(NetworkMethod[TaggerRecipe, TaggerNetwork, TagSample]):
    """A tagger, its windows, and its measurement on what is held out."""

    card_file = CARD

    def __init__(self, recipe: TaggerRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe, new_tagger(recipe.encoder, recipe.layers, **encoder_settings(recipe)))
        self._corpora = [_corpus(data, recipe, self._tokenizer, data_root) for data in recipe.data]
        for data, corpus in zip(recipe.data, self._corpora, strict=True):
            self._use(data.path, len(corpus.questions), corpus.left_out, note)
        self._follow(self._sampler)
        self._records = held_out(recipe, data_root)
        if recipe.tuning:
            note(f"measured on {len(self._records):,} questions" if self._records else "not measured")

    def loss(self, batch: Sequence[TagSample]) -> Tensor:
        """The loss of a batch."""
        arrays = collate([sample.window for sample in batch], self._layout)
        shape = len(self.recipe.layers), *arrays.input_ids.shape
        labels = torch.full(shape, UNLABELLED)
        for row, (sample, begin) in enumerate(zip(batch, arrays.context, strict=True)):
            window = sample.window
            for layer, of_text in enumerate(sample.labels):
                if of_text is not None:
                    mine = torch.from_numpy(of_text[window.first : window.last])
                    labels[layer, row, begin : begin + len(mine)] = mine
        ids, *others = map(torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids))
        return tag_loss(self.network(self._masking(ids), *others), labels, self.recipe.layers)

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        return super().every if self._records else 0

    def measure(self, *, final: bool) -> dict[str, Any]:
        """The metric's figures on what is held out."""
        tuning = self.recipe.tuning
        if tuning is None or not self._records:
            return {}
        task = SPAN_TASKS[tuning.metric]
        some = spread(self._records, tuning.final_questions if final else tuning.questions)
        tagger = tagger_in_torch(self.network, self._tokenizer, self.recipe)
        results = tagger.tag(map(task.asked, some))
        found = [task.found(record, result.spans) for record, result in zip(some, results, strict=True)]
        return task.score(some, found, tagger.kinds)

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        assert self.recipe.tuning is not None
        return SPAN_TASKS[self.recipe.tuning.metric].shown(scores)

    def _card(self, scores: dict[str, Any]) -> TaggerCard:
        return TaggerCard(self.recipe.layers, recipe=msgspec.to_builtins(self.recipe), scores=scores)

    def _sampler(self, number: int) -> TagSampler:
        phase = self.recipe.phases[number]
        corpora = [
            (corpus, data.weight) for corpus, data in zip(self._corpora, self.recipe.data, strict=True)
        ]
        return TagSampler(corpora, self._layout.specials, window=phase.window, stride=phase.stride)


def tagger_in_torch(network: TaggerNetwork, tokenizer: Tokenizer, recipe: TaggerRecipe) -> Tagger:
    """The runtime's tagger with the network itself in the place of an exported graph."""
    card = card_in_torch(recipe, TASK, layers=recipe.layers, clause_kinds=recipe.clausal)
    return Tagger(Path(), card, InTorch(network), tokenizer=tokenizer)


def _corpus(data: SpanDataSet, recipe: TaggerRecipe, tokenizer: Tokenizer, root: Path) -> TagCorpus:
    left_out: Counter[str] = Counter()
    marked = list(read_marked(data, root / data.path, left_out))
    if not any(set(data.kinds) & set(layer) for layer in recipe.layers):
        return TagCorpus((), {"of other kinds": len(marked)})
    if data.held_out and recipe.fold >= 0:
        kept = [each for each in marked if fold_of(each.text, recipe.folds) != recipe.fold]
        left_out["held out"] = len(marked) - len(kept)
        marked = kept
    corpus = encode_marked(
        marked,
        tokenizer,
        recipe.layers,
        data.kinds,
        left_out=left_out,
        cap=data.cap,
        seed=recipe.seed,
        max_question_tokens=recipe.max_question_tokens,
    )
    if not corpus.questions:
        raise CaveatError(f"{root / data.path} has no question that a tagger can be trained on.")
    return corpus
