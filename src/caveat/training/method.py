"""What methods of training share: how a network begins, its steps, what is used of its data, and how it is kept.

A kind adds its data, its network with the loss, and its measurement (`caveat.training.kinds.Method`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.models.encoding import PairLayout, pair_layout
from caveat.training.kinds import Note
from caveat.training.networks import (
    NetworkCard,
    begin_from,
    check_windows,
    folders_of,
    masking_of,
    save_network,
)
from caveat.training.recipe import Settings
from caveat.training.sampling import Epochs, Schedule, Sized, said

Recipe = TypeVar("Recipe", bound=Settings)
Network = TypeVar("Network", bound=nn.Module)
Each = TypeVar("Each", bound=Sized)


def begun(
    recipe: Settings, network: nn.Module, tokenizer: Tokenizer, part: str = "encoder."
) -> tuple[PairLayout, Callable[[Tensor], Tensor]]:
    """How a network's windows are laid out, and what is hidden of them; it begins where the recipe says.

    Of the models that the recipe starts from this part is taken: the heads of another kind do not fit.
    """
    if recipe.start:
        begin_from(network, *folders_of(recipe.start), part=part)
    check_windows(recipe, network)
    layout = pair_layout(tokenizer)
    return layout, masking_of(recipe, tokenizer, layout)


class ScheduledMethod(Generic[Recipe, Each]):
    """A recipe, the schedule of its steps (`_follow`), and what is used of each data set (`_use`)."""

    windows: int
    steps: int

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._used: dict[str, Any] = {}

    def _use(self, name: str, questions: int, left_out: Mapping[str, int], note: Note) -> None:
        """Say how much of a data set is used, here and in the log."""
        note(said(name, questions, left_out))
        self._used[name] = {"questions": questions, "left_out": left_out}

    def _follow(self, sampler: Callable[[int], Epochs[Each]]) -> None:
        """Plan all steps, over the samples of each phase, by its number."""
        self._schedule = Schedule(self.recipe.seed, self.recipe.phases, sampler)
        self.windows, self.steps = self._schedule.windows, self._schedule.steps

    def batches_from(self, step: int) -> Iterator[Sequence[Each]]:
        """The batches of step `step` and all after it."""
        return self._schedule.batches_from(step)

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        return self.recipe.tuning.every if self.recipe.tuning else 0

    def described(self) -> dict[str, Any]:
        """For each data set, by its path, how much of it is used."""
        return self._used


class NetworkMethod(ScheduledMethod[Recipe, Each], Generic[Recipe, Network, Each]):
    """A network on an encoder, with its tokenizer; what is saved of it is told by a card, a file of this name."""

    card_file: ClassVar[str]

    def __init__(self, recipe: Recipe, made: tuple[Network, Tokenizer], part: str = "encoder.") -> None:
        super().__init__(recipe)
        self.network, self._tokenizer = made
        self._layout, self._masking = begun(recipe, self.network, self._tokenizer, part)

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the network as it is, with its scores."""
        save_network(folder, self.network, self._tokenizer, self._card(scores), self.card_file)

    def _card(self, scores: dict[str, Any]) -> msgspec.Struct:
        return NetworkCard(recipe=msgspec.to_builtins(self.recipe), scores=scores)
