"""From a judge's training run to model folders: export, temperature and figures on what was held out, the card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caveat.models.calibration import expected_calibration_error, least_temperature
from caveat.models.card import Card, write_card
from caveat.models.judge import TASK, Judge, Verdict
from caveat.models.probability import softmax
from caveat.models.session import JUDGE_OUTPUTS
from caveat.training.cards import network_of_run
from caveat.training.export import ExportSettings
from caveat.training.kinds.judge.data import JudgeRecipe, Statement
from caveat.training.kinds.judge.method import (
    LABELS,
    Group,
    figures_by_group,
    judge_in_torch,
    load_judge,
    measured_groups,
    most_probable,
    new_judge,
    scores_of,
    verdicts_by_group,
)
from caveat.training.networks import encoder_settings
from caveat.training.sampling import spread


def export_judge(
    recipe: JudgeRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    The temperature is fitted on what the recipe holds out, and the figures are of that; some of its statements are
    judged in torch as well, for what the export has cost.
    """
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_judge(model)[:2],
        new=lambda: new_judge(recipe.encoder, **encoder_settings(recipe)),
    )
    groups = measured_groups(recipe, settings.data_root)
    card = trained.card(
        recipe,
        run_folder,
        TASK,
        tuning_questions=sum(len(statements) for _, statements in groups),
        null="none",
    )
    some = spread([statement for _, statements in groups for statement in statements], settings.compared)
    reference = judge_in_torch(trained.network, trained.tokenizer, recipe).judge(
        (one.premise, one.statement) for one in some
    )

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        measured = _measured(folder, exported, groups, some, reference, settings.threads)
        return measured, _shown(measured)

    return trained.export(
        JUDGE_OUTPUTS, out, settings, card, measure if groups else None, first_token_only=True
    )


def _measured(
    folder: Path,
    card: Card,
    groups: Sequence[Group],
    some: Sequence[Statement],
    reference: Sequence[Verdict],
    threads: int | None,
) -> Card:
    """The card with temperature and figures, written to the folder."""
    judge = Judge.load(folder, threads=threads)
    exported = judge.judge((one.premise, one.statement) for one in some)
    verdicts = verdicts_by_group(judge, groups)
    labels = [LABELS.index(one.label) for _, statements in groups for one in statements]
    temperature, error = fit_verdict_temperature([one for each in verdicts for one in each], labels)
    found = [[most_probable(verdict) for verdict in each] for each in verdicts]
    gold = [one.label for _, statements in groups for one in statements]
    figures = {
        **card.figures,
        "judge": {
            **scores_of(gold, [label for each in found for label in each]),
            **figures_by_group(groups, found),
        },
        "export": _compared(some, exported, reference),
    }
    return write_card(
        folder,
        msgspec.structs.replace(
            card, temperature=temperature, expected_calibration_error=error, figures=figures
        ),
    )


def fit_verdict_temperature(verdicts: Sequence[Verdict], labels: Sequence[int]) -> tuple[float, float]:
    """The temperature at which verdicts have the least log loss, and the calibration error then."""
    logits = np.log(np.maximum(np.array(verdicts), 1e-12))
    rows = np.arange(len(labels))

    def at(temperature: float) -> Any:
        return softmax(logits / temperature)

    def loss(temperature: float) -> float:
        return float(-np.log(np.maximum(at(temperature)[rows, labels], 1e-12)).mean())

    temperature = least_temperature(loss)
    given = at(temperature)
    right = given.argmax(axis=1) == np.array(labels)
    return temperature, expected_calibration_error(given.max(axis=1), right.astype(np.float64))


def _compared(
    some: Sequence[Statement], verdicts: Sequence[Verdict], reference: Sequence[Verdict]
) -> dict[str, Any]:
    """What the export has cost, on the statements that torch has judged too."""
    gold = [one.label for one in some]
    ours, theirs = ([most_probable(verdict) for verdict in found] for found in (verdicts, reference))
    in_torch, exported = (scores_of(gold, found)["macro_f1"] for found in (theirs, ours))
    return {
        "questions": len(some),
        "same_answers": 100 * sum(a == b for a, b in zip(ours, theirs, strict=True)) / len(some),
        "macro_f1_in_torch": in_torch,
        "macro_f1": exported,
        "macro_f1_lost": in_torch - exported,
    }


def _shown(card: Card) -> str:
    figures, export = card.figures["judge"], card.figures["export"]
    groups = "; ".join(
        f"{name} {each['accuracy']:.1f} / {each['macro_f1']:.1f}"
        for name, each in figures.items()
        if isinstance(each, dict) and "macro_f1" in each
    )
    return (
        f"accuracy {figures['accuracy']:.2f}, macro-F1 {figures['macro_f1']:.2f} on {figures['questions']:,} "
        f"statements ({groups}); macro-F1 {export['macro_f1_lost']:+.2f} lost against torch on "
        f"{export['questions']:,}; calibration error {card.expected_calibration_error:.3f}"
    )
