"""A reader of the shape that a recipe asks for, and the losses beside its own that train it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from caveat.models.encoding import PairLayout, pair_layout
from caveat.training.kinds.reader.companions import AdversarialCompanion, Companion, heads_beside
from caveat.training.kinds.reader.distillation import Teaching
from caveat.training.kinds.reader.layers import BalanceCompanion, MixtureOfExperts
from caveat.training.kinds.reader.network import ReaderNetwork, new_reader
from caveat.training.kinds.reader.options import Shape
from caveat.training.kinds.reader.recipe import ReaderRecipe
from caveat.training.networks import encoder_settings

__all__ = ["companions_of", "reader_for", "teaching_of"]


def reader_for(recipe: ReaderRecipe) -> tuple[ReaderNetwork, Tokenizer]:
    """A fresh reader of the recipe's shape, with the heads of its training."""
    return new_reader(
        recipe.encoder,
        Shape(recipe.feeding, recipe.experts, recipe.frozen),
        lambda encoder: heads_beside(recipe, encoder),
        **encoder_settings(recipe),
    )


def companions_of(
    recipe: ReaderRecipe,
    network: ReaderNetwork,
    tokenizer: Tokenizer,
    root: Path,
    note: Callable[[str], None],
) -> list[Companion]:
    """The further losses that a recipe asks for."""
    found: list[Companion] = []
    heads: Any = network.companions
    # Before all others: they may have the experts read something else.
    for layer in network.layers:
        if isinstance(layer, MixtureOfExperts) and recipe.experts and recipe.experts.balance:
            found.append(BalanceCompanion(layer, recipe.experts.balance))
    if recipe.adversarial:
        found.append(AdversarialCompanion(heads["discriminator"], recipe.adversarial))
    if recipe.auxiliary:
        # What judges are trained with is a heavy import.
        from caveat.training.kinds.reader.auxiliary import (
            InferenceCompanion,
            MaskedWordsCompanion,
            RankingCompanion,
        )

        layout = pair_layout(tokenizer)
        if table := recipe.auxiliary.ranking:
            found.append(RankingCompanion(heads["ranking"], table.weight))
        if masked := recipe.auxiliary.masked:
            found.append(MaskedWordsCompanion(network.encoder, heads["masked"], tokenizer, layout, masked))
        if inference := recipe.auxiliary.inference:
            found.append(
                InferenceCompanion(
                    network,
                    heads["inference"],
                    tokenizer,
                    layout,
                    inference,
                    root=root,
                    seed=recipe.seed,
                    max_question_tokens=recipe.max_question_tokens,
                    note=note,
                )
            )
    return found


def teaching_of(recipe: ReaderRecipe, layout: PairLayout) -> Teaching | None:
    """The teachers of a recipe, if it has any."""
    if recipe.distillation is None:
        return None
    return Teaching(recipe.distillation, layout, no_answer=recipe.no_answer, threads=recipe.threads)
