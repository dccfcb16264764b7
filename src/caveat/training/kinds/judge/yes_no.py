"""Weights for yes, no and "it depends", fitted to ConditionalQA's yes/no questions, and for "not answered"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.answerers.documents.silence import silence_features
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
from caveat.training.kinds.judge.judgements import read_pairs
from caveat.training.kinds.judge.recipe import YesNoData, YesNoRecipe
from caveat.training.kinds.judge.silence import (
    Spoken,
    asked_words,
    by_kind,
    fit_answered,
    on_pages,
    on_texts,
    silence_figures,
)
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
    answered, asked, told_apart = _answered(recipe, yes, data_root, note)
    tables |= told_apart
    out.mkdir(parents=True, exist_ok=True)
    about = {"recipe": msgspec.to_builtins(recipe), "figures": tables}
    write_weights(out / WEIGHTS, ConditionWeights(about, yes, depends, answered, asked))
    write_json(out / SCORES, tables)
    return tables


def _answered(
    recipe: YesNoRecipe, yes: Logit, root: Path, note: Callable[[str], None]
) -> tuple[Logit, dict[str, float], dict[str, Figures]]:
    """The weights for "the page speaks to it", the words often asked, and the tables of figures."""
    sets: dict[str, list[Spoken]] = {}
    for data in recipe.data:
        sets[data.path] = list(on_pages(*_asked(data, root), recipe.seed))
    for texts in recipe.texts:
        pairs = read_pairs("judgements", root / texts.path, recipe.seed)
        sets[texts.path] = list(on_texts(pairs, recipe.seed))
    for path, found in sets.items():
        note(f"{path}: {len(found):,} questions on pages that speak to them and on others")
    spoken = [each for found in sets.values() for each in found]
    asked = asked_words(
        [list(dict.fromkeys(each.question.text for each in found)) for found in sets.values()]
    )
    logit, held_out = fit_answered(spoken, asked, silent=recipe.silent, l2=recipe.l2, folds=recipe.folds)
    tables: dict[str, Figures] = {}
    if recipe.folds:
        title = f"by cross-validation in {recipe.folds} parts"
        tables[f"not answered, all, {title}"] = silence_figures(spoken, held_out, silent=recipe.silent)
        at = 0
        for path, found in sets.items():
            each = held_out[at : at + len(found)]
            tables[f"not answered, {path}, {title}"] = silence_figures(found, each, silent=recipe.silent)
            at += len(found)
    judging = WordsJudge()
    for data in recipe.measured:
        found = list(on_pages(*_asked(data, root), recipe.seed))
        likely = np.array(
            [logit.probability(silence_features(each.page, each.question, asked)) for each in found]
        )
        says_yes = np.array([yes.probability(verdict_features(e.page, e.question, judging)) for e in found])
        figures = silence_figures(found, likely, silent=recipe.silent)
        # The reply says what is most probable: yes, no, or neither.
        said = 1 - likely > likely * np.maximum(says_yes, 1 - says_yes)
        tables[f"not answered, {data.path}"] = figures | {"replied not answered": by_kind(found, said)}
    return logit, asked, tables


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


def _asked(
    data: YesNoData, root: Path
) -> tuple[list[ConditionalQuestion], Mapping[str, ConditionalDocument]]:
    """The questions for yes or no that have a page, page by page, and the pages."""
    questions = read(root / data.path)
    pages = (
        {page.url: page for page in read_documents(root / data.documents)}
        if data.documents
        else pooled(questions)
    )
    asked = [
        question
        for question in questions
        if question.url in pages and any(answer.text in ("yes", "no") for answer in question.answers)
    ]
    return sorted(asked, key=lambda question: question.url), pages


def _samples(data: YesNoData, root: Path) -> Iterator[Sample]:
    questions, pages = _asked(data, root)
    judging = WordsJudge()
    # A page is kept ready for its next question.
    page_of = lru_cache(maxsize=1)(lambda url: Page.of(page_document(pages[url])))
    for question in questions:
        texts = [answer.text for answer in question.answers]
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
