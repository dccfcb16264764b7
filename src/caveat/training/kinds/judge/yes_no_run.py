"""Weights for yes, no and "it depends", fitted to ConditionalQA's yes/no questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.conditional.answerer import ConditionalAnswerer
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalQuestion,
    read,
    read_documents,
)
from caveat.benchmarks.conditionalqa.pages import page_document
from caveat.core.json_files import write_json
from caveat.core.records import Question
from caveat.models.log_odds import sigmoids
from caveat.models.logit import WEIGHTS, ConditionWeights, Logit, write_weights
from caveat.training.kinds.judge.yes_no_recipe import YesNoData, YesNoRecipe
from caveat.training.lbfgs import minimise

__all__ = ["Sample", "fit_logit", "pooled", "train_yes_no"]

Floats = NDArray[np.float64]
Figures = dict[str, dict[str, Any]]

SCORES = "scores.json"
# Weights are kept to so many digits.
_DIGITS = 4


class Sample(NamedTuple):
    """A yes/no question: its features, the share of its answers that are yes, whether any has conditions, its page.

    `plain` are the shares of its answers that are yes, and no, without a condition.
    """

    features: dict[str, float]
    yes: float
    conditional: bool
    url: str
    plain: tuple[float, float]


def train_yes_no(
    recipe: YesNoRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/conditions.json and OUT/scores.json; gives the tables of figures by their titles."""

    def sampled(data: YesNoData) -> list[Sample]:
        samples = list(_samples(data, data_root))
        note(f"{data.path}: {len(samples):,} questions for yes or no")
        return samples

    samples = [sample for data in recipe.data for sample in sampled(data)]
    tables: dict[str, Figures] = {}
    if recipe.folds:
        probabilities = np.zeros(len(samples))
        folds = np.array([_fold(sample.url, recipe.folds) for sample in samples])
        for fold in sorted(set(folds.tolist())):
            yes = _fit_yes([samples[at] for at in np.flatnonzero(folds != fold)], recipe)
            for at in np.flatnonzero(folds == fold).tolist():
                probabilities[at] = yes.probability(samples[at].features)
        title = f"{recipe.data[0].path}, by cross-validation in {recipe.folds} parts"
        tables[title] = _figures(samples, probabilities.tolist())
    yes = _fit_yes(samples, recipe)
    depends = fit_logit(
        [sample.features for sample in samples],
        [float(sample.conditional) for sample in samples],
        [1.0] * len(samples),
        recipe.l2,
    )
    for data in recipe.measured:
        found = sampled(data)
        tables[data.path] = _figures(found, [yes.probability(sample.features) for sample in found])
    out.mkdir(parents=True, exist_ok=True)
    about = {"recipe": msgspec.to_builtins(recipe), "figures": tables}
    write_weights(out / WEIGHTS, ConditionWeights(about, yes, depends))
    write_json(out / SCORES, tables)
    return tables


def fit_logit(
    features: Sequence[Mapping[str, float]], targets: Sequence[float], counts: Sequence[float], l2: float
) -> Logit:
    """Weights under which the targets, shares from 0 to 1, are most probable; the constant is not held back."""
    names = sorted({name for each in features for name in each})
    values = np.array([[1.0, *(each.get(name, 0.0) for name in names)] for each in features])
    wanted, count = np.array(targets), np.array(counts)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        held = l2 * weights
        held[0] = 0.0
        value = float(count @ (np.logaddexp(0, scores) - wanted * scores)) + 0.5 * float(weights @ held)
        return value, values.T @ (count * (sigmoids(scores) - wanted)) + held

    found = minimise(loss, np.zeros(values.shape[1]))
    constant, *weights = (float(f"{weight:.{_DIGITS}g}") for weight in found.tolist())
    return Logit(constant, {name: weight for name, weight in zip(names, weights, strict=True) if weight})


def pooled(questions: Iterable[ConditionalQuestion]) -> dict[str, ConditionalDocument]:
    """For each page the evidences of all questions on it, in an order that keeps to theirs where that is possible."""
    pages: dict[str, list[str]] = {}
    for question in questions:
        elements = pages.setdefault(question.url, [])
        at = 0
        for evidence in question.evidences:
            if evidence in elements:
                at = elements.index(evidence) + 1
            else:
                elements.insert(at, evidence)
                at += 1
    return {url: ConditionalDocument("", url, tuple(elements)) for url, elements in pages.items()}


def _samples(data: YesNoData, root: Path) -> Iterator[Sample]:
    questions = read(root / data.path)
    pages = (
        {page.url: page for page in read_documents(root / data.documents)}
        if data.documents
        else pooled(questions)
    )
    answerer = ConditionalAnswerer()
    # Page by page, since a page is kept ready for its next question.
    for question in sorted(questions, key=lambda question: question.url):
        texts = [answer.text for answer in question.answers]
        if not any(text in ("yes", "no") for text in texts) or question.url not in pages:
            continue
        page = answerer.page(page_document(pages[question.url]))
        features = answerer.features(page, Question(question.question, question.scenario, "en"))
        plain = [answer.text for answer in question.answers if not answer.conditions]
        yield Sample(
            features,
            texts.count("yes") / len(texts),
            any(answer.conditions for answer in question.answers),
            question.url,
            (plain.count("yes") / len(texts), plain.count("no") / len(texts)),
        )


def _fit_yes(samples: Sequence[Sample], recipe: YesNoRecipe) -> Logit:
    counts = [recipe.conditional if sample.conditional else 1.0 for sample in samples]
    return fit_logit(
        [sample.features for sample in samples], [sample.yes for sample in samples], counts, recipe.l2
    )


def _figures(samples: Sequence[Sample], probabilities: Sequence[float]) -> Figures:
    """ConditionalQA's EM of one answer a question, and with conditions where none is given."""

    def figures(says_yes: Sequence[bool]) -> dict[str, Any]:
        pairs = list(zip(samples, says_yes, strict=True))
        em = sum(sample.yes if yes else 1 - sample.yes for sample, yes in pairs)
        plain = sum(sample.plain[0 if yes else 1] for sample, yes in pairs)
        return {
            "em": 100 * em / max(1, len(pairs)),
            "em_with_conditions": 100 * plain / max(1, len(pairs)),
            "questions": len(pairs),
        }

    return {
        "always yes": figures([True] * len(samples)),
        "fitted": figures([probability >= 0.5 for probability in probabilities]),
    }


def _fold(url: str, folds: int) -> int:
    return int.from_bytes(sha256(url.encode()).digest()[:8], "big") % folds
