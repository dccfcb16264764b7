"""A mixture of experts behind the encoder, after CLER: small networks, and a gate that mixes them for each window."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from caveat.training.kinds.reader.companions import Reading
from caveat.training.kinds.reader.options import Experts

__all__ = ["BalanceCompanion", "MixtureOfExperts", "imbalance"]


def imbalance(gates: Tensor) -> Tensor:
    """The squared variation of how much each expert is used in a batch: variance by squared mean.

    0 where all are used alike, one less than their number where one is used alone (Shazeer et al. 2017, section 4).
    """
    used = gates.sum(dim=0)
    return used.var(unbiased=False) / used.mean().square()


class MixtureOfExperts(nn.Module):
    """Each state and what the experts make of it, mixed by a gate on the window's first token."""

    def __init__(self, encoder: Any, table: Experts) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        hidden = table.width or width
        self.gate = nn.Linear(width, table.count)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
            for _ in range(table.count)
        )
        self.norm = nn.LayerNorm(width)
        # Those of the last batch, for the loss that keeps them even.
        self.gates = torch.empty(0)

    def forward(self, states: Tensor, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """The states, with what the experts add."""
        gates = torch.softmax(self.gate(states[:, :1]), dim=-1)
        self.gates = gates[:, 0]
        said = torch.stack([expert(states) for expert in self.experts], dim=-1)
        mixed: Tensor = self.norm(states + (said * gates.unsqueeze(2)).sum(dim=-1))
        return mixed


class BalanceCompanion:
    """Keeps the gate from always choosing the same expert."""

    def __init__(self, experts: MixtureOfExperts, weight: float) -> None:
        self._experts, self._weight = experts, weight

    def loss(self, reading: Reading) -> Tensor:
        """Of the gates with which the batch was read."""
        return self._weight * imbalance(self._experts.gates)
