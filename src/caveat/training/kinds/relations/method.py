"""The method that trains a relation network: for every pair of a sample's spans, whether the two belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from caveat.answerers.documents.structure.spans import Integers
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.predict import spans_of
from caveat.benchmarks.shared.span_prediction import Key
from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.training.kinds.relations.fit import SCORES, figures_of, measure, predicted, read_samples, rules
from caveat.training.kinds.relations.network import (
    CARD,
    NetworkRelater,
    RelationNetwork,
    RelationNetworkCard,
    collate,
    new_relation_network,
)
from caveat.training.kinds.relations.pairs import PairSample, SpanText, windows_of
from caveat.training.kinds.relations.recipe import RelationData, RelationNetworkRecipe
from caveat.training.method import NetworkMethod
from caveat.training.sampling import fold_of, spread

# Beside the scores in the run's folder, for `caveat predict` and `caveat eval`.
_HELD_OUT = "held-out.jsonl"


class LabelledPairs(NamedTuple):
    """A window with pairs, and for each whether it belongs together, 1 or 0."""

    sample: PairSample
    labels: Integers

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return self.sample.length


class Relating(NetworkMethod[RelationNetworkRecipe, RelationNetwork, LabelledPairs]):
    """A relation network, the pairs of its samples, and its measurement on what is held out, with the gold spans."""

    card_file = CARD

    def __init__(self, recipe: RelationNetworkRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe, new_relation_network(recipe))
        if recipe.freeze_encoder:
            self.network.encoder.requires_grad_(False)
        self._relater = NetworkRelater(self.network, self._tokenizer, recipe)
        self._held_out: list[CmqaSample] = []
        self._sets: list[list[tuple[SpanText, Integers]]] = []
        for data in recipe.data:
            self._add(data, data_root, note)
        if recipe.tuning and recipe.tuning.path:
            self._held_out = read_samples(RelationData(path=recipe.tuning.path), data_root)
        self._weight = self._weight_of_a_relation()
        self._follow(self._sampler)
        if recipe.tuning:
            note(f"measured on {len(self._held_out):,} samples" if self._held_out else "not measured")

    def loss(self, batch: Sequence[LabelledPairs]) -> Tensor:
        """The mean loss of all pairs of a batch."""
        ids, *others = collate([each.sample for each in batch], self._layout)
        masked = self._masking(ids)
        if self.network.markers_from is not None:
            masked = torch.where(ids >= self.network.markers_from, ids, masked)
        labels = torch.from_numpy(np.concatenate([each.labels for each in batch])).float()
        return torch.nn.functional.binary_cross_entropy_with_logits(
            self.network(masked, *others), labels, pos_weight=self._weight
        )

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        return super().every if self._held_out else 0

    def measure(self, *, final: bool) -> dict[str, Any]:
        """F1 and exact match on what is held out, by sort of relations; at the end a row, below those of the rules."""
        tuning = self.recipe.tuning
        if tuning is None or not self._held_out:
            return {}
        some = spread(self._held_out, tuning.final_questions if final else tuning.questions)
        found = predicted(self._relater, some)
        if final:
            return {**rules(some), f"network, {self.recipe.mode}": measure(some, found)}
        return {**figures_of(some, found), "questions": len(some)}

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        f1 = ", ".join(
            f"{sort} {'–' if figures['f1'] is None else format(figures['f1'], '.1f')}"
            for sort, figures in scores.items()
            if isinstance(figures, dict)
        )
        return f"F1 {f1} on {scores['questions']:,} samples"

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the network as it is, with its scores; these and what they were measured on beside its folder."""
        super().save(folder, scores)
        if scores:
            write_json(folder.parent / SCORES, scores)
            cmqa.write(folder.parent / _HELD_OUT, self._held_out)

    def _card(self, scores: dict[str, Any]) -> RelationNetworkCard:
        return RelationNetworkCard(self.recipe, scores)

    def _add(self, data: RelationData, root: Path, note: Callable[[str], None]) -> None:
        """Read a data set: what is learnt from it, and what is held out."""
        left_out: Counter[str] = Counter()
        texts = []
        for sample in read_samples(data, root):
            if fold_of(sample.context, self.recipe.folds) == self.recipe.fold:
                left_out["held out"] += 1
                self._held_out.append(sample)
                continue
            text = self._relater.encode(sample.context, spans_of(sample), sample.question)
            related = _relations(sample)
            places = [(span.kind, span.start, span.end) for span in text.spans]
            labels = [(places[head], places[tail]) in related for head, tail in text.pairs.tolist()]
            left_out["relations without their spans"] += len(related) - sum(labels)
            if labels:
                texts.append((text, np.array(labels, np.int64)))
            else:
                left_out["without pairs"] += 1
        self._sets.append(texts)
        self._use(data.path, len(texts), {reason: count for reason, count in left_out.items() if count}, note)

    def _weight_of_a_relation(self) -> Tensor:
        """What a pair that belongs together weighs, if one that does not weighs 1."""
        labels = [labels for texts in self._sets for _, labels in texts]
        pairs, related = sum(map(len, labels)), sum(int(of.sum()) for of in labels)
        if not related:
            raise CaveatError("The data has no relations, so there is nothing to learn.")
        return torch.tensor(max(1.0, (pairs - related) / related) ** self.recipe.balance)

    def _sampler(self, number: int) -> _Epochs:
        phase = self.recipe.phases[number]
        room = phase.window - self._layout.specials
        return _Epochs(
            [
                LabelledPairs(sample, labels[sample.numbers])
                for texts in self._sets
                for text, labels in texts
                for sample in windows_of(text, room, phase.stride)
            ]
        )


class _Epochs:
    """The windows of one phase, all of them in every epoch."""

    def __init__(self, samples: list[LabelledPairs]) -> None:
        self._samples = samples

    def epoch(self, seed: str) -> list[LabelledPairs]:
        """The windows of an epoch."""
        return self._samples


def _relations(sample: CmqaSample) -> set[tuple[Key, Key]]:
    """The relations of a sample: head and tail, each with its kind."""
    kinds = (("condition", "coarse"), ("condition", "fine"), ("coarse", "fine"))
    return {
        ((head, pair.head.start, pair.head.end), (tail, pair.tail.start, pair.tail.end))
        for head, tail in kinds
        for pair in getattr(sample, f"{head}_{tail}")
    }
