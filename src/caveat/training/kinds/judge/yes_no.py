"""Weights for yes, no and "it depends", fitted to ConditionalQA's yes/no questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.answerers.documents.verdict import verdict_features
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalQuestion,
    page_document,
    read,
    read_documents,
)
from caveat.core.json_files import write_json
from caveat.core.records import Question
from caveat.models.logit import WEIGHTS, ConditionWeights, Logit, write_weights
from caveat.training.fitting import fit_logit
from caveat.training.kinds.judge.recipe import YesNoData, YesNoRecipe
from caveat.training.sampling import fold_of

__all__ = ["Sample", "fit_yes_no", "pooled"]

Floats = NDArray[np.float64]
Figures = dict[str, dict[str, Any]]

SCORES = "scores.json"


class Sample(NamedTuple):
    """A yes/no question: its features, the share of its answers that are yes, whether any has conditions, its page.

    `plain` are the shares of its answers that are yes, and no, without a condition.
    """

    features: dict[str, float]
    yes: float
    conditional: bool
    url: str
    plain: tuple[float, float]


def fit_yes_no(
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
        folds = np.array([fold_of(sample.url, recipe.folds) for sample in samples])
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
    judging = WordsJudge()
    page_of = lru_cache(maxsize=1)(lambda url: Page.of(page_document(pages[url])))
    # Page by page, since a page is kept ready for its next question.
    for question in sorted(questions, key=lambda question: question.url):
        texts = [answer.text for answer in question.answers]
        if not any(text in ("yes", "no") for text in texts) or question.url not in pages:
            continue
        asked = Question(question.question, question.scenario, "en")
        features = verdict_features(page_of(question.url), asked, judging)
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
