"""The method that trains a joint reader, and how well it finds spans, verdicts and the windows that answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from caveat.core.errors import CaveatError
from caveat.training.kinds.joint.examples import VERDICTS, Example, read_examples
from caveat.training.kinds.joint.network import CARD, JointNetwork, SpansOnly, new_joint
from caveat.training.kinds.joint.recipe import JointDataSet, JointRecipe
from caveat.training.kinds.joint.windows import (
    ANY_BUT_YES,
    Batch,
    EncodedExample,
    JointEpochs,
    JointWindow,
    collate,
    encode_examples,
)
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.method import measure, some_questions
from caveat.training.kinds.reader.recipe import ReaderTuning
from caveat.training.method import NetworkMethod
from caveat.training.networks import encoder_settings
from caveat.training.sampling import spread

_YES, _SPAN = VERDICTS.index("yes"), VERDICTS.index("span")
# Verdicts among which a statement's is chosen.
_JUDGED = [VERDICTS.index(name) for name in ("yes", "no", "none")]


class JointReading(NetworkMethod[JointRecipe, JointNetwork, JointWindow]):
    """A joint reader, its examples, and its measurement on what is held out."""

    card_file = CARD

    def __init__(self, recipe: JointRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        # It begins with all of an earlier run, heads included.
        super().__init__(recipe, new_joint(recipe.encoder, **encoder_settings(recipe)), part="")
        self._data_root = data_root
        self._sets: list[list[EncodedExample]] = []
        for data in recipe.data:
            kept = [
                one for one in read_examples(data, data_root, recipe.seed) if not self._held_out(data, one)
            ]
            encoded, left_out = encode_examples(kept, self._tokenizer)
            if not encoded:
                raise CaveatError(f"{data.path} has nothing to learn from.")
            self._sets.append(encoded)
            self._use(data.key, len(encoded), left_out, note)
        self._follow(self._epochs)

    def _held_out(self, data: JointDataSet, example: Example) -> bool:
        return data.held_out and example.fold(self.recipe.folds) == self.recipe.fold

    def _epochs(self, number: int) -> JointEpochs:
        phase = self.recipe.phases[number]
        return JointEpochs(
            [(examples, data.weight) for examples, data in zip(self._sets, self.recipe.data, strict=True)],
            self._tokenizer,
            room=phase.window - self._layout.specials,
            stride=phase.stride,
            max_question_tokens=self.recipe.max_question_tokens,
            negatives=self.recipe.negatives,
            typed=self.recipe.typed,
        )

    def loss(self, batch: Sequence[JointWindow]) -> Tensor:
        """The loss of a batch."""
        tensors = collate(batch, self._layout)
        found = self.network(self._masking(tensors.input_ids), tensors.attention_mask, tensors.token_type_ids)
        return joint_loss(
            found,
            tensors,
            smoothing=self.recipe.smoothing,
            verdict_weight=self.recipe.verdict_weight,
            token_weight=self.recipe.token_weight,
            condition_weight=self.recipe.condition_weight,
        )

    def measure(self, *, final: bool) -> dict[str, Any]:
        """For each file, and each fold that is held out, its scores."""
        tuning = self.recipe.tuning
        if tuning is None:
            return {}
        count = tuning.final_questions if final else tuning.questions
        scores: dict[str, Any] = {}
        held = [data for data in self.recipe.data if data.held_out and self.recipe.fold >= 0]
        for data in (*tuning.files, *held):
            name = f"{data.name or data.path}{' (' + data.language + ')' if data.language else ''}"
            if data in tuning.files and data.format in ("squad", "mrqa"):
                scores[name] = self._span_scores(data, count)
            else:
                examples = read_examples(data, self._data_root, self.recipe.seed)
                chosen = [one for one in examples if data not in held or self._held_out(data, one)]
                scores[name] = self._verdict_scores(spread(chosen, count))
        return scores

    def _span_scores(self, data: JointDataSet, count: int) -> dict[str, Any]:
        tuning = self.recipe.tuning
        assert tuning is not None
        passages = list(read_passages(self._data_root / data.path))
        how = ReaderTuning(
            path=data.path,
            metric=tuning.metric,
            window=tuning.window,
            stride=tuning.stride,
            max_answer_tokens=tuning.max_answer_tokens,
        )
        spans: Any = SpansOnly(self.network)
        chosen = some_questions(passages, count)
        return measure(spans, self._tokenizer, chosen, how, self.recipe.max_question_tokens)

    def _verdict_scores(self, examples: Sequence[Example]) -> dict[str, Any]:
        """How often the verdict on a window with what decides is right, and of spans whether they are found."""
        encoded, _ = encode_examples([one for one in examples if one.verdict is not None], self._tokenizer)
        tuning = self.recipe.tuning
        assert tuning is not None
        epochs = JointEpochs(
            [(encoded, 1.0)],
            self._tokenizer,
            room=tuning.window - self._layout.specials,
            stride=tuning.stride,
            max_question_tokens=self.recipe.max_question_tokens,
            negatives=0.0,
            typed=0.0,
        )
        windows = sorted(epochs.epoch("measured"), key=lambda window: window.length)
        judged = all(window.label in _JUDGED for window in windows)
        right = {number: [0, 0] for number in range(len(VERDICTS))}
        spans = [0, 0]
        was_training = self.network.training
        self.network.eval()
        for begin in range(0, len(windows), 16):
            part = windows[begin : begin + 16]
            batch = collate(part, self._layout)
            with torch.inference_mode():
                start, end, verdict, *_ = self.network(
                    batch.input_ids, batch.attention_mask, batch.token_type_ids
                )
            if judged:
                hidden = torch.full_like(verdict, -torch.inf)
                hidden[:, _JUDGED] = verdict[:, _JUDGED]
                verdict = hidden
            for row, window in enumerate(part):
                right[window.label][0] += int(verdict[row].argmax() == window.label)
                right[window.label][1] += 1
                if window.label == _SPAN:
                    inside = batch.allowed[row]
                    first = start[row].masked_fill(~inside, -torch.inf).argmax()
                    last = end[row].masked_fill(~inside, -torch.inf).argmax()
                    spans[0] += int(first == batch.starts[row] and last == batch.ends[row])
                    spans[1] += 1
        self.network.train(was_training)
        scores: dict[str, Any] = {
            name: round(100 * right[number][0] / right[number][1], 2)
            for number, name in enumerate(VERDICTS)
            if right[number][1]
        }
        if spans[1]:
            scores["spans exact"] = round(100 * spans[0] / spans[1], 2)
        total = sum(each[0] for each in right.values())
        return {"accuracy": 100 * total / max(1, len(windows)), **scores, "questions": len(windows)}

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        parts = []
        for name, each in scores.items():
            figure = "f1" if "f1" in each else "accuracy"
            parts.append(f"{name} {figure} {each[figure]:.1f}")
        return "; ".join(parts)


def joint_loss(
    found: Sequence[Tensor],
    batch: Batch,
    *,
    smoothing: float,
    verdict_weight: float,
    token_weight: float,
    condition_weight: float,
) -> Tensor:
    """The mean loss of start and end, of the verdict, and of the tokens of evidence, answers and conditions.

    Of an example that is only known not to be yes all other verdicts together count as right. A list has no one
    span, and a statement asks for none: their spans teach nothing.
    """
    start, end, verdict, evidence, answers, conditions = found
    positions = batch.allowed.clone()
    positions[:, 0] = True
    spanned = (batch.labels == _SPAN) | (batch.labels == VERDICTS.index("none"))
    parts = []
    if spanned.any():
        for scores, targets in ((start, batch.starts), (end, batch.ends)):
            masked = scores.masked_fill(~positions, -1e4)[spanned]
            parts.append(0.5 * cross_entropy(masked, targets[spanned], reduction="sum") / len(batch.labels))
    known = batch.labels < ANY_BUT_YES
    verdicts = []
    if known.any():
        verdicts.append(
            cross_entropy(verdict[known], batch.labels[known], label_smoothing=smoothing, reduction="sum")
        )
    if not known.all():
        odds = torch.log_softmax(verdict[~known], dim=-1)
        others = [number for number in range(len(VERDICTS)) if number != _YES]
        verdicts.append(-torch.logsumexp(odds[:, others], dim=-1).sum())
    parts.append(verdict_weight * torch.stack(verdicts).sum() / len(batch.labels))
    for scores, targets, counted, often in (
        (evidence, batch.evidence, batch.evidence_known, 1.0),
        (answers, batch.answers, batch.answers_known, 1.0),
        (conditions, batch.conditions, batch.conditions_known, condition_weight),
    ):
        if counted.any():
            inside = batch.allowed & counted[:, None]
            positive = torch.tensor(often)
            loss = binary_cross_entropy_with_logits(scores[inside], targets[inside], pos_weight=positive)
            parts.append(token_weight * loss)
    return torch.stack(parts).sum()
