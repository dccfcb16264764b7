"""Windows as tensors: padded to the longest of their batch, with the positions that an answer may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from caveat.models.encoding import PairLayout
from caveat.training.kinds.reader.samples import Sample

__all__ = ["Batch", "collate"]


class Batch(NamedTuple):
    """Inputs of a reader, the allowed positions (0 and the context), and the targets."""

    input_ids: Tensor
    attention_mask: Tensor
    token_type_ids: Tensor
    allowed: Tensor
    starts: Tensor
    ends: Tensor


def collate(samples: Sequence[Sample], layout: PairLayout) -> Batch:
    """The samples of a batch as tensors."""
    longest = max(sample.length for sample in samples) + layout.specials
    ids, mask, types, allowed, starts, ends = [], [], [], [], [], []
    for sample in samples:
        question = [*layout.before, *sample.question, *layout.between]
        context = sample.passage.ids[sample.first : sample.last]
        begin = len(question)
        row = [*question, *context, *layout.after]
        padding = longest - len(row)
        ids.append(row + [layout.pad] * padding)
        mask.append([1] * len(row) + [0] * padding)
        types.append(
            [layout.question_type] * begin + [layout.context_type] * (len(row) - begin) + [0] * padding
        )
        allowed.append(
            [True]
            + [False] * (begin - 1)
            + [True] * len(context)
            + [False] * (longest - begin - len(context))
        )
        if sample.answer is None:
            starts.append(0)
            ends.append(0)
        else:
            starts.append(begin + sample.answer[0] - sample.first)
            ends.append(begin + sample.answer[1] - 1 - sample.first)
    return Batch(
        torch.tensor(ids),
        torch.tensor(mask),
        torch.tensor(types),
        torch.tensor(allowed),
        torch.tensor(starts),
        torch.tensor(ends),
    )
