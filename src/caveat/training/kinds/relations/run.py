"""A relation model from a recipe: measured beside the rules on samples it has not seen, then fitted to all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from caveat.answerers.documents.structure.relations import RELATIONS, Relater, RelationModel, write_model
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample
from caveat.benchmarks.cmqa.spans import related_sample
from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.training.kinds.reader.span_data import fold_of
from caveat.training.kinds.relations.figures import SCORES, Figures, measure, rules
from caveat.training.kinds.relations.fit import fit
from caveat.training.kinds.relations.recipe import RelationData, RelationRecipe

__all__ = ["cross_validated", "predicted", "read_samples", "train_relations"]


def train_relations(
    recipe: RelationRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/relations.json and OUT/scores.json; gives the tables of figures by their titles."""
    samples = [sample for data in recipe.data for sample in read_samples(data, data_root)]
    held_out = read_samples(recipe.held_out, data_root) if recipe.held_out else []
    everything = [*samples, *held_out]
    tables: dict[str, Figures] = {}
    if recipe.held_out:
        fitted = predicted(_fit(samples, recipe), held_out)
        tables[f"{recipe.held_out.path}, fitted on the rest"] = {
            **rules(held_out),
            "fitted": measure(held_out, fitted),
        }
        note(f"{recipe.held_out.path}: measured.")
    if recipe.folds:
        title = f"all samples, by cross-validation in {recipe.folds} parts"
        tables[title] = {
            **rules(everything),
            "fitted": measure(everything, cross_validated(everything, recipe)),
        }
        note(f"cross-validation in {recipe.folds} parts: measured.")
    out.mkdir(parents=True, exist_ok=True)
    seen = _without(everything, recipe, recipe.fold)
    about = {"recipe": msgspec.to_builtins(recipe), "samples": len(seen), "figures": tables}
    write_model(out / RELATIONS, _fit(seen, recipe), about)
    write_json(out / SCORES, tables)
    return tables


def cross_validated(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> list[CmqaSample]:
    """Each sample with the relations by a model that has not seen its context."""
    found = list(samples)
    for fold in range(recipe.folds):
        part = [number for number, sample in enumerate(samples) if _fold(sample, recipe) == fold]
        model = _fit(_without(samples, recipe, fold), recipe)
        for number, sample in zip(part, predicted(model, [samples[number] for number in part]), strict=True):
            found[number] = sample
    return found


def _without(samples: Sequence[CmqaSample], recipe: RelationRecipe, fold: int) -> list[CmqaSample]:
    return [sample for sample in samples if _fold(sample, recipe) != fold]


def _fold(sample: CmqaSample, recipe: RelationRecipe) -> int:
    return fold_of(sample.context, recipe.folds) if recipe.folds else 0


def read_samples(data: RelationData, root: Path) -> list[CmqaSample]:
    """The samples of a file, at least one."""
    path = root / data.path
    samples = [sample for _, sample in cmqa.read(path)]
    if not samples:
        raise InputError("has no samples", path=path)
    return samples


def _fit(samples: Sequence[CmqaSample], recipe: RelationRecipe) -> RelationModel:
    return fit(samples, l2=recipe.l2, least=recipe.least)


def predicted(model: Relater, samples: Sequence[CmqaSample]) -> list[CmqaSample]:
    """The samples with the relations that a model finds among their spans."""
    return [related_sample(model, sample) for sample in samples]
