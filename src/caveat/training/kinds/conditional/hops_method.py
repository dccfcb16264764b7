"""The method that trains the three steps together, and the trained network at work on pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
)
from caveat.models.decoding import best_spans
from caveat.models.encoding import PairLayout, answer_characters, pair_layout
from caveat.models.windows import Window, batches, collate
from caveat.training.kinds.conditional.data import (
    ConditionalRecipe,
    Example,
    PageAnswers,
    examples_of,
    predictions_of,
)
from caveat.training.kinds.conditional.hops import (
    Hops,
    HopSample,
    HopSampler,
    PageScores,
    PageTexts,
    load_hops,
    new_hops,
    save_hops,
)
from caveat.training.kinds.conditional.method import ConditionalMethod
from caveat.training.kinds.conditional.pipeline import KINDS
from caveat.training.method import begun

__all__ = ["Hopping", "predict_hops"]

# What goes through the encoder at once: at most this many tokens, of which at most this share is padding.
_TOKENS, _PADDING = 2048, 0.15
# In how many of the elements that may hold the answer a span is looked for, and how many spans are tried in each.
_HOLDING, _SPANS = 3, 5


class Hopping(ConditionalMethod[HopSample]):
    """The three steps, their pages, and their measurement on whole ones."""

    def __init__(self, recipe: ConditionalRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        self.network, self._tokenizer = new_hops(recipe)
        self._layout, self._masking = begun(recipe, self.network, self._tokenizer)
        super().__init__(recipe, data_root, note)

    def loss(self, batch: Sequence[HopSample]) -> Tensor:
        """The mean over pages of what all three steps and the answer cost."""
        windows = [window for sample in batch for window in (sample.question, *sample.elements)]
        vectors, tokens = _represented(self.network, windows, self._layout, self._masking)
        total, at = vectors.new_zeros(()), 0
        for sample in batch:
            last = at + 1 + len(sample.elements)
            scores = self.network.hop(vectors[at], vectors[at + 1 : last])
            total = total + _page_loss(self.network, sample, scores, tokens[at + 1 : last])
            at = last
        return total / len(batch)

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the network as it is, with its scores."""
        save_hops(folder, self.network, self._tokenizer, self._card(scores))

    def _found(self, examples: Sequence[Example]) -> list[PageAnswers]:
        return _hopped(self.network, self._tokenizer, self.recipe, examples)

    def _sampler(self, number: int) -> HopSampler:
        recipe, phase = self.recipe, self.recipe.phases[number]
        texts = PageTexts(self._tokenizer, phase.window - self._layout.specials, recipe.max_question_tokens)
        return HopSampler(
            [(of, data.weight) for of, data in zip(self._examples, recipe.data, strict=True)], texts
        )


def predict_hops(
    folder: Path, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> list[ConditionalPrediction]:
    """The predictions of a network that a run has saved, in the task's layout."""
    network, tokenizer, card = load_hops(folder)
    examples = examples_of(questions, documents)
    return predictions_of(examples, _hopped(network, tokenizer, card.recipe, examples), card.threshold)


def _represented(
    network: Hops, windows: Sequence[Window], layout: PairLayout, masking: Callable[[Tensor], Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """Each text's mean state, and the states of its own tokens; texts of one length go through together."""
    parts = batches([window.length for window in windows], tokens=_TOKENS, padding=_PADDING)
    vectors: list[Tensor] = [torch.empty(0)] * len(windows)
    tokens: list[Tensor] = [torch.empty(0)] * len(windows)
    for part in parts:
        arrays = collate([windows[place] for place in part], layout)
        ids, mask, types = map(
            torch.from_numpy, (arrays.input_ids, arrays.attention_mask, arrays.token_type_ids)
        )
        found = network.encode(masking(ids), mask, types)
        weights = mask.unsqueeze(-1).to(found.dtype)
        means = (found * weights).sum(1) / weights.sum(1)
        for row, (place, begin) in enumerate(zip(part, arrays.context, strict=True)):
            window = windows[place]
            vectors[place] = means[row]
            tokens[place] = found[row, begin : begin + window.last - window.first]
    return torch.stack(vectors), tokens


def _page_loss(network: Hops, sample: HopSample, scores: PageScores, tokens: Sequence[Tensor]) -> Tensor:
    """What the three steps cost on a page: any of the evidences will do, and any element that holds the answer."""
    total = functional.cross_entropy(scores.kinds, torch.tensor(sample.kind))
    for weights, right in ((scores.evidence, sample.evidences), (scores.answer, sample.holding)):
        if right:
            total = total - torch.logsumexp(weights[list(right)], dim=0)
    wanted = torch.zeros_like(scores.conditions)
    wanted[list(sample.conditions)] = 1.0
    each = functional.binary_cross_entropy_with_logits(scores.conditions, wanted, reduction="none")
    # Few elements are conditions: they weigh as much as all others together.
    for some in (each[wanted == 1], each[wanted == 0]):
        if len(some):
            total = total + some.mean()
    if sample.span:
        element = sample.holding[0]
        first = sample.elements[element].first
        starts, ends = network.spans(tokens[element], scores.query)
        total = total + functional.cross_entropy(starts, torch.tensor(sample.span[0] - first))
        total = total + functional.cross_entropy(ends, torch.tensor(sample.span[1] - 1 - first))
    return total


def _hopped(
    network: Hops, tokenizer: Tokenizer, recipe: ConditionalRecipe, examples: Sequence[Example]
) -> list[PageAnswers]:
    layout = pair_layout(tokenizer)
    shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)
    texts = PageTexts(tokenizer, shape.window - layout.specials, recipe.max_question_tokens)
    was_training = network.training
    network.eval()
    # The elements of a page are encoded once for all questions on it.
    pages: dict[tuple[str, ...], tuple[tuple[Window, ...], Tensor, list[Tensor]]] = {}
    found = []
    try:
        with torch.inference_mode():
            for example in examples:
                contents = example.page.contents
                if not contents:
                    found.append(PageAnswers())
                    continue
                if contents not in pages:
                    windows = texts.elements(example)
                    pages[contents] = windows, *_represented(network, windows, layout, _as_it_is)
                windows, elements, tokens = pages[contents]
                question, _ = _represented(network, [texts.question(example)], layout, _as_it_is)
                scores = network.hop(question[0], elements)
                answer = _answer(network, example, scores, windows, tokens, recipe.max_answer_tokens)
                odds = tuple(scores.conditions.tolist())
                found.append(PageAnswers((ConditionalAnswer(answer),), odds) if answer else PageAnswers())
    finally:
        network.train(was_training)
    return found


def _as_it_is(ids: Tensor) -> Tensor:
    return ids


def _answer(
    network: Hops,
    example: Example,
    scores: PageScores,
    windows: Sequence[Window],
    tokens: Sequence[Tensor],
    longest: int,
) -> str:
    """Yes, no, the best span of the elements that most probably hold the answer, or nothing."""
    kind = KINDS[int(scores.kinds.argmax())]
    if kind != "span":
        return "" if kind == "none" else kind
    for at in scores.answer.argsort(descending=True)[:_HOLDING].tolist():
        if not len(tokens[at]):
            continue
        starts, ends = network.spans(tokens[at], scores.query)
        window = windows[at]
        # Before its own words stands what introduces an element.
        own = len(window.text.text) - len(example.page.texts[at])
        for span in best_spans(starts.numpy(), ends.numpy(), longest, _SPANS):
            start, end = answer_characters(window.text, span.first + window.first, span.last + window.first)
            if own <= start < end:
                return window.text.text[start:end]
    return ""
