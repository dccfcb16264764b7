"""A reader of the shape that a recipe asks for, and the losses beside its own that train it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from caveat.core.errors import CaveatError
from caveat.models.embedded import find
from caveat.models.encoding import PairLayout, pair_layout
from caveat.models.ensemble import Edge, carried
from caveat.models.reader import Reader, TextScores
from caveat.models.windowed_model import ReadRequest
from caveat.models.windows import collate
from caveat.training.kinds.judge.judgements import read_pairs
from caveat.training.kinds.judge.method import LABELS, JudgeEpochs, JudgeSample, judge_samples, verdict_loss
from caveat.training.kinds.reader.companions import (
    AdversarialCompanion,
    Companion,
    MaskedWordsHead,
    Reading,
    heads_beside,
)
from caveat.training.kinds.reader.layers import BalanceCompanion, MixtureOfExperts
from caveat.training.kinds.reader.network import ReaderNetwork, new_reader
from caveat.training.kinds.reader.options import Distillation, Inference, MaskedWords, Shape
from caveat.training.kinds.reader.recipe import ReaderRecipe
from caveat.training.kinds.reader.samples import Batch, Sample
from caveat.training.networks import Masking, encoder_settings, states
from caveat.training.sampling import Endless

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Distillation: what other readers say of a window's tokens is learnt beside the gold answer (Hinton et al. 2015).
#
# The teachers are model folders, and may have tokenizers of their own: the probability that each gives to its tokens as
# first and last goes to the student's token with the same character, so that no probability is lost. Several teachers
# are an ensemble: the mean of what they say is learnt.


def soft_loss(scores: Tensor, allowed: Tensor, targets: Tensor, temperature: float) -> Tensor:
    """The mean of KL(targets ‖ softmax of a row's allowed scores by the temperature), times its square.

    The square keeps the gradient's size whatever the temperature.
    """
    low = torch.finfo(scores.dtype).min
    found = torch.log_softmax(scores.masked_fill(~allowed, low) / temperature, dim=-1)
    each = torch.where(targets > 0, targets * (targets.clamp(min=1e-12).log() - found), 0.0)
    return temperature**2 * each.sum(dim=-1).mean()


class Teaching:
    """Teachers, and what they say of a batch."""

    def __init__(self, table: Distillation, layout: PairLayout, *, no_answer: bool, threads: int) -> None:
        self._table, self._layout, self._no_answer = table, layout, no_answer
        self._teachers = [Reader.load(find(folder), threads=threads or None) for folder in table.teachers]
        for teacher in self._teachers:
            teacher.encode_question("?")  # a damaged folder is told here, and not at the first step

    def loss(self, samples: Sequence[Sample], batch: Batch, starts: Tensor, ends: Tensor) -> Tensor:
        """The mean of the losses of start and end."""
        begin, end = self.targets(samples, batch)
        heat = self._table.temperature
        return (soft_loss(starts, batch.allowed, begin, heat) + soft_loss(ends, batch.allowed, end, heat)) / 2

    def targets(self, samples: Sequence[Sample], batch: Batch) -> tuple[Tensor, Tensor]:
        """The teachers' distributions over the batch's positions, as starts and as ends.

        Of a window that no teacher can read the gold answer stands for them.
        """
        starts, ends = (torch.zeros(batch.input_ids.shape) for _ in range(2))
        requests = [ReadRequest(sample.asked, _text(sample)) for sample in samples]
        told = [list(teacher.scores(requests)) for teacher in self._teachers]
        for row, sample in enumerate(samples):
            said = [each for scores in told if (each := scores[row]) is not None]
            if not said:
                starts[row, batch.starts[row]] = ends[row, batch.ends[row]] = 1.0
            for scores in said:
                starts[row] += self._spread(sample, scores, "start", starts.shape[1]) / len(said)
                ends[row] += self._spread(sample, scores, "end", ends.shape[1]) / len(said)
        return starts, ends

    def _spread(self, sample: Sample, scores: TextScores, edge: Edge, length: int) -> Tensor:
        """One teacher's distribution over the positions of one window."""
        text, raw = scores.text, scores.starts if edge == "start" else scores.ends
        heated = np.concatenate([[0.0 if self._no_answer else -np.inf], raw / self._table.temperature])
        mass = np.exp(heated - heated.max())
        mass = (mass / mass.sum()).astype(np.float32)
        own_starts, own_ends = _offsets(sample)
        at = text.starts if edge == "start" else text.ends - 1
        context = carried(mass[1:], at, own_starts, own_ends, edge)
        begin = len(self._layout.before) + len(sample.question) + len(self._layout.between)
        found = torch.zeros(length)
        found[0] = float(mass[0])
        found[begin : begin + len(context)] = torch.from_numpy(context)
        return found


def _text(sample: Sample) -> str:
    passage = sample.passage
    return passage.text[passage.starts[sample.first] : passage.ends[sample.last - 1]]


def _offsets(sample: Sample) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Of the window's tokens, from its own first character."""
    passage, part = sample.passage, slice(sample.first, sample.last)
    shift = passage.starts[sample.first]
    starts, ends = (np.array(each[part], dtype=np.int32) - shift for each in (passage.starts, passage.ends))
    return starts, ends


# Further tasks on the reader's encoder, after D-Net: paragraph ranking, masked words, natural language inference.


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


def reader_for(recipe: ReaderRecipe) -> tuple[ReaderNetwork, Tokenizer]:
    """A fresh reader of the recipe's shape, with the heads of its training."""
    return new_reader(
        recipe.encoder,
        Shape(recipe.feeding, recipe.experts, recipe.frozen),
        lambda encoder: heads_beside(recipe, encoder),
        **encoder_settings(recipe),
    )


def companions_of(
    recipe: ReaderRecipe,
    network: ReaderNetwork,
    tokenizer: Tokenizer,
    root: Path,
    note: Callable[[str], None],
) -> list[Companion]:
    """The further losses that a recipe asks for."""
    found: list[Companion] = []
    heads: Any = network.companions
    # Before all others: they may have the experts read something else.
    for layer in network.layers:
        if isinstance(layer, MixtureOfExperts) and recipe.experts and recipe.experts.balance:
            found.append(BalanceCompanion(layer, recipe.experts.balance))
    if recipe.adversarial:
        found.append(AdversarialCompanion(heads["discriminator"], recipe.adversarial))
    if recipe.auxiliary:
        # What judges are trained with is a heavy import.
        layout = pair_layout(tokenizer)
        if table := recipe.auxiliary.ranking:
            found.append(RankingCompanion(heads["ranking"], table.weight))
        if masked := recipe.auxiliary.masked:
            found.append(MaskedWordsCompanion(network.encoder, heads["masked"], tokenizer, layout, masked))
        if inference := recipe.auxiliary.inference:
            found.append(
                InferenceCompanion(
                    network,
                    heads["inference"],
                    tokenizer,
                    layout,
                    inference,
                    root=root,
                    seed=recipe.seed,
                    max_question_tokens=recipe.max_question_tokens,
                    note=note,
                )
            )
    return found


def teaching_of(recipe: ReaderRecipe, layout: PairLayout) -> Teaching | None:
    """The teachers of a recipe, if it has any."""
    if recipe.distillation is None:
        return None
    return Teaching(recipe.distillation, layout, no_answer=recipe.no_answer, threads=recipe.threads)
