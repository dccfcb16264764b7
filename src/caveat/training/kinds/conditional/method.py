"""What the methods of ConditionalQA's three families share: their questions, their schedule and their measurement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from torch import Tensor

from caveat.training.kinds.conditional.data import (
    ConditionalCard,
    ConditionalRecipe,
    Example,
    PageAnswers,
    best_threshold,
    figures_of,
    predictions_of,
    read_examples,
)
from caveat.training.method import ScheduledMethod
from caveat.training.sampling import Epochs, Sized, spread

__all__ = ["ConditionalMethod"]

Each = TypeVar("Each", bound=Sized)


class ConditionalMethod(ScheduledMethod[ConditionalRecipe, Each], ABC):
    """Questions with their pages, and the measurement on tuning questions; a family adds network, samples and loss."""

    def __init__(self, recipe: ConditionalRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe)
        self._examples = [read_examples(data, data_root, recipe.seed) for data in recipe.data]
        for data, examples in zip(recipe.data, self._examples, strict=True):
            self._use(data.path, len(examples), {}, note)
        self._tuning = read_examples(recipe.tuning, data_root, recipe.seed) if recipe.tuning else []
        self._threshold = 0.0
        self._follow(self._sampler)

    @abstractmethod
    def _sampler(self, number: int) -> Epochs[Each]:
        """The samples of a phase."""

    @abstractmethod
    def _found(self, examples: Sequence[Example]) -> list[PageAnswers]:
        """What the network, as it is, finds for each question."""

    @abstractmethod
    def loss(self, batch: Sequence[Each]) -> Tensor:
        """The loss of a batch."""

    def measure(self, *, final: bool) -> dict[str, Any]:
        """The task's figures; at the end the threshold of conditions is fitted to the same questions."""
        tuning = self.recipe.tuning
        if tuning is None:
            return {}
        some = spread(self._tuning, tuning.final_questions if final else tuning.questions)
        found = self._found(some)
        if final:
            self._threshold = best_threshold(some, found)
        questions = [example.question for example in some]
        return figures_of(questions, predictions_of(some, found, self._threshold))

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        total = scores["total"]
        return (
            f"EM/F1 {total['em']:.1f}/{total['f1']:.1f}, with conditions {total['em_with_conditions']:.1f}/"
            f"{total['f1_with_conditions']:.1f} on {scores['questions']:,} questions"
        )

    def _card(self, scores: dict[str, Any]) -> ConditionalCard:
        return ConditionalCard(self.recipe, scores, self._threshold)
