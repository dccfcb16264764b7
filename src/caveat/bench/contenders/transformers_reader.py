"""transformers' AutoModelForQuestionAnswering in a loop over windows: tokenised together, sorted, batched, searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import bert_models
import numpy as np
import torch
from request_lines import Answer, Settings, serve
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

__all__ = ["best_span", "load"]

# Windows of a batch, pairs that are tokenised at a time, starts and ends that are combined into spans.
_BATCH, _TOGETHER, _BEST = 16, 256, 20
_INPUTS = ("input_ids", "token_type_ids", "attention_mask")


def load(settings: Settings) -> Answer:
    """The model in float32 and its tokenizer."""
    torch.set_num_threads(settings["threads"])
    bert_models.register()
    model, loaded = AutoModelForQuestionAnswering.from_pretrained(settings["model"], output_loading_info=True)
    if wrong := [*loaded["missing_keys"], *loaded["unexpected_keys"]]:
        raise RuntimeError(f"weights that are missing or not expected: {sorted(wrong)}")
    model.eval()
    tokenizer = AutoTokenizer.from_pretrained(settings["model"])

    def answer(pairs: Sequence[tuple[str, str]]) -> list[str]:
        return [
            text
            for begin in range(0, len(pairs), _TOGETHER)
            for text in _answer(model, tokenizer, pairs[begin : begin + _TOGETHER], settings)
        ]

    return answer


def _answer(model: Any, tokenizer: Any, pairs: Sequence[tuple[str, str]], settings: Settings) -> list[str]:
    encoded = tokenizer(
        [question for question, _ in pairs],
        [text for _, text in pairs],
        truncation="only_second",
        max_length=settings["window"],
        stride=settings["overlap"],
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    pair_of = encoded["overflow_to_sample_mapping"]
    order = sorted(range(len(pair_of)), key=lambda window: len(encoded["input_ids"][window]))
    best = [-math.inf] * len(pairs)
    texts = [""] * len(pairs)
    for begin in range(0, len(order), _BATCH):
        batch = order[begin : begin + _BATCH]
        inputs = {name: [encoded[name][window] for window in batch] for name in _INPUTS}
        with torch.inference_mode():
            found = model(**tokenizer.pad(inputs, return_tensors="pt"))
        starts, ends = found.start_logits.numpy(), found.end_logits.numpy()
        for row, window in enumerate(batch):
            segments = encoded.sequence_ids(window)
            first = segments.index(1)
            context = slice(first, first + segments.count(1))
            score, start, end = best_span(
                starts[row, context], ends[row, context], settings["longest_answer"]
            )
            # Against "no answer", which makes windows comparable.
            score -= float(starts[row, 0] + ends[row, 0])
            pair = pair_of[window]
            if score > best[pair]:
                offsets = encoded["offset_mapping"][window]
                best[pair] = score
                texts[pair] = pairs[pair][1][offsets[first + start][0] : offsets[first + end][1]]
    return texts


def best_span(starts: Any, ends: Any, longest: int) -> tuple[float, int, int]:
    """The best span of the most probable starts and ends, which is at most `longest` tokens long."""
    first = np.argsort(starts)[::-1][:_BEST]
    last = np.argsort(ends)[::-1][:_BEST]
    scores = starts[first][:, None] + ends[last][None, :]
    tokens = last[None, :] - first[:, None] + 1
    scores[(tokens < 1) | (tokens > longest)] = -np.inf
    row, column = np.unravel_index(int(scores.argmax()), scores.shape)
    return float(scores[row, column]), int(first[row]), int(last[column])


if __name__ == "__main__":
    serve(load, ["transformers", "torch"])
