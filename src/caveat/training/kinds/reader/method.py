"""The method that trains an extractive reader: the answer's first and last token in a window, or the null position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.core.errors import CaveatError
from caveat.models.encoding import pair_layout
from caveat.training.batch import Batch, collate
from caveat.training.kinds.reader.corpus import Corpus, encode, read_passages
from caveat.training.kinds.reader.places import as_parts, simplified
from caveat.training.kinds.reader.reader import ReaderCard, new_reader, save_reader
from caveat.training.kinds.reader.recurring import recurring
from caveat.training.kinds.reader.samples import Sample
from caveat.training.kinds.reader.told import read_told
from caveat.training.masking import masking_of
from caveat.training.method import check_windows, said
from caveat.training.networks import encoder_settings
from caveat.training.plan import Plan
from caveat.training.recipe import DataSet, Recipe
from caveat.training.start import begin_from, folders_of
from caveat.training.tuning import measure, some_questions

__all__ = ["Extractive", "span_loss"]


class Extractive:
    """A reader, its windows, and its measurement on the tuning file."""

    def __init__(self, recipe: Recipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.recipe = recipe
        self.network, self._tokenizer = new_reader(
            recipe.encoder,
            **encoder_settings(recipe),
        )
        if recipe.start:
            begin_from(self.network, *folders_of(recipe.start))
        check_windows(recipe, self.network)
        self._corpora = [_corpus(data, recipe, self._tokenizer, data_root) for data in recipe.data]
        for data, corpus in zip(recipe.data, self._corpora, strict=True):
            note(said(data.key, len(corpus.questions), corpus.left_out))
        self._plan = Plan(recipe, self._corpora, pair_layout(self._tokenizer))
        self._masking = masking_of(recipe, self._tokenizer, self._plan.layout)
        self.windows, self.steps = self._plan.windows, self._plan.steps
        tuning = recipe.tuning
        self._passages = list(read_passages(data_root / tuning.path, tuning.format)) if tuning else []

    def batches_from(self, step: int) -> Iterator[Sequence[Sample]]:
        """The batches of step `step` and all after it."""
        return self._plan.batches_from(step)

    def loss(self, batch: Sequence[Sample]) -> Tensor:
        """The loss of a batch."""
        tensors = collate(batch, self._plan.layout)
        ids = self._masking(tensors.input_ids)
        starts, ends = self.network(ids, tensors.attention_mask, tensors.token_type_ids)
        return span_loss(starts, ends, tensors)

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        return self.recipe.tuning.every if self.recipe.tuning else 0

    def measure(self, *, final: bool) -> dict[str, Any]:
        """Exact match and F1 on the tuning file."""
        tuning = self.recipe.tuning
        if tuning is None:
            return {}
        some = some_questions(self._passages, tuning.final_questions if final else tuning.questions)
        return measure(self.network, self._tokenizer, some, tuning, self.recipe.max_question_tokens)

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        return (
            f"exact match {scores['exact_match']:.1f}, F1 {scores['f1']:.1f} "
            f"on {scores['questions']:,} questions"
        )

    def described(self) -> dict[str, Any]:
        """For each data set, by its path, how much of it is used."""
        return {
            data.key: {"questions": len(corpus.questions), "left_out": corpus.left_out}
            for data, corpus in zip(self.recipe.data, self._corpora, strict=True)
        }

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the reader as it is, with its scores."""
        card = ReaderCard(recipe=msgspec.to_builtins(self.recipe), scores=scores)
        save_reader(folder, self.network, self._tokenizer, card)


def span_loss(start_scores: Tensor, end_scores: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of start and end over the allowed positions, the mean of the two."""
    low = torch.finfo(start_scores.dtype).min
    loss = torch.nn.functional.cross_entropy
    start = loss(start_scores.masked_fill(~batch.allowed, low), batch.starts)
    end = loss(end_scores.masked_fill(~batch.allowed, low), batch.ends)
    return (start + end) / 2


def _corpus(data: DataSet, recipe: Recipe, tokenizer: Tokenizer, root: Path) -> Corpus:
    if data.format == "kbqa":
        passages = read_told(root / data.path, root / data.triples, recipe.seed)
    else:
        passages = read_passages(root / data.path, data.format)
    if data.answers == "parts":
        passages = as_parts(passages)
    if data.simplify:
        passages = simplified(passages)
    if data.questions == "recurring":
        passages = recurring(passages, recipe.seed)
    corpus = encode(
        passages,
        tokenizer,
        take=data.take,
        cap=data.cap,
        seed=recipe.seed,
        max_question_tokens=recipe.max_question_tokens,
    )
    if not corpus.questions:
        raise CaveatError(f"{root / data.path} has no question that a reader can be trained on.")
    return corpus
