"""Weights for yes, "it depends" and "not answered", of what a judge reads in the evidence.

They are fitted to questions on pages that speak to them and on pages that do not (`silence`), of sets that the judge
was not trained on, and measured page by page by weights of the other pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.scenario import ScenarioJudge
from caveat.answerers.documents.verdict import Verdicts, bearing, verdict_features
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalQuestion,
    read,
    read_documents,
)
from caveat.core.json_files import write_json
from caveat.models.embedded import find
from caveat.models.judge import Judge
from caveat.models.logit import WEIGHTS, ConditionWeights, Logit, write_weights
from caveat.training.fitting import fit_logit
from caveat.training.kinds.judge.judgements import Pair, read_pairs, read_texts
from caveat.training.kinds.judge.recipe import PageData, TextData, YesNoData, YesNoRecipe
from caveat.training.kinds.judge.silence import (
    Spoken,
    asked_words,
    by_kind,
    fit_answered,
    on_asked_pages,
    on_pages,
    on_texts,
    silence_figures,
)
from caveat.training.sampling import fold_of, spread

Floats = NDArray[np.float64]
Figures = dict[str, dict[str, Any]]
Features = dict[str, float]

SCORES = "scores.json"
_TEMPERATURES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
# Of the reliability tables.
_BINS = 5


def fit_yes_no(
    recipe: YesNoRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/conditions.json and OUT/scores.json; gives the tables of figures by their titles."""
    asked = asked_words([_questions(words, data_root, recipe.seed) for words in recipe.words])
    sets: dict[str, list[Spoken]] = {}
    for data in recipe.data:
        sets[data.path] = list(on_pages(*_asked(data, data_root), recipe.seed, most=data.most))
    for texts in recipe.texts:
        sets[texts.path] = list(
            on_texts(
                _pairs(texts, data_root, recipe.seed),
                recipe.seed,
                labelled=texts.labelled,
                others_silent=texts.others_silent,
            )
        )
    for pages in recipe.pages:
        sets[pages.path] = _on_pages(pages, data_root, recipe.seed)
    spoken = [each for found in sets.values() for each in found]
    features_of = _features_of(recipe, asked)
    features: list[Features] = []
    for path, found in sets.items():
        note(f"{path}: {len(found):,} questions on pages that speak to them and on others")
        features += map(features_of, found)
    answered, known = fit_answered(spoken, features, silent=recipe.silent, l2=recipe.l2, folds=recipe.folds)
    yes, likely = _fit_yes(spoken, features, recipe)
    whole = {data.path for data in recipe.data if data.documents}
    real = [each.source for path in sorted(whole) for each in sets[path]]
    temperature = recipe.temperature or _temperature(spoken, likely, frozenset(real))
    yes = tempered(yes, temperature)
    answered = tempered(answered, recipe.temperature or 1.0)
    own = [at for at, each in enumerate(spoken) if each.yes is not None]
    depends = fit_logit(
        [features[at] for at in own],
        [float(spoken[at].conditional) for at in own],
        [1.0] * len(own),
        recipe.l2,
    )
    tables = _tables(sets, known, likely, recipe) if recipe.folds else {}
    out.mkdir(parents=True, exist_ok=True)
    note(f"the log-odds of yes are divided by {temperature} for whole pages")
    about = {"recipe": msgspec.to_builtins(recipe), "figures": tables}
    write_weights(out / WEIGHTS, ConditionWeights(about, yes, depends, answered, asked))
    write_json(out / SCORES, tables)
    return tables


def _features_of(recipe: YesNoRecipe, asked: Mapping[str, float]) -> Callable[[Spoken], Features]:
    """What a question on a page is weighed by: what the judge reads there."""
    judge = Judge.load(find(recipe.judge))
    judges = Verdicts(judge, ScenarioJudge(judge))

    def features(each: Spoken) -> Features:
        found = bearing(each.page, each.question, judges)
        return verdict_features(each.page, each.question, found, asked, judges.scenario)

    return features


def _fit_yes(
    spoken: Sequence[Spoken], features: Sequence[Features], recipe: YesNoRecipe
) -> tuple[Logit, Floats]:
    """The weights, and for each question on its own page how probable weights of the other folds hold yes to be."""
    own = np.array([at for at, each in enumerate(spoken) if each.yes is not None], dtype=np.intp)
    counts = np.array([recipe.conditional if each.conditional else 1.0 for each in spoken])

    def fitted(places: NDArray[np.intp]) -> Logit:
        return fit_logit(
            [features[at] for at in places],
            [spoken[at].yes or 0.0 for at in places],
            counts[places].tolist(),
            recipe.l2,
        )

    held_out = np.full(len(spoken), 0.5)
    folds = np.array([fold_of(each.source, recipe.folds) if recipe.folds else 0 for each in spoken])
    for fold in sorted(set(folds.tolist())) if recipe.folds else ():
        logit = fitted(own[folds[own] != fold])
        for at in np.flatnonzero(folds == fold).tolist():
            held_out[at] = logit.probability(features[at])
    return fitted(own), held_out


def _temperature(spoken: Sequence[Spoken], likely: Floats, real: frozenset[str]) -> float:
    """By what the log-odds of yes are divided so that what is held out on whole pages, of all, is most probable.

    Pages that are made of single texts are easier than real ones; 1 at least, and where there are no whole pages.
    """
    places = [at for at, each in enumerate(spoken) if each.yes is not None and each.source in real]
    if not places:
        return 1.0
    truth = np.array([spoken[at].yes or 0.0 for at in places])
    odds = np.log(likely[places] / (1 - likely[places]))

    def loss(temperature: float) -> float:
        found = np.clip(1 / (1 + np.exp(-odds / temperature)), 1e-9, 1 - 1e-9)
        return float(-(truth * np.log(found) + (1 - truth) * np.log(1 - found)).sum())

    return min(_TEMPERATURES, key=loss)


def tempered(logit: Logit, temperature: float) -> Logit:
    """The same with its log-odds divided."""
    return Logit(
        round(logit.constant / temperature, 4),
        {name: round(weight / temperature, 4) for name, weight in logit.weights.items()},
    )


def _tables(
    sets: Mapping[str, Sequence[Spoken]], known: Floats, likely: Floats, recipe: YesNoRecipe
) -> dict[str, Figures]:
    tables: dict[str, Figures] = {}
    every = [each for found in sets.values() for each in found]
    groups = [("all", every, slice(0, len(every)))]
    at = 0
    for path, found in sets.items():
        groups.append((path, list(found), slice(at, at + len(found))))
        at += len(found)
    for name, found, where in groups:
        title = f"{name}, by cross-validation in {recipe.folds} parts"
        speaks, says_yes = known[where], likely[where]
        figures = silence_figures(found, speaks, silent=recipe.silent)
        # The reply says what is most probable: yes, no, or neither.
        said = 1 - speaks > speaks * np.maximum(says_yes, 1 - says_yes)
        figures["replied not answered"] = by_kind(found, said)
        figures["yes or no, on pages that speak to it"] = _yes_figures(found, says_yes)
        figures["reliability"] = _reliability(found, speaks, says_yes)
        tables[title] = figures
    return tables


def _reliability(found: Sequence[Spoken], known: Floats, likely: Floats) -> dict[str, Any]:
    """Of what is replied, by how probable it is held to be: how often it is right."""
    rows: dict[str, list[tuple[float, float]]] = {}
    for each, speaks, says_yes in zip(found, known.tolist(), likely.tolist(), strict=True):
        first, none = speaks * max(says_yes, 1 - says_yes), 1 - speaks
        claimed = max(first, none)
        if each.answered and each.yes is None:
            continue  # nobody says what is right
        if none > first:
            right = float(not each.answered)
        else:
            right = 0.0 if each.yes is None else each.yes if says_yes >= 0.5 else 1 - each.yes
        low = min(int(claimed * _BINS), _BINS - 1)
        rows.setdefault(f"{20 * low} to {20 * low + 20} %", []).append((claimed, right))
    return {name: _row(np.array(pairs)) for name, pairs in sorted(rows.items())}


def _row(pairs: Floats) -> str:
    claimed, right = 100 * pairs.mean(0)
    return f"claimed {claimed:.0f}, right {right:.0f}, of {len(pairs)}"


def _yes_figures(found: Sequence[Spoken], likely: Floats) -> dict[str, Any]:
    pairs = [
        (each.yes, yes) for each, yes in zip(found, likely.tolist(), strict=True) if each.yes is not None
    ]
    if not pairs:
        return {"questions": 0}
    right = [share if yes >= 0.5 else 1 - share for share, yes in pairs]
    return {
        "right": round(100 * float(np.mean(right)), 2),
        "always yes": round(100 * float(np.mean([share for share, _ in pairs])), 2),
        "questions": len(pairs),
    }


def _pairs(texts: TextData, root: Path, seed: int) -> list[Pair]:
    """The pairs of a set that a text decides, or all where nobody says so; of the fold held out."""
    pairs = [
        pair
        for pair in read_pairs(texts.format, root / texts.path, seed, asked=texts.asked)
        if (not texts.labelled or pair.label in ("entailed", "contradicted"))
        and (not texts.folds or fold_of(pair.source, texts.folds) == texts.fold)
    ]
    return spread(pairs, texts.most) if texts.most else pairs


def _on_pages(pages: PageData, root: Path, seed: int) -> list[Spoken]:
    """The questions of the pages that are held out."""
    texts = (
        text
        for text in read_texts(root / pages.path)
        if not pages.folds or fold_of(text, pages.folds) == pages.fold
    )
    found = list(on_asked_pages(texts, seed))
    return spread(found, pages.most) if pages.most else found


def _questions(texts: TextData, root: Path, seed: int) -> list[str]:
    return list(
        dict.fromkeys(
            pair.judged.partition("?")[0] for pair in read_pairs(texts.format, root / texts.path, seed)
        )
    )


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
