"""From a tagger's training run to model folders: export, calibration and figures on what was held out, the card.

Where that is a fold of the training files, `held-out.jsonl` (or .json) is written beside the folders: the same records,
so that `caveat predict` and `caveat eval` can be run on them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from caveat.benchmarks.registry import SPAN_TASKS
from caveat.benchmarks.shared.span_prediction import Key, SpanTask
from caveat.benchmarks.verbs import evaluate, predict
from caveat.models.calibration import expected_calibration_error, least_temperature, log_loss
from caveat.models.card import Card, write_card
from caveat.models.session import TAG_OUTPUTS
from caveat.models.tagger import TASK, Tagger, TokenScores, typed_spans
from caveat.training.cards import network_of_run
from caveat.training.export import ExportSettings
from caveat.training.kinds.tagger.data import TaggerRecipe
from caveat.training.kinds.tagger.method import held_out, load_tagger, new_tagger, tagger_in_torch
from caveat.training.networks import encoder_settings
from caveat.training.sampling import spread

_HELD_OUT = "held-out"
# A try of a temperature reads every span again; this many questions are enough for one number.
_CALIBRATED = 300


def export_tagger(
    recipe: TaggerRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    The temperature is fitted on what the recipe holds out, and the figures are of that; some of its questions are
    tagged in torch as well, for what the export has cost.
    """
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_tagger(model)[:2],
        new=lambda: new_tagger(recipe.encoder, recipe.layers, **encoder_settings(recipe)),
    )
    records = held_out(recipe, settings.data_root)
    card = trained.card(
        recipe,
        run_folder,
        TASK,
        tuning_questions=len(records),
        layers=recipe.layers,
        clause_kinds=recipe.clausal,
        null="none",
    )
    name = recipe.tuning.metric if recipe.tuning and records else ""
    data = _data_file(recipe, records, settings.data_root, out)
    some = spread(records, settings.compared)
    reference = (
        _tagged(SPAN_TASKS[name], tagger_in_torch(trained.network, trained.tokenizer, recipe), some)
        if name
        else []
    )

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        measured = _measured(folder, exported, name, data, records, some, reference, settings.threads)
        return measured, _shown(measured, name)

    return trained.export(TAG_OUTPUTS, out, settings, card, measure if name else None)


def _data_file(recipe: TaggerRecipe, records: Sequence[Any], data_root: Path, out: Path) -> Path:
    """The records as a file: the recipe's own, or one that is written for what was held out."""
    if not recipe.tuning or recipe.tuning.path or not records:
        return data_root / (recipe.tuning.path if recipe.tuning else "")
    task = SPAN_TASKS[recipe.tuning.metric]
    path = out / f"{_HELD_OUT}{task.suffix}"
    out.mkdir(parents=True, exist_ok=True)
    task.write(path, records)
    return path


def _measured(
    folder: Path,
    card: Card,
    name: str,
    data: Path,
    records: Sequence[Any],
    some: Sequence[Any],
    reference: Sequence[Sequence[Key]],
    threads: int | None,
) -> Card:
    """The card with temperature and figures, written to the folder."""
    task = SPAN_TASKS[name]
    tagger = Tagger.load(folder, threads=threads)
    calibrated = spread(records, _CALIBRATED)
    scores = list(tagger.token_scores(map(task.asked, calibrated)))
    temperature, error, spans = fit_tag_temperature(task, calibrated, scores, card)
    card = msgspec.structs.replace(card, temperature=temperature, expected_calibration_error=error)
    write_card(folder, card)
    tagger = Tagger.load(folder, threads=threads)
    with tempfile.TemporaryDirectory() as place:
        predictions = Path(place) / "predictions"
        predict(name, data, predictions, model=folder, threads=threads)
        figures = dict(evaluate(name, data, predictions).scores)
    export = _compared(task, tagger, some, reference)
    figures_of_card = {
        **card.figures,
        name: figures,
        "calibration": {"questions": len(calibrated), "spans": spans},
        "export": export,
    }
    return write_card(folder, msgspec.structs.replace(card, figures=figures_of_card))


def fit_tag_temperature(
    task: SpanTask, records: Sequence[Any], scores: Sequence[TokenScores | None], card: Card
) -> tuple[float, float | None, int]:
    """The temperature with which the spans' probabilities have the least log loss, the calibration error then, and the
    number of spans; a span is right if it is exactly right. 1 and no error where there are no spans.
    """

    def probabilities(temperature: float) -> tuple[list[float], list[bool]]:
        given, right = [], []
        for record, each in zip(records, scores, strict=True):
            gold = task.gold(record)
            for span in typed_spans(each, card, temperature=temperature) if each else ():
                given.append(span.score)
                right.append(not gold.isdisjoint(task.found(record, [span])))
        return given, right

    _, right = probabilities(1.0)
    if not right:
        return 1.0, None, 0
    truth = np.array(right, dtype=np.float64)

    def loss(temperature: float) -> float:
        return log_loss(np.array(probabilities(temperature)[0]), truth)

    # The best spans are the same at every temperature.
    temperature = least_temperature(loss, points=16, nearness=0.02)
    error = expected_calibration_error(probabilities(temperature)[0], truth)
    return temperature, error, len(right)


def _tagged(task: SpanTask, tagger: Tagger, records: Sequence[Any]) -> list[list[Key]]:
    results = tagger.tag(map(task.asked, records))
    return [task.found(record, result.spans) for record, result in zip(records, results, strict=True)]


def _compared(
    task: SpanTask, tagger: Tagger, records: Sequence[Any], reference: Sequence[Sequence[Key]]
) -> dict[str, Any]:
    """What the export has cost, on the questions that torch has tagged too."""
    found = _tagged(task, tagger, records)
    same = sum(set(ours) == set(theirs) for ours, theirs in zip(found, reference, strict=True))
    in_torch, exported = (_f1(task.score(records, keys, tagger.kinds)) for keys in (list(reference), found))
    return {
        "questions": len(records),
        "same_answers": 100 * same / len(records),
        "f1_in_torch": in_torch,
        "f1": exported,
        "f1_lost": in_torch - exported,
    }


def _f1(scores: dict[str, Any]) -> float:
    return float((scores["f1"] if "f1" in scores else scores["exact"]["f1"]) or 0.0)


def _shown(card: Card, name: str) -> str:
    figures, export = card.figures[name], card.figures["export"]
    f1, total = (
        (figures["all"]["f1"], figures["all"]["samples"])
        if name == "cmqa"
        else (figures["exact"]["f1"], figures["total"])
    )
    error = card.expected_calibration_error
    return (
        f"F1 {f1 or 0.0:.2f} on {total:,} questions; "
        f"F1 {export['f1_lost']:+.2f} lost against torch on {export['questions']:,}; "
        f"calibration error {'–' if error is None else f'{error:.3f}'}"
    )
