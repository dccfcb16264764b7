"""Methods of training a reader that a recipe switches on, a table each; without its table a method is off.

They are those of the submissions to MRQA 2019, named after what they do; docs/training-methods.md says whose they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec


class Ranking(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Does this window answer the question? Told by the first token; learnt from the reader's own windows."""

    weight: float = 0.5


class MaskedWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Words that are hidden are to be found again, in some of the windows of each batch, read a second time."""

    weight: float = 0.1
    # The share of the tokens that are hidden.
    share: float = 0.15
    # Windows of a batch; what the method costs grows with it.
    windows: int = 4


class InferenceSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of judgements, one JSON object a line: premise, hypothesis and label, and the like."""

    path: str
    # Passes over the set in one over all sets.
    weight: float = 1.0
    # For the model's card, as with the reader's own data.
    name: str = ""
    licence: str = "unstated"


class Inference(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Does a text entail a statement, contradict it, or leave it open? A batch of pairs beside the reader's own."""

    data: tuple[InferenceSet, ...]
    weight: float = 0.5
    # Pairs of a step, and how many steps there are from one batch to the next.
    batch_size: int = 8
    every: int = 1
    # Longer texts are cut.
    window: int = 128


class Auxiliary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Further tasks on the reader's encoder, each with a head that is not exported and a weight of its loss."""

    ranking: Ranking | None = None
    inference: Inference | None = None
    masked: MaskedWords | None = None

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        for part in (self.ranking, self.inference, self.masked):
            if part is not None and part.weight <= 0:
                yield f"a further task's weight must be above 0, got {part.weight}"
        if self.masked and not (0 < self.masked.share < 1 and self.masked.windows > 0):
            yield "auxiliary.masked has a share between 0 and 1 and at least one window"
        if self.inference and not self.inference.data:
            yield "auxiliary.inference needs at least one data set"
        if self.inference and min(self.inference.batch_size, self.inference.every) < 1:
            yield "batch_size and every of auxiliary.inference must be above 0"


class Adversarial(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A discriminator learns to tell the data set by the first token, the encoder that it cannot be told."""

    # What the confusion counts in the reader's loss.
    weight: float = 0.01
    # "uniform": the divergence of what the discriminator says from knowing nothing. "reversal": the encoder goes up
    # the gradient that the discriminator goes down.
    confusion: Literal["uniform", "reversal"] = "uniform"
    # Layers of the discriminator before its last.
    layers: int = 3

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        if self.weight <= 0 or self.layers < 0:
            yield "adversarial has a weight above 0 and no fewer than 0 layers"


class Usefulness(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Data sets are drawn by what their windows do for target data, measured on the way.

    Useful is a set on whose windows a small step lowers the target's loss: by the cosine of the two gradients. What an
    epoch takes of it is multiplied by exp(sharpness × the cosine), and all sets by one number, so that the run is as
    long as it was.
    """

    # Files to be useful for; without any the recipe's tuning file.
    targets: tuple[str, ...] = ()
    # Steps from one measurement to the next.
    every: int = 200
    # Windows of each set, and of the targets, that a measurement reads.
    windows: int = 16
    sharpness: float = 2.0
    # How much of the measurements before stays in each: they are noisy.
    memory: float = 0.5


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much is drawn of each data set."""

    # What the weight of a set is multiplied by whose answers were only found in its passages (`distant = true`).
    distant: float = 1.0
    usefulness: Usefulness | None = None

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        useful = self.usefulness
        if self.distant < 0:
            yield f"sampling.distant must not be below 0, got {self.distant}"
        if useful and (useful.every < 1 or useful.windows < 1 or not 0 <= useful.memory < 1):
            yield "sampling.usefulness has every and windows above 0, and memory from 0 to below 1"


class Feeding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The order in which data sets come, and how passage and question look at each other before the heads."""

    # "mixed": every batch is of all sets. "sets": one set after another, in the recipe's order, in each epoch.
    order: Literal["mixed", "sets"] = "mixed"
    attention_over_attention: bool = False


class Experts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Small networks behind the encoder, mixed for each window by a gate on its first token."""

    count: int = 4
    # Of each expert's hidden layer; 0 is as wide as the encoder.
    width: int = 0
    # The weight of the loss that keeps the gate from always choosing the same.
    balance: float = 0.01

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        if self.count < 2 or self.balance < 0 or self.width < 0:
            yield "experts are at least two, with balance and width not below 0"


class Frozen(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The encoder stays as it is; what is learnt are layers of attention on its features."""

    # Of the learnt layers; 0 is as wide as the encoder.
    width: int = 0

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        if self.width < 0:
            yield "the width of frozen's layers must not be below 0"


class Distillation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What other readers say of each window is learnt beside its gold answer; theirs may be another tokenizer."""

    # Model folders, or names of embedded models.
    teachers: tuple[str, ...]
    # The share of the loss that is theirs.
    share: float = 0.5
    # Above 1 also what they find improbable is learnt.
    temperature: float = 2.0

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        if not self.teachers:
            yield "distillation needs at least one teacher, a model folder"
        if not 0 < self.share <= 1 or self.temperature <= 0:
            yield "distillation has a share above 0, up to 1, and a temperature above 0"


class Shape(msgspec.Struct, frozen=True):
    """What of the methods is part of the reader itself, and exported with it."""

    feeding: Feeding | None = None
    experts: Experts | None = None
    frozen: Frozen | None = None


def shape_of(recipe: Mapping[str, Any]) -> Shape:
    """The shape of the reader of a recipe, as a saved reader's card has it."""
    return msgspec.convert({key: recipe.get(key) for key in Shape.__struct_fields__}, Shape)
