"""The weights for questions on tables, fitted to questions with known answers and to lists of tables, and written.

A logit says how probable it is that an interpretation is right. A temperature and another logit say which table a
question is about, and whether any of them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.ranking.table_features import TableIndex
from caveat.answerers.tables import choice, confidence
from caveat.answerers.tables.choice import ranking_scores, share_of_words
from caveat.answerers.tables.confidence import features, interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.answerers.tables.tokens import fold
from caveat.benchmarks.nlpcc import tbqa_format as tbqa
from caveat.benchmarks.nlpcc.candidates import groups
from caveat.benchmarks.table_questions import is_answer
from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.language.quantities import parse_quantity
from caveat.models.calibration import expected_calibration_error, least_temperature, log_loss
from caveat.models.log_odds import Logit, softmax
from caveat.training.fitting import Choice, fit_choices, fit_logit
from caveat.training.kinds.tables.data import ListData, TableData, TableQuestion, TablesRecipe, read_questions
from caveat.training.sampling import fold_of

SCORES = "scores.json"
Figures = dict[str, dict[str, Any]]


def train_tables(
    recipe: TablesRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/confidence.json, OUT/choice.json and OUT/scores.json; gives the tables of figures by their titles."""
    sure, of_interpretations = fit_confidence(recipe, data_root, note)
    answerable, temperature, of_lists = fit_choice(recipe, data_root, note)
    raw = msgspec.to_builtins(recipe)
    out.mkdir(parents=True, exist_ok=True)
    write_json(
        out / confidence.WEIGHTS,
        confidence.ConfidenceWeights({"recipe": raw, "figures": of_interpretations}, sure),
    )
    write_json(
        out / choice.WEIGHTS,
        choice.ChoiceWeights({"recipe": raw, "figures": of_lists}, answerable, temperature),
    )
    figures = of_interpretations | of_lists
    write_json(out / SCORES, figures)
    return figures


class Candidate(NamedTuple):
    """An interpretation: its answer, its features, and whether it is right; None where that cannot be told."""

    text: str
    features: dict[str, float]
    right: bool | None


class Sample(NamedTuple):
    """A question's interpretations, what tells its table, or the repository that it is from, from others, and what the
    question counts.
    """

    candidates: tuple[Candidate, ...]
    table: str
    weight: float


def fit_confidence(
    recipe: TablesRecipe, data_root: Path, note: Callable[[str], None]
) -> tuple[Logit, dict[str, Figures]]:
    """The weights, and the tables of figures by their titles; beside the new weights' figures stand the prior's."""

    def sampled(data: TableData) -> list[Sample]:
        samples = list(_samples(data, data_root))
        note(f"{data.path}: {len(samples):,} questions")
        return samples

    fitted_to = {data: sampled(data) for data in recipe.data}
    every = [sample for samples in fitted_to.values() for sample in samples]
    figures: dict[str, Figures] = {}
    for data, samples in fitted_to.items():
        if data.format == "files":
            note(f"{data.path}: each repository left out in turn")
            figures[f"{data.path}, each repository left out"] = _left_out(samples, every, recipe)
    if recipe.folds:
        fits = [
            _fit([sample for sample in every if fold_of(sample.table, recipe.folds) != fold], recipe)
            for fold in range(recipe.folds)
        ]
        for data, samples in fitted_to.items():
            if data.format == "files":
                continue
            held_out = [fits[fold_of(sample.table, recipe.folds)] for sample in samples]
            title = f"{data.path}, by cross-validation in {recipe.folds} parts"
            figures[title] = _compared(samples, recipe.prior, held_out)
    fitted = _fit(every, recipe)
    for data in recipe.measured:
        samples = sampled(data)
        title = f"{data.path}, {data.part}" if data.format == "files" else data.path
        figures[title] = _compared(samples, recipe.prior, [fitted] * len(samples))
    return fitted, figures


def _left_out(samples: Sequence[Sample], every: Sequence[Sample], recipe: TablesRecipe) -> Figures:
    """Figures of each repository's questions by weights that were fitted without them."""
    fits = {
        group: _fit([sample for sample in every if sample.table != group], recipe)
        for group in sorted({sample.table for sample in samples})
    }
    return _compared(samples, recipe.prior, [fits[sample.table] for sample in samples])


def _samples(data: TableData, root: Path) -> Iterator[Sample]:
    for group, table, questions in read_questions(data, root):
        prepared = PreparedTable(table)
        name = "\t".join((table.caption, *table.headers, *table.rows[0])) if table.rows else table.caption
        for question in questions:
            view = View(ParsedQuestion(question.text), prepared)
            candidates = tuple(
                Candidate(found.text, features(view, found), is_right(found.text, question, found.number))
                for found in interpretations(view)
            )
            yield Sample(candidates, group or name, data.weight)


def is_right(text: str, question: TableQuestion, number: float | None = None) -> bool | None:
    """Whether an answer is the right one; None if it has other cells beside the one that is known to be right.

    What counts of a computed one is the `number`, not what the text makes of it.
    """
    if not question.open:
        said = [repr(number)] if number is not None else text.split("; ")
        return is_answer(said, question.answers) or is_answer([text], question.answers)
    given, wanted = set(map(_value, text.split("; "))), set(map(_value, question.answers))
    return None if wanted < given else given == wanted


def _value(text: str) -> str | float:
    """What is compared: numbers by their value, whatever their unit and sign of currency, else the folded text."""
    found = parse_quantity(text)
    return round(found.value, 2) if found is not None else " ".join(fold(text).split())


def _fit(samples: Iterable[Sample], recipe: TablesRecipe) -> Logit:
    choices = [
        Choice([one.features for one in told], [bool(one.right) for one in told], sample.weight)
        for sample in samples
        if (told := [one for one in sample.candidates if one.right is not None])
    ]
    if not choices:
        raise InputError("No question of the data can be interpreted on its table.")
    return fit_choices(choices, recipe.l2, recipe.prior)


def _compared(samples: Sequence[Sample], prior: Logit, fitted: Sequence[Logit]) -> Figures:
    return {
        "prior": _figures(samples, [prior] * len(samples)),
        "fitted": _figures(samples, fitted),
    }


def _figures(samples: Sequence[Sample], logits: Sequence[Logit]) -> dict[str, Any]:
    """The log loss of what is right, or of none; for the most probable answer of each question how often it is right,
    how often it is more probable than not and then right, and the expected calibration error.
    """
    losses: list[float] = []
    best: list[tuple[float, bool]] = []
    reached = 0
    for sample, logit in zip(samples, logits, strict=True):
        told = [one for one in sample.candidates if one.right is not None]
        none, *shares = softmax(np.array([0.0, *(logit.score(one.features) for one in told)])).tolist()
        right = sum(share for share, one in zip(shares, told, strict=True) if one.right)
        reached += any(one.right for one in told)
        losses.append(-math.log(max(right if any(one.right for one in told) else none, 1e-12)))
        answers: dict[str, tuple[float, bool]] = {}
        for share, one in zip(shares, told, strict=True):
            answers[one.text] = answers.get(one.text, (0.0, False))[0] + share, bool(one.right)
        if answers:
            # Of answers that are equally probable the first, right or wrong.
            best.append(max(answers.values(), key=itemgetter(0)))
    answered = [right for probability, right in best if probability > 0.5]
    error = expected_calibration_error([one for one, _ in best], [right for _, right in best])
    whole = max(1, len(samples))
    return {
        "questions": len(samples),
        "log_loss": round(sum(losses) / whole, 4),
        "calibration_error": round(error, 4),
        "reached": 100 * reached / whole,
        "right": 100 * sum(right for _, right in best) / whole,
        "answered": 100 * len(answered) / whole,
        "answered_right": 100 * sum(answered) / max(1, len(answered)),
    }


class CandidateList(NamedTuple):
    """A question's candidate tables, the right one first: their scores, and the share of its words that they have."""

    scores: NDArray[np.float64]
    shares: tuple[float, ...]


def fit_choice(
    recipe: TablesRecipe, data_root: Path, note: Callable[[str], None]
) -> tuple[Logit, float, dict[str, Figures]]:
    """The logit of there being the right table, the ranking's temperature, and figures on lists kept apart."""

    def read(data: ListData) -> list[CandidateList]:
        lists = list(_lists(data, data_root, recipe.seed))
        note(f"{data.path}: {len(lists):,} lists of tables")
        return lists

    lists = [found for data in recipe.lists for found in read(data)]
    if not lists:
        raise InputError("The lists have no question with a right table and a wrong one.")
    temperature = round(least_temperature(lambda one: _log_loss(lists, one)), 3)
    balanced = _fit_answerable(lists)
    # The fit has as many right tables as wrong ones.
    odds = math.log(recipe.answerable / (1 - recipe.answerable))
    answerable = Logit(round(balanced.constant + odds, 4), balanced.weights)
    figures: dict[str, Figures] = {}
    for data in recipe.measured_lists:
        found = read(data)
        for size in sorted({len(one.shares) for one in found}):
            some = [one for one in found if len(one.shares) == size]
            figures[f"{data.path}, {size} tables"] = {
                "untempered": _list_figures(some, 1.0, balanced),
                "fitted": _list_figures(some, temperature, balanced),
            }
    return answerable, temperature, figures


def _lists(data: ListData, root: Path, seed: int) -> Iterator[CandidateList]:
    found = list(groups(tbqa.read(root / data.path, root / data.tables if data.tables else None)))
    draw = random.Random(seed)
    for group in draw.sample(found, min(data.cap, len(found))):
        pairs = sorted(group.pairs, key=lambda pair: -(pair.label or 0))
        if len(pairs) > 1 and pairs[0].label and not pairs[1].label:
            parsed, index = ParsedQuestion(group.question), TableIndex()
            right, *others = (PreparedTable(pair.table) for pair in pairs)
            for size in data.sizes:
                tables = [right, *draw.sample(others, min(size - 1, len(others)))]
                shares = tuple(share_of_words(parsed, table) for table in tables)
                yield CandidateList(ranking_scores(parsed, tables, index), shares)


def _log_loss(lists: Sequence[CandidateList], temperature: float) -> float:
    """Of the right table's probability among the others."""
    right = [math.log(max(float(softmax(one.scores / temperature)[0]), 1e-12)) for one in lists]
    return -sum(right) / max(1, len(right))


def _fit_answerable(lists: Sequence[CandidateList]) -> Logit:
    """Whether a table is the right one, of which there are as many as, by their weight, of all others."""
    features = [{"share": share} for one in lists for share in one.shares]
    targets = [float(not place) for one in lists for place in range(len(one.shares))]
    counts = [
        1 / (len(one.shares) - 1) if place else 1.0 for one in lists for place in range(len(one.shares))
    ]
    return fit_logit(features, targets, counts, 1e-3)


def _list_figures(lists: Sequence[CandidateList], temperature: float, balanced: Logit) -> dict[str, Any]:
    found = [softmax(one.scores / temperature) for one in lists]
    first = [float(not one.argmax()) for one in found]
    pairs = [
        (balanced.probability({"share": share}), float(not place))
        for one in lists
        for place, share in enumerate(one.shares[:2])
    ]
    return {
        "lists": len(lists),
        "right table first": 100 * sum(first) / max(1, len(first)),
        "log_loss": round(_log_loss(lists, temperature), 4),
        "calibration_error": round(expected_calibration_error([one.max() for one in found], first), 4),
        "log_loss of any being right": round(log_loss(*np.array(pairs).T), 4) if pairs else 0.0,
    }
