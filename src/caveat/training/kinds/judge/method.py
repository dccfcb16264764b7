"""The method that trains a judge, and how well statements are judged, beside the majority and the words alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.answerers.documents.conditions.entailment import Judgement, judge
from caveat.core.errors import CaveatError
from caveat.models.encoding import encode_question, encode_text
from caveat.models.judge import TASK, Judge, Verdict
from caveat.models.windows import Window, collate, even_windows
from caveat.training.cards import card_in_torch
from caveat.training.kinds.judge.data import JudgeRecipe, Statement, read_statements
from caveat.training.kinds.judge.judgements import Label
from caveat.training.method import NetworkMethod
from caveat.training.networks import (
    EncoderSettings,
    InTorch,
    NetworkCard,
    encoder_settings,
    head,
    load_network,
    new_network,
    states,
)
from caveat.training.sampling import repeated, spread

CARD = "judge.json"


class JudgeNetwork(nn.Module):
    """Scores of "it is so", "it is not so" and "it is open", read off the first token."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        self.verdict = head(encoder, 3)

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        return (self.verdict,)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Three scores, each of one a row of the batch."""
        found = states(self.encoder, input_ids, attention_mask, token_type_ids)
        # The first token as a window of one, so that its products are those of every other head.
        scores = self.verdict(found[:, :1])
        return scores[:, 0, 0], scores[:, 0, 1], scores[:, 0, 2]


def new_judge(name: str, **settings: Unpack[EncoderSettings]) -> tuple[JudgeNetwork, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed."""
    return new_network(JudgeNetwork, name, **settings)


def load_judge(folder: Path) -> tuple[JudgeNetwork, Tokenizer, NetworkCard]:
    """A judge that a run has saved, ready for inference."""
    return load_network(folder, CARD, NetworkCard, lambda encoder, _: JudgeNetwork(encoder), "judge")


LABELS: tuple[Judgement, ...] = ("entailed", "contradicted", "open")

# Statements of one file and purpose, under a name.
Group = tuple[str, list[Statement]]
# The label of pairs from binary sets: one of the two others, it is not said which.
_NOT_ENTAILED = len(LABELS)


def most_probable(verdict: Verdict) -> Judgement:
    """The label of a verdict."""
    return LABELS[max(range(3), key=lambda at: verdict[at])]


def scores_of(gold: Sequence[Label], found: Sequence[Judgement]) -> dict[str, Any]:
    """Accuracy, macro-F1 over the labels that are in either, and the F1 of each, in per cent; None for the others."""
    pairs = Counter(zip(gold, found, strict=True))
    f1 = {}
    for label in LABELS:
        meant = sum(count for (wanted, _), count in pairs.items() if wanted == label)
        said = sum(count for (_, given), count in pairs.items() if given == label)
        if meant or said:
            f1[label] = 200 * pairs[label, label] / (meant + said)
    right = sum(pairs[label, label] for label in LABELS)
    return {
        "accuracy": 100 * right / max(1, len(gold)),
        "macro_f1": sum(f1.values()) / max(1, len(f1)),
        **{f"{label}_f1": f1.get(label) for label in LABELS},
        "questions": len(gold),
    }


def figures_by_group(
    groups: Sequence[tuple[str, Sequence[Statement]]], found: Sequence[Sequence[Judgement]]
) -> dict[str, Any]:
    """For each group its scores, those of always the commonest label, and of the scenario's words for conditions."""
    figures: dict[str, Any] = {}
    for (name, statements), labels in zip(groups, found, strict=True):
        if not statements:
            continue
        gold = [statement.label for statement in statements]
        commonest: Judgement = max(LABELS, key=gold.count)
        figures[name] = {**scores_of(gold, labels), **_floor("majority", gold, [commonest] * len(gold))}
        if statements[0].purpose == "condition":
            by_words = [judge(statement.scenario, statement.statement) for statement in statements]
            figures[name] |= _floor("by_words", gold, by_words)
    return figures


def _floor(name: str, gold: Sequence[Label], found: Sequence[Judgement]) -> dict[str, float]:
    scores = scores_of(gold, found)
    return {f"{name}_{figure}": scores[figure] for figure in ("accuracy", "macro_f1")}


class JudgeSample(NamedTuple):
    """A premise with a statement, and the number of its label."""

    window: Window
    label: int

    @property
    def length(self) -> int:
        """Tokens of both."""
        return self.window.length


def judge_samples(
    pairs: Iterable[tuple[str, str, Label]], tokenizer: Tokenizer, max_question_tokens: int
) -> list[JudgeSample]:
    """Premises, statements and labels as tokens; those of which one is empty are left out."""
    samples = []
    for premise, statement, label in pairs:
        first = encode_question(tokenizer, premise, max_question_tokens)
        text = encode_text(tokenizer, statement)
        if len(first) and len(text):
            number = _NOT_ENTAILED if label == "not entailed" else LABELS.index(label)
            samples.append(JudgeSample(Window(0, first, text, 0, len(text)), number))
    return samples


class Judging(NetworkMethod[JudgeRecipe, JudgeNetwork, JudgeSample]):
    """A judge, its statements, and its measurement on what is held out."""

    card_file = CARD

    def __init__(self, recipe: JudgeRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe, new_judge(recipe.encoder, **encoder_settings(recipe)))
        self._sets: list[list[JudgeSample]] = []
        for data in recipe.data:
            statements = read_statements(
                data.format,
                data_root / data.path,
                recipe.seed,
                asked=data.asked,
                foreign=data.foreign,
                without=data.without,
            )
            kept = [
                one for one in statements if not (data.held_out and one.fold(recipe.folds) == recipe.fold)
            ]
            if not kept:
                raise CaveatError(f"{data_root / data.path} has no statement that a judge can be trained on.")
            held = len(statements) - len(kept)
            left_out = {"held out": held} if held else {}
            pairs = ((one.premise, one.statement, one.label) for one in kept)
            self._sets.append(judge_samples(pairs, self._tokenizer, recipe.max_question_tokens))
            self._use(data.path, len(kept), left_out, note)
            # In the log without those of which one part is empty.
            self._used[data.path]["questions"] = len(self._sets[-1])
        self._weights = self._label_weights()
        self._follow(self._sampler)
        self._groups = measured_groups(recipe, data_root)

    def loss(self, batch: Sequence[JudgeSample]) -> Tensor:
        """The loss of a batch."""
        arrays = collate([sample.window for sample in batch], self._layout)
        ids, *others = map(torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids))
        scores = torch.stack(self.network(self._masking(ids), *others), dim=-1)
        labels = torch.tensor([sample.label for sample in batch])
        return verdict_loss(scores, labels, self._weights, self.recipe.smoothing)

    def measure(self, *, final: bool) -> dict[str, Any]:
        """Accuracy and macro-F1 of all that is measured on; at the end of each group too, beside its floors."""
        tuning = self.recipe.tuning
        if tuning is None or not self._groups:
            return {}
        count = tuning.final_questions if final else tuning.questions
        groups = [(name, spread(of, count // len(self._groups))) for name, of in self._groups]
        verdicts = verdicts_by_group(judge_in_torch(self.network, self._tokenizer, self.recipe), groups)
        found = [[most_probable(verdict) for verdict in some] for some in verdicts]
        gold = [statement.label for _, some in groups for statement in some]
        scores = scores_of(gold, [label for some in found for label in some])
        return {**scores, **(figures_by_group(groups, found) if final else {})}

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        return (
            f"accuracy {scores['accuracy']:.2f}, macro-F1 {scores['macro_f1']:.2f} "
            f"on {scores['questions']:,} statements"
        )

    def _label_weights(self) -> Tensor:
        """What each label weighs: 1 on average over the statements of an epoch."""
        counts = torch.zeros(len(LABELS))
        for samples, data in zip(self._sets, self.recipe.data, strict=True):
            for sample in samples:
                if sample.label != _NOT_ENTAILED:
                    counts[sample.label] += data.weight
        shares = counts.clamp(min=1.0) / counts.sum()
        weights = shares**-self.recipe.balance
        return weights / (weights * shares).sum()

    def _sampler(self, number: int) -> JudgeEpochs:
        phase = self.recipe.phases[number]
        weighted = [
            (samples, data.weight) for samples, data in zip(self._sets, self.recipe.data, strict=True)
        ]
        return JudgeEpochs(weighted, phase.window - self._layout.specials, phase.stride)


def verdict_loss(scores: Tensor, labels: Tensor, weights: Tensor, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy; of a pair that is only known not to be entailed the two other verdicts together count as right."""
    known = labels < _NOT_ENTAILED
    parts = []
    if known.any():
        parts.append(
            torch.nn.functional.cross_entropy(
                scores[known], labels[known], weight=weights, label_smoothing=smoothing, reduction="sum"
            )
        )
    if not known.all():
        odds = torch.log_softmax(scores[~known], dim=-1)
        parts.append(-torch.logsumexp(odds[:, 1:], dim=-1).sum())
    return torch.stack(parts).sum() / len(labels)


class JudgeEpochs:
    """The statements of one phase; of one that is longer than a window another part each time."""

    def __init__(self, sets: Sequence[tuple[list[JudgeSample], float]], room: int, stride: int) -> None:
        self._sets, self._room, self._stride = sets, room, stride

    def epoch(self, seed: str) -> list[JudgeSample]:
        """The statements of an epoch, set after set."""
        draw = random.Random(seed)
        return [
            self._cut(sample, draw)
            for samples, weight in self._sets
            for part in repeated(samples, weight, draw)
            for sample in part
        ]

    def _cut(self, sample: JudgeSample, draw: random.Random) -> JudgeSample:
        window = sample.window
        cut = even_windows(len(window.text), self._room - len(window.question), self._stride)
        first, last = cut[0] if len(cut) == 1 else draw.choice(cut)
        return JudgeSample(window._replace(first=first, last=last), sample.label)


def judge_in_torch(network: JudgeNetwork, tokenizer: Tokenizer, recipe: JudgeRecipe) -> Judge:
    """The runtime's judge with the network itself in the place of an exported graph."""
    card = card_in_torch(recipe, TASK)
    return Judge(Path(), card, InTorch(network), tokenizer=tokenizer)


def measured_groups(recipe: JudgeRecipe, data_root: Path) -> list[Group]:
    """What the recipe is measured on, by file and purpose: the fold of its data, and its tuning file."""
    if recipe.tuning is None:
        return []
    files = [
        (
            Path(data.path),
            read_statements(data.format, data_root / data.path, recipe.seed, without=data.without),
        )
        for data in recipe.data
        if data.held_out
    ]
    held = [(path, [one for one in all if one.fold(recipe.folds) == recipe.fold]) for path, all in files]
    if recipe.tuning.path:
        for path in map(Path, (recipe.tuning.path, *recipe.tuning.also)):
            held.append((path, read_statements(recipe.tuning.format, data_root / path, recipe.seed)))
    groups = [
        (
            f"{path.name.partition('.')[0]} {purpose}s",
            [one for one in of if one.purpose == purpose and one.label != "not entailed"],
        )
        for path, of in held
        for purpose in ("condition", "answer")
    ]
    return [(name, of) for name, of in groups if of]


def verdicts_by_group(judge: Judge, groups: Sequence[Group]) -> list[list[Verdict]]:
    """The verdicts on the statements of each group, all through one queue."""
    found = judge.judge((one.premise, one.statement) for _, of in groups for one in of)
    coming = iter(found)
    return [[next(coming) for _ in of] for _, of in groups]
