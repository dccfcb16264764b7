"""A relation model from a recipe: measured beside the rules on samples it has not seen, then fitted to all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from caveat.errors import InputError
from caveat.formats import cmqa
from caveat.formats.cmqa import CmqaSample
from caveat.formats.json_files import write_json
from caveat.metrics import label_sets
from caveat.structure.relations import RELATIONS, RelationModel, write_model
from caveat.structure.rules import nearest_coarse, nearest_condition, nearest_condition_of_the_uppermost
from caveat.structure.spans import Pair, spans_of, with_relations
from caveat.training.reading.span_data import fold_of
from caveat.training.relations.fit import fit
from caveat.training.relations.recipe import RelationData, RelationRecipe

__all__ = ["SCORES", "Figures", "cross_validated", "measure", "train_relations"]

SCORES = "scores.json"

Figures = dict[str, dict[str, float | None]]
"""A row a system, a column a figure."""

_MEASURED = ("condition-answer", "coarse-fine")


def train_relations(
    recipe: RelationRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/relations.json and OUT/scores.json; gives the tables of figures by their titles."""
    samples = [sample for data in recipe.data for sample in _read(data, data_root)]
    held_out = _read(recipe.held_out, data_root) if recipe.held_out else []
    everything = [*samples, *held_out]
    tables: dict[str, Figures] = {}
    if recipe.held_out:
        fitted = _predicted(_fit(samples, recipe), held_out)
        tables[f"{recipe.held_out.path}, fitted on the rest"] = {
            **_rules(held_out),
            "fitted": measure(held_out, fitted),
        }
        note(f"{recipe.held_out.path}: measured.")
    if recipe.folds:
        title = f"all samples, by cross-validation in {recipe.folds} parts"
        tables[title] = {
            **_rules(everything),
            "fitted": measure(everything, cross_validated(everything, recipe)),
        }
        note(f"cross-validation in {recipe.folds} parts: measured.")
    out.mkdir(parents=True, exist_ok=True)
    seen = _without(everything, recipe, recipe.fold)
    about = {"recipe": msgspec.to_builtins(recipe), "samples": len(seen), "figures": tables}
    write_model(out / RELATIONS, _fit(seen, recipe), about)
    write_json(out / SCORES, tables)
    return tables


def measure(gold: Sequence[CmqaSample], predicted: Sequence[CmqaSample]) -> dict[str, float | None]:
    """F1 and exact match of both sorts of relations."""
    scores = label_sets.score(_labels(gold), _labels(predicted)).scores
    return {
        f"{sort} {name}": scores[sort][key]
        for sort in _MEASURED
        for name, key in (("F1", "f1"), ("EM", "exact_match"))
    }


def cross_validated(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> list[CmqaSample]:
    """Each sample with the relations by a model that has not seen its context."""
    predicted = list(samples)
    for fold in range(recipe.folds):
        part = [number for number, sample in enumerate(samples) if _fold(sample, recipe) == fold]
        model = _fit(_without(samples, recipe, fold), recipe)
        for number, sample in zip(part, _predicted(model, [samples[number] for number in part]), strict=True):
            predicted[number] = sample
    return predicted


def _without(samples: Sequence[CmqaSample], recipe: RelationRecipe, fold: int) -> list[CmqaSample]:
    return [sample for sample in samples if _fold(sample, recipe) != fold]


def _fold(sample: CmqaSample, recipe: RelationRecipe) -> int:
    return fold_of(sample.context, recipe.folds) if recipe.folds else 0


def _read(data: RelationData, root: Path) -> list[CmqaSample]:
    path = root / data.path
    samples = [sample for _, sample in cmqa.read(path)]
    if not samples:
        raise InputError("has no samples", path=path)
    return samples


def _fit(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> RelationModel:
    return fit(samples, l2=recipe.l2, least=recipe.least)


def _predicted(model: RelationModel, samples: Sequence[CmqaSample]) -> list[CmqaSample]:
    return [
        with_relations(
            sample,
            [related.pair for related in model.relate(sample.context, spans_of(sample), sample.question)],
        )
        for sample in samples
    ]


def _rules(samples: Sequence[CmqaSample]) -> Figures:
    rules: dict[str, Callable[[CmqaSample], list[Pair]]] = {
        "nearest": lambda sample: nearest_condition(spans_of(sample)),
        "nearest, coarse first": lambda sample: nearest_condition_of_the_uppermost(
            sample.context, spans_of(sample)
        ),
    }
    return {
        name: measure(
            samples,
            [
                with_relations(sample, [*rule(sample), *nearest_coarse(spans_of(sample))])
                for sample in samples
            ],
        )
        for name, rule in rules.items()
    }


def _labels(samples: Sequence[CmqaSample]) -> dict[str, label_sets.Sample]:
    return {str(number): cmqa.labels(sample) for number, sample in enumerate(samples)}
