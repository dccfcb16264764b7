"""Who trains: one process, or several that each take a share of every batch and step alike (torch's DDP)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from caveat.training.kinds import Method


class Sharing(Protocol):
    """How the work of a step is shared; one of those who share it leads, and writes what is to be written."""

    leads: bool

    def reseed(self, seed: int, step: int) -> None:
        """Let what is random in the network be another's than that of the others."""
        ...

    def losses(self, method: Method) -> Callable[[Any], Tensor]:
        """From a batch to the loss that is stepped down here; over all who share, its mean is that of the batch."""
        ...

    def mean(self, loss: float) -> float:
        """The loss of the whole batch."""
        ...


class _Alone:
    leads = True

    def reseed(self, seed: int, step: int) -> None:
        """Nobody else draws."""

    def losses(self, method: Method) -> Callable[[Any], Tensor]:
        """That of the whole batch."""
        return method.loss

    def mean(self, loss: float) -> float:
        """It is that already."""
        return loss


ALONE: Sharing = _Alone()


class _Loss(nn.Module):
    """A method's loss as a module, which is what DDP wraps; its parameters are the network's."""

    def __init__(self, method: Method) -> None:
        super().__init__()
        self.network, self._method = method.network, method

    def forward(self, batch: Sequence[Any]) -> Tensor:
        return self._method.loss(batch)


class Together:
    """One of the processes of torch's process group."""

    def __init__(self) -> None:
        self._rank, self._size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        self.leads = self._rank == 0

    def reseed(self, seed: int, step: int) -> None:
        """Each hides and drops other things; the one that leads goes on as the checkpoint says."""
        if not self.leads:
            torch.manual_seed(hash((seed, self._rank, step)))

    def losses(self, method: Method) -> Callable[[Any], Tensor]:
        """That of every so manieth window, weighted by how many these are of the batch."""
        # A batch need not have something for every head.
        wrapped = nn.parallel.DistributedDataParallel(_Loss(method), find_unused_parameters=True)

        def loss(batch: Sequence[Any]) -> Tensor:
            share = batch[self._rank :: self._size]
            # A batch that is too small for all: its first window counts for nothing here.
            weight = self._size * len(share) / len(batch)
            mine: Tensor = wrapped(share if len(share) else batch[:1])
            return weight * mine

        return loss

    def mean(self, loss: float) -> float:
        """The mean of all."""
        total = torch.tensor(loss, dtype=torch.float64)
        torch.distributed.all_reduce(total)
        return float(total) / self._size
