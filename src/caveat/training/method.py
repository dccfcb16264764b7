"""What the training loop wants of a method: one for each kind of model that can be trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor, nn

from caveat.core.errors import CaveatError
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.kinds.judge.recipe import JudgeRecipe
from caveat.training.kinds.ranker.recipe import RankerRecipe
from caveat.training.kinds.relations.network_recipe import RelationNetworkRecipe
from caveat.training.recipe import AnyRecipe, Recipe

__all__ = ["Method", "check_windows", "method_for", "said"]

Note = Callable[[str], None]


class Method(Protocol):
    """A network, the batches it learns from, and how it is measured.

    Its constructor loads everything, and draws what is random from torch's current seed.
    """

    # Windows and steps of the whole run.
    windows: int
    steps: int

    @property
    def network(self) -> nn.Module:
        """An encoder, under `encoder`, with heads."""
        ...

    def batches_from(self, step: int) -> Iterator[Sequence[Any]]:
        """The batches of step `step` and all after it."""
        ...

    def loss(self, batch: Sequence[Any]) -> Tensor:
        """The loss of a batch."""
        ...

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        ...

    def measure(self, *, final: bool) -> dict[str, Any]:
        """The scores on tuning data, on a part of it unless it is the end; empty where there is none."""
        ...

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        ...

    def described(self) -> dict[str, Any]:
        """For each data set, by its path, how much of it is used."""
        ...

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the network as it is, with its scores."""
        ...


def method_for(recipe: AnyRecipe, data_root: Path, note: Note) -> Method:
    """The method of a recipe."""
    if isinstance(recipe, Recipe):
        from caveat.training.kinds.reader.method import Extractive

        return Extractive(recipe, data_root, note)
    if isinstance(recipe, RankerRecipe):
        from caveat.training.kinds.ranker.method import Ranking

        return Ranking(recipe, data_root, note)
    if isinstance(recipe, JudgeRecipe):
        from caveat.training.kinds.judge.method import Judging

        return Judging(recipe, data_root, note)
    if isinstance(recipe, ConditionalRecipe):
        from caveat.training.kinds.conditional.families import conditional_method

        return conditional_method(recipe, data_root, note)
    if isinstance(recipe, RelationNetworkRecipe):
        from caveat.training.kinds.relations.network_method import Relating

        return Relating(recipe, data_root, note)
    from caveat.training.kinds.tagger.method import Labelling

    return Labelling(recipe, data_root, note)


def check_windows(recipe: AnyRecipe, network: Any) -> None:
    """Raise if the encoder does not take windows as wide as the recipe's."""
    limit = getattr(network.encoder.config, "max_position_embeddings", None)
    widest = max(
        [phase.window for phase in recipe.phases] + ([recipe.tuning.window] if recipe.tuning else [])
    )
    if limit is not None and widest > limit:
        raise CaveatError(
            f"The encoder {recipe.encoder!r} takes {limit} tokens, the recipe wants windows of {widest}."
        )


def said(path: str, questions: int, left_out: Mapping[str, int]) -> str:
    """What is used of a data set, in a sentence."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items())
    return f"{path}: {questions:,} questions" + (f" (left out: {reasons})" if reasons else "")
