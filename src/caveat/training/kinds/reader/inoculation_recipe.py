"""Recipes that measure what a few examples of a target domain do for a reader that was trained on others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

__all__ = ["InoculationRecipe", "InoculationTarget", "inoculation_problems"]


class InoculationTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of another domain, which examples are taken of, and the rest of which is measured on."""

    path: str
    # Told by the name where it is left out.
    format: Literal["squad", "mrqa"] | None = None
    name: str = ""


class InoculationRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a measurement."""

    kind: Literal["inoculation"]
    # The folder of a finished run that trained a reader; its own recipe is in it.
    run: str
    # The target, or several, each a measurement of its own.
    data: tuple[InoculationTarget, ...]
    # So many examples are trained on, one reader for each number; 0 is the reader as it was.
    examples: tuple[int, ...] = (0, 10, 50, 200, 400)
    epochs: float = 5.0
    batch_size: int = 8
    # A fraction of the run's own: there is less to learn.
    learning_rate: float = 0.2
    # Questions of the target, not among the examples, and of the run's tuning file that are measured; 0 means all.
    questions: int = 1_000
    seed: int = 1
    threads: int = 0


def inoculation_problems(recipe: InoculationRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.run:
        yield "run names the folder of a finished run: --set run=DIR"
    if not recipe.examples or min(recipe.examples) < 0:
        yield "examples are numbers from 0 on, at least one"
    if recipe.epochs <= 0 or recipe.batch_size < 1 or recipe.learning_rate <= 0 or recipe.questions < 0:
        yield "epochs, batch_size and learning_rate must be above 0, questions not below it"
