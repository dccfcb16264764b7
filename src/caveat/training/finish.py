"""From a training run to model folders, by the kind of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from caveat.core.errors import CaveatError
from caveat.models.card import Card
from caveat.training.export import Precision
from caveat.training.finishing import Wishes
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.kinds.judge.finish import finish_judge
from caveat.training.kinds.judge.recipe import JudgeRecipe
from caveat.training.kinds.ranker.finish import finish_ranker
from caveat.training.kinds.ranker.recipe import RankerRecipe
from caveat.training.kinds.reader.finish import finish_reader
from caveat.training.kinds.relations.network_recipe import RelationNetworkRecipe
from caveat.training.kinds.tagger.finish import finish_tagger
from caveat.training.recipe import AnyRecipe, Recipe

__all__ = ["finish"]


def finish(
    run_folder: Path,
    out: Path,
    recipe: AnyRecipe,
    *,
    data_root: Path = Path(),
    precisions: Sequence[Precision] = ("int8", "fp32"),
    calibration: Sequence[tuple[str, Path]] = (),
    compared: int = 300,
    threads: int | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    Each is calibrated and measured on the recipe's tuning data, a reader, where given, calibrated on the files of
    `calibration` (task, path); `compared` of the questions, 0 for all, are answered in torch as well, for what the
    export has cost. Models that predict in torch are not exported.
    """
    wishes = Wishes(data_root, precisions, compared, threads, note)
    if isinstance(recipe, Recipe):
        return finish_reader(run_folder, out, recipe, wishes, calibration)
    if calibration:
        raise CaveatError(f"A {recipe.kind} is calibrated on its own tuning data only.")
    if isinstance(recipe, RankerRecipe):
        return finish_ranker(run_folder, out, recipe, wishes)
    if isinstance(recipe, JudgeRecipe):
        return finish_judge(run_folder, out, recipe, wishes)
    if isinstance(recipe, ConditionalRecipe):
        note(f"{run_folder}: a model of conditional answers is not exported, it predicts in torch")
        return {}
    if isinstance(recipe, RelationNetworkRecipe):
        note(f"{run_folder}: a relation network is not exported, it decides in torch")
        return {}
    return finish_tagger(run_folder, out, recipe, wishes)
