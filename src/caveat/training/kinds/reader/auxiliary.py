"""Further tasks on the reader's encoder, after D-Net: paragraph ranking, masked words, natural language inference."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from caveat.core.errors import CaveatError
from caveat.models.encoding import PairLayout
from caveat.models.windows import collate
from caveat.training.kinds.judge.judgements import read_pairs
from caveat.training.kinds.judge.method import LABELS, JudgeEpochs, JudgeSample, judge_samples, verdict_loss
from caveat.training.kinds.reader.companions import MaskedWordsHead, Reading
from caveat.training.kinds.reader.network import ReaderNetwork
from caveat.training.kinds.reader.options import Inference, MaskedWords
from caveat.training.networks import Masking, states
from caveat.training.sampling import Endless

__all__ = ["InferenceCompanion", "MaskedWordsCompanion", "RankingCompanion", "ranking_loss"]


def ranking_loss(scores: Tensor, answered: Tensor) -> Tensor:
    """Cross-entropy of "this window answers", one score a window."""
    return binary_cross_entropy_with_logits(scores, answered.to(scores.dtype))


class RankingCompanion:
    """Does this window answer the question?"""

    def __init__(self, head: nn.Module, weight: float) -> None:
        self._head, self._weight = head, weight

    def loss(self, reading: Reading) -> Tensor:
        """Of the windows of the batch, by the state of their first token."""
        answered = torch.tensor([sample.answer is not None for sample in reading.samples])
        return self._weight * ranking_loss(self._head(reading.states[:, :1])[:, 0, 0], answered)


class MaskedWordsCompanion:
    """What words are hidden?"""

    def __init__(
        self,
        encoder: Any,
        head: MaskedWordsHead,
        tokenizer: Tokenizer,
        layout: PairLayout,
        table: MaskedWords,
    ) -> None:
        self._encoder, self._head, self._table = encoder, head, table
        self._masking = Masking(table.share, tokenizer, layout)

    def loss(self, reading: Reading) -> Tensor:
        """Of some windows of the batch, drawn anew each time, as are the words that are hidden."""
        rows = torch.randperm(len(reading.samples))[: self._table.windows]
        ids, mask, types = (tensor[rows] for tensor in reading.batch[:3])
        masked = self._masking(ids)
        hidden = masked != ids
        if not hidden.any():
            return reading.states.new_zeros(())
        found = states(self._encoder, masked, mask, types)[hidden]
        table = self._encoder.get_input_embeddings().weight
        return self._table.weight * cross_entropy(self._head(found, table), ids[hidden])


class InferenceCompanion:
    """Does a text entail a statement, contradict it, or leave it open?"""

    def __init__(
        self,
        network: ReaderNetwork,
        head: nn.Module,
        tokenizer: Tokenizer,
        layout: PairLayout,
        table: Inference,
        *,
        root: Path,
        seed: int,
        max_question_tokens: int,
        note: Callable[[str], None],
    ) -> None:
        """Reads all pairs; paths start from `root`."""
        self._network, self._head, self._layout, self._table = network, head, layout, table
        limit = getattr(network.encoder.config, "max_position_embeddings", None)
        if limit is not None and table.window > limit:
            raise CaveatError(
                f"The encoder takes {limit} tokens, auxiliary.inference wants windows of {table.window}."
            )
        sets: list[tuple[list[JudgeSample], float]] = []
        for data in table.data:
            pairs = read_pairs("judgements", root / data.path, seed)
            samples = judge_samples(
                ((pair.judged, pair.text, pair.label) for pair in pairs), tokenizer, max_question_tokens
            )
            if not samples:
                raise CaveatError(f"{root / data.path} has no pair of a text and a statement with a label.")
            note(f"{data.path}: {len(samples):,} pairs")
            sets.append((samples, data.weight))
        room = table.window - layout.specials
        self._pairs = Endless(
            f"inference {seed}", JudgeEpochs(sets, room, table.window // 2), table.batch_size
        )
        self._weights = torch.ones(len(LABELS))

    def loss(self, reading: Reading) -> Tensor:
        """Of the step's batch of pairs, where it has one."""
        number, rest = divmod(reading.step, self._table.every)
        if rest:
            return reading.states.new_zeros(())
        pairs = self._pairs.at(number)
        arrays = collate([pair.window for pair in pairs], self._layout)
        tensors = map(torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids))
        scores = self._head(self._network.states(*tensors)[:, :1])[:, 0]
        labels = torch.tensor([pair.label for pair in pairs])
        return self._table.weight * verdict_loss(scores, labels, self._weights)
