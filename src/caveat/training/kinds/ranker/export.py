"""From a ranker's training run to model folders: export, combination with lexical evidence, figures, the card.

The figures of the combination are by cross-validation on the tuning lists; the weights that are kept are fitted to all
of them, so that `caveat predict` on the tuning file itself scores a little higher than the card says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.answerers.ranking.combination import COMBINATION, write_combinations
from caveat.answerers.ranking.evidence import BY_RANKER, CandidateList, Evidence
from caveat.answerers.ranking.features import Floats
from caveat.models.card import Card, write_card
from caveat.models.ranker import TASK, Ranker
from caveat.models.session import RANK_OUTPUTS
from caveat.training.cards import network_of_run
from caveat.training.export import ExportSettings
from caveat.training.kinds.ranker.data import RankerRecipe
from caveat.training.kinds.ranker.lexical import BASELINES, Featured, cross_validated, figures_of, fit
from caveat.training.kinds.ranker.method import load_ranker, new_ranker, ranker_in_torch, tuning_lists
from caveat.training.networks import encoder_settings
from caveat.training.sampling import spread

_TASKS = {"sentences": "nlpcc-dbqa", "tables": "nlpcc-tbqa"}


def export_ranker(
    recipe: RankerRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    Each gets the weights of its combination with lexical evidence, and figures on the tuning lists; some of
    them are scored in torch as well, for what the export has cost.
    """
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_ranker(model)[:2],
        new=lambda: new_ranker(recipe.encoder, **encoder_settings(recipe)),
    )
    lists = tuning_lists(recipe, settings.data_root)
    card = trained.card(
        recipe,
        run_folder,
        TASK,
        tuning_questions=len(lists),
        neighbours=recipe.neighbours,
        null="none",
    )
    some = spread(lists, settings.compared)
    reference = _scored(ranker_in_torch(trained.network, trained.tokenizer, recipe), some)

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        measured = _measured(folder, exported, recipe, lists, some, reference, settings.threads)
        return measured, _shown(measured, _TASKS[recipe.candidates])

    return trained.export(
        RANK_OUTPUTS, out, settings, card, measure if recipe.tuning and lists else None, first_token_only=True
    )


def _measured(
    folder: Path,
    card: Card,
    recipe: RankerRecipe,
    lists: Sequence[CandidateList],
    some: Sequence[CandidateList],
    reference: Sequence[Floats],
    threads: int | None,
) -> Card:
    """The card with its figures, written to the folder, beside the combination."""
    tuning = recipe.tuning
    assert tuning is not None
    ranker = Ranker.load(folder, threads=threads)
    featured: list[Featured] = list(Evidence().of(lists, ranker))
    combined = cross_validated(featured, l2=tuning.l2, folds=tuning.folds)
    figures = {
        **{name: _by_column(featured, name) for name in BASELINES},
        "ranker": _by_column(featured, BY_RANKER[0]),
        "combined": figures_of(lists, combined),
    }
    about = {"fitted_to": tuning.name or tuning.path, "questions": len(lists), "folds": tuning.folds}
    kept = fit(featured, l2=tuning.l2)
    write_combinations(folder / COMBINATION, {recipe.candidates: kept}, {**about, "figures": figures})
    export = _compared(some, _scored(ranker, some), reference)
    more = {_TASKS[recipe.candidates]: figures, "export": export}
    return write_card(folder, msgspec.structs.replace(card, figures={**card.figures, **more}))


def _by_column(featured: Sequence[Featured], name: str) -> dict[str, Any]:
    return figures_of([of for of, _ in featured], [features.column(name) for _, features in featured])


def _scored(ranker: Ranker, lists: Sequence[CandidateList]) -> list[Floats]:
    return [features.column(BY_RANKER[0]) for _, features in Evidence().of(lists, ranker)]


def _compared(
    lists: Sequence[CandidateList], scores: Sequence[Floats], reference: Sequence[Floats]
) -> dict[str, Any]:
    """What the export has cost, on the questions that torch has scored too."""
    in_torch, exported = (figures_of(lists, found)["mrr"] for found in (reference, scores))
    same = sum(
        int(ours.argmax()) == int(theirs.argmax()) for ours, theirs in zip(scores, reference, strict=True)
    )
    return {
        "questions": len(lists),
        "same_answers": 100 * same / len(lists),
        "mrr_in_torch": in_torch,
        "mrr": exported,
        "mrr_lost": in_torch - exported,
    }


def _shown(card: Card, task: str) -> str:
    figures, export = card.figures[task], card.figures["export"]
    alone, combined = figures["ranker"], figures["combined"]
    return (
        f"MRR {alone['mrr']:.2f}, with lexical evidence {combined['mrr']:.2f} (MAP {combined['map']:.2f}, "
        f"accuracy@1 {combined['accuracy@1']:.2f}) on {combined['questions']:,} questions, by cross-validation; "
        f"MRR {export['mrr_lost']:+.2f} lost against torch on {export['questions']:,}"
    )
