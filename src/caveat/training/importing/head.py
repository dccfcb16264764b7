"""A checkpoint's model with our outputs, and the graph that was made of it beside the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from caveat.models.windowed_model import ReadRequest, Windowed
from caveat.models.windows import Window
from caveat.training.importing.tasks import ImportTask

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from caveat.models.card import Card
    from caveat.models.session import Session

# The score of a label that a checkpoint does not have.
_NEVER = -1e4


class Head(nn.Module):
    """A model of transformers, given its inputs by name, with the outputs of a task, in their order."""

    def __init__(self, model: Any, outputs: Sequence[str], numbers: Sequence[int | None] | None) -> None:
        super().__init__()
        self.model, self.outputs, self.numbers = model, tuple(outputs), numbers

    def forward(self, **given: Tensor) -> tuple[Tensor, ...]:
        """The scores: [batch, length] each, [batch] each, or one of [batch, length, columns]."""
        found = self.model(**given)
        if self.numbers is None:
            return tuple(getattr(found, name) for name in self.outputs)
        logits = found.logits
        columns = [
            torch.full_like(logits[..., 0], _NEVER) if number is None else logits[..., number]
            for number in self.numbers
        ]
        return (torch.stack(columns, dim=-1),) if logits.dim() == 3 else tuple(columns)


class _Both:
    """The outputs of a graph, then those of the model that it was made of."""

    def __init__(self, session: Session, head: Head, inputs: Sequence[str]) -> None:
        self._session, self._head, self._inputs = session, head, inputs

    def run(
        self,
        input_ids: NDArray[np.int64],
        attention_mask: NDArray[np.int64],
        token_type_ids: NDArray[np.int64],
    ) -> tuple[NDArray[np.float32], ...]:
        arrays = {"input_ids": input_ids, "attention_mask": attention_mask, "token_type_ids": token_type_ids}
        with torch.inference_mode():
            theirs = self._head(**{name: torch.from_numpy(arrays[name]) for name in self._inputs})
        ours = self._session.run(input_ids, attention_mask, token_type_ids)
        return (*ours, *(scores.numpy() for scores in theirs))


class _Compared(Windowed):
    """Every window read by the graph and by the model."""

    def compare(self, task: ImportTask, requests: Sequence[ReadRequest]) -> dict[str, Any]:
        largest = 0.0

        def look(window: Window, begin: int, rows: Sequence[NDArray[np.float32]]) -> Any:
            nonlocal largest
            halves = rows[: len(task.outputs)], rows[len(task.outputs) :]
            differences = (float(np.abs(a - b).max()) for a, b in zip(*halves, strict=True))
            largest = max(largest, *differences)
            context = slice(begin, begin + window.last - window.first)
            return tuple(task.found(half, context, self.card) for half in halves)

        found = [each for windows in self._by_request(requests, look) for _, each in windows]
        return {"windows": len(found), task.same: task.agreement(found), "largest_difference": largest}


def compare(
    task: ImportTask,
    folder: Path,
    card: Card,
    session: Session,
    head: Head,
    inputs: Sequence[str],
    pairs: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """How far the graph's scores are from the model's on the pairs, and how often what is found is the same."""
    both = _Both(session, head, inputs)
    return _Compared(folder, card, both).compare(task, [ReadRequest(*pair) for pair in pairs])
