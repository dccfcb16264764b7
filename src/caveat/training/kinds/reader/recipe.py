"""A reader's recipe, and the methods of training that it switches on, a table each; without its table one is off.

The methods are those of the submissions to MRQA 2019, named after what they do; docs/training-methods.md says whose
they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from caveat.training.recipe import Phase, Settings


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


class ReaderDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A training file and how much of it an epoch takes."""

    path: str
    # "squad" (SQuAD's layout) or "mrqa" (JSON lines); told by the name where it is left out. "kbqa": questions on the
    # facts of a knowledge base, which is `triples`, on passages that tell them.
    format: Literal["squad", "mrqa", "kbqa"] | None = None
    triples: str = ""
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Whether its answers were found in passages by their text, and not marked by a person who read them.
    distant: bool = False
    # Traditional script becomes Simplified.
    simplify: bool = False
    # What several answers to a question are: of several annotators, or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Those of the file, or others: made of its passages alone, of what a text says twice, hidden in one of its
    # sentences; or its own with another's name, which the passage then does not answer.
    questions: Literal["asked", "recurring", "exchanged"] = "asked"
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def key(self) -> str:
        """What the log calls the set: a file may be in a recipe twice, with its own questions and with others."""
        return self.path if self.questions == "asked" else f"{self.path} ({self.questions})"


class ReaderTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end; never trained on."""

    path: str
    metric: Literal["cmrc2018", "squad"]
    format: Literal["squad", "mrqa"] | None = None
    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 500
    questions: int = 200
    # At the end; 0 means the whole file.
    final_questions: int = 0
    window: int = 384
    stride: int = 128
    max_answer_tokens: int = 64
    batch_size: int = 16
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class ReaderRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a reader."""

    kind: Literal["reader"] = "reader"
    data: tuple[ReaderDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: ReaderTuning | None = None
    # Windows without the answer, as a share of those with it.
    negatives: float = 0.1
    # Windows an epoch takes of each question; 0 takes all that hold the answer.
    windows_per_question: int = 0
    # The target in a window: the gold answer's first occurrence there, or the place that was annotated.
    target: Literal["first", "annotated"] = "first"
    # Whether the reader learns to say that a window does not answer; without, it learns from windows that do alone.
    no_answer: bool = True
    auxiliary: Auxiliary | None = None
    adversarial: Adversarial | None = None
    sampling: Sampling | None = None
    feeding: Feeding | None = None
    experts: Experts | None = None
    frozen: Frozen | None = None
    distillation: Distillation | None = None

    @property
    def usefulness(self) -> Usefulness | None:
        """How sets are measured on the way, where they are."""
        return self.sampling.usefulness if self.sampling else None

    def weight_of(self, data: ReaderDataSet) -> float:
        """Passes over a set in an epoch."""
        return data.weight * (self.sampling.distant if self.sampling and data.distant else 1.0)


def problems_of(recipe: ReaderRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    for data in recipe.data:
        if (data.format == "kbqa") != bool(data.triples):
            yield f'{data.path} needs `triples`, a knowledge base, with format = "kbqa", and only then'
    if recipe.negatives < 0:
        yield f"negatives must not be below 0, got {recipe.negatives}"
    if recipe.windows_per_question < 0:
        yield "windows_per_question must not be below 0"
    if recipe.negatives and not recipe.no_answer:
        yield "windows without the answer (negatives) teach a reader that may say so (no_answer = true)"
    if recipe.auxiliary and recipe.auxiliary.ranking and not recipe.negatives:
        yield "auxiliary.ranking needs windows without the answer: negatives above 0"
    inference = recipe.auxiliary.inference if recipe.auxiliary else None
    if inference and inference.window <= recipe.max_question_tokens + 8:
        yield f"a window of {inference.window} for inference leaves no room beside {recipe.max_question_tokens} tokens"
    if recipe.frozen and recipe.auxiliary and recipe.auxiliary.masked:
        yield "auxiliary.masked trains the encoder, which frozen leaves as it is"
    if recipe.adversarial and len(recipe.data) < 2:
        yield "adversarial needs at least two data sets to tell apart"
    if recipe.usefulness and not (recipe.usefulness.targets or recipe.tuning):
        yield "sampling.usefulness needs targets, or a tuning file"
    if recipe.usefulness and recipe.feeding and recipe.feeding.order == "sets":
        yield 'sampling.usefulness mixes data sets, which feeding.order = "sets" forbids'
    methods = (recipe.auxiliary, recipe.adversarial, recipe.sampling, recipe.experts, recipe.frozen)
    for method in (*methods, recipe.distillation):
        if method is not None:
            yield from method.problems()


class InoculationTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of another domain, which examples are taken of, and the rest of which is measured on."""

    path: str
    # Told by the name where it is left out.
    format: Literal["squad", "mrqa"] | None = None
    name: str = ""


class InoculationRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a measurement."""

    kind: Literal["inoculation"]
    # The folder of a finished run that trained a reader; its own recipe is in it.
    run: str
    # The target, or several, each a measurement of its own.
    data: tuple[InoculationTarget, ...]
    # So many examples are trained on, one reader for each number; 0 is the reader as it was.
    examples: tuple[int, ...] = (0, 10, 50, 200, 400)
    epochs: float = 5.0
    batch_size: int = 8
    # A fraction of the run's own: there is less to learn.
    learning_rate: float = 0.2
    # Questions of the target, not among the examples, and of the run's tuning file that are measured; 0 means all.
    questions: int = 1_000
    seed: int = 1
    threads: int = 0


def inoculation_problems(recipe: InoculationRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.run:
        yield "run names the folder of a finished run: --set run=DIR"
    if not recipe.examples or min(recipe.examples) < 0:
        yield "examples are numbers from 0 on, at least one"
    if recipe.epochs <= 0 or recipe.batch_size < 1 or recipe.learning_rate <= 0 or recipe.questions < 0:
        yield "epochs, batch_size and learning_rate must be above 0, questions not below it"
