"""The method that trains a tagger: the label of every token, measured on a file of its own or on a fold held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.benchmarks.registry import SPAN_TASKS
from caveat.core.errors import CaveatError
from caveat.models.encoding import pair_layout
from caveat.models.tagger import TASK, Tagger
from caveat.models.windows import collate
from caveat.training.cards import card_in_torch
from caveat.training.kinds.tagger.data import TagCorpus, TagSample, TagSampler, encode_marked, read_marked
from caveat.training.kinds.tagger.network import (
    UNLABELLED,
    TaggerCard,
    TaggerNetwork,
    new_tagger,
    save_tagger,
    tag_loss,
)
from caveat.training.kinds.tagger.recipe import SpanDataSet, TaggerRecipe
from caveat.training.networks import (
    InTorch,
    begin_from,
    check_windows,
    encoder_settings,
    folders_of,
    masking_of,
)
from caveat.training.sampling import Schedule, fold_of, said, spread

__all__ = ["Labelling", "held_out", "tagger_in_torch"]


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


class Labelling:
    """A tagger, its windows, and its measurement on what is held out."""

    def __init__(self, recipe: TaggerRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.recipe = recipe
        self.network, self._tokenizer = new_tagger(
            recipe.encoder,
            recipe.layers,
            **encoder_settings(recipe),
        )
        if recipe.start:
            # The head is of another kind, or for other layers.
            begin_from(self.network, *folders_of(recipe.start), part="encoder.")
        check_windows(recipe, self.network)
        self._corpora = [_corpus(data, recipe, self._tokenizer, data_root) for data in recipe.data]
        for data, corpus in zip(recipe.data, self._corpora, strict=True):
            note(said(data.path, len(corpus.questions), corpus.left_out))
        self._layout = pair_layout(self._tokenizer)
        self._masking = masking_of(recipe, self._tokenizer, self._layout)
        self._schedule = Schedule(recipe.seed, recipe.phases, self._sampler)
        self.windows, self.steps = self._schedule.windows, self._schedule.steps
        self._records = held_out(recipe, data_root)
        if recipe.tuning:
            note(f"measured on {len(self._records):,} questions" if self._records else "not measured")

    def batches_from(self, step: int) -> Iterator[Sequence[TagSample]]:
        """The batches of step `step` and all after it."""
        return self._schedule.batches_from(step)

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
        return self.recipe.tuning.every if self.recipe.tuning and self._records else 0

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

    def described(self) -> dict[str, Any]:
        """For each data set, by its path, how much of it is used."""
        return {
            data.path: {"questions": len(corpus.questions), "left_out": corpus.left_out}
            for data, corpus in zip(self.recipe.data, self._corpora, strict=True)
        }

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the tagger as it is, with its scores."""
        card = TaggerCard(self.recipe.layers, recipe=msgspec.to_builtins(self.recipe), scores=scores)
        save_tagger(folder, self.network, self._tokenizer, card)

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
