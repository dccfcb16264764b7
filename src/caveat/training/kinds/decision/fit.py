"""The weights of the decision, fitted to labelled questions on pages, and measured on repositories left out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.answerers.documents.candidates import Proposal, Proposals
from caveat.answerers.documents.decision import WEIGHTS, DecisionWeights, decide
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import WordsJudge
from caveat.core.errors import CaveatError
from caveat.core.json_files import read_json_lines, write_json
from caveat.core.records import Document, Question
from caveat.language.tokens import content_words
from caveat.models.embedded import find
from caveat.models.joint import JointReader, load_reader
from caveat.models.selection import Limit
from caveat.sources.gather import gather
from caveat.training.kinds import Note, Tables
from caveat.training.kinds.decision.conditions import (
    LabelledConditions,
    fitted_conditions,
    labelled_conditions,
    measured_conditions,
    unread_conditions,
)
from caveat.training.kinds.decision.labels import is_right
from caveat.training.kinds.decision.recipe import DecisionData, DecisionRecipe
from caveat.training.sampling import fold_of, said, spread

SCORES = "scores.json"
_MOST_STEPS = 500
# A word that fewer questions have is not listed.
_LEAST_ASKED = 3
# A claim from here on is confident.
_CONFIDENT = 0.5
_BINS = 10
# So many answers without a condition are looked at for each that has one.
_UNNEEDED = 2


class Labelled(NamedTuple):
    """The candidates for a question, which of them are right, the kind of its answer, and its repository.

    With them come the conditions that may be stated of a right one.
    """

    proposals: tuple[Proposal, ...]
    right: tuple[bool, ...]
    kind: str
    source: str
    conditions: LabelledConditions | None = None


def fit_decision(recipe: DecisionRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    """Write decision.json, for the reader's folder, and scores.json, and return the figures."""
    reader = load_reader(find(recipe.reader), limit=Limit())
    if not isinstance(reader, JointReader):
        raise CaveatError(f"{recipe.reader} is no joint reader: only those propose all kinds of answers.")
    answerer = DocumentAnswerer([reader])
    draw = random.Random(f"decision {recipe.seed}")
    every = [_items(data, data_root, recipe.language) for data in recipe.data]
    asked = Counter(
        word
        for items in every
        for item in items
        for word in set(content_words(item["question"], recipe.language))
    )
    total = sum(map(len, every))
    often = {word: round(count / total, 5) for word, count in asked.items() if count >= _LEAST_ASKED}
    labelled: list[Labelled] = []
    unread: list[LabelledConditions] = []
    described = []
    for data, items in zip(recipe.data, every, strict=True):
        chosen = [
            item for item in items if not data.folds or fold_of(item["repository"], data.folds) == data.fold
        ]
        chosen = spread(chosen, data.most)
        found = list(_labelled(chosen, data, data_root, answerer, often, draw, note))
        note(said(data.path, len(found), {}))
        described.append({"name": data.name or data.path, "licence": data.licence, "questions": len(found)})
        labelled += found
        unread += _unread(items, data, data_root, draw)
    figures = measured(labelled, recipe)
    of_conditions = [each.conditions for each in labelled if each.conditions is not None]
    if of_conditions:
        figures["conditions"] = measured_conditions(of_conditions, recipe.l2, recipe.groups, unread)
    about: dict[str, object] = {
        "reader": reader.card.name,
        "language": recipe.language,
        "data": described,
        "figures": figures,
    }
    prior = fitted_conditions(unread, recipe.l2)
    conditions = fitted_conditions(of_conditions, recipe.l2, prior) if recipe.conditions else {}
    weights = DecisionWeights(about, fitted(labelled, recipe.l2), often, conditions)
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / WEIGHTS, weights)
    write_json(out / SCORES, figures)
    return {"each repository by weights of the others": figures}


def _items(data: DecisionData, data_root: Path, language: str) -> list[dict[str, Any]]:
    lines = read_json_lines(data_root / data.path, dict[str, Any])
    return [item for _, item in lines if item["language"] == language]


def _labelled(
    items: Sequence[dict[str, Any]],
    data: DecisionData,
    data_root: Path,
    answerer: DocumentAnswerer,
    often: Mapping[str, float],
    draw: random.Random,
    note: Note,
) -> Iterator[Labelled]:
    folder = (data_root / data.path).parent / "files"
    prepared: dict[str, PreparedDocument | None] = {}

    def page(name: str) -> PreparedDocument | None:
        """The page, or None where the file holds tables alone, from which documents do not answer."""
        if name not in prepared:
            texts = [each for each in gather(folder / name).sources if isinstance(each, Document)]
            # A path says nothing of a page that a user asks about.
            named = (msgspec.structs.replace(each, url=Path(name).name) for each in texts)
            prepared[name] = next(map(answerer.prepare, named), None)
        return prepared[name]

    def proposed(question: Question, name: str) -> Proposals:
        source = page(name)
        return (
            Proposals(()) if source is None else next(answerer.proposals([Asked(question, (source,))], often))
        )

    def open_of(
        own: Labelled, found: Proposals, question: Question, item: Mapping[str, Any]
    ) -> LabelledConditions | None:
        """The conditions of the first right answer, where they are marked."""
        pairs = zip(own.proposals, own.right, strict=True)
        right = next((one for one, flag in pairs if flag and one.kind == own.kind != "none"), None)
        source = page(item["page"])
        if right is None or source is None or "conditions" not in item:
            return None
        judging, wanted = answerer.judging(question.spoken), item["conditions"]
        return labelled_conditions(question, source.page, found, right, wanted, own.source, judging)

    for number, item in enumerate(items):
        if number and number % 200 == 0:
            note(f"{number:,} of {len(items):,} questions read")
        question = Question(item["question"], item["scenario"] or "", item["language"])
        found = proposed(question, item["page"])
        if found.each:
            own = _label(found.each, item["kind"], item["answers"], item["repository"])
            yield own._replace(conditions=open_of(own, found, question, item))
        if draw.random() < data.foreign:
            other = draw.choice(items)
            if other["repository"] != item["repository"]:
                found = proposed(question, other["page"])
                if found.each:
                    yield _label(found.each, "none", (), item["repository"])


def _unread(
    items: Sequence[dict[str, Any]],
    data: DecisionData,
    data_root: Path,
    draw: random.Random,
) -> Iterator[LabelledConditions]:
    """What may be stated of labelled answers of the other folds: those with conditions, and as many of the others."""
    theirs = [
        item
        for item in items
        if data.folds
        and fold_of(item["repository"], data.folds) != data.fold
        and item["kind"] in ("span", "yes", "no")
        and "conditions" in item
    ]
    needed = [item for item in theirs if item["conditions"]]
    others = [item for item in theirs if not item["conditions"]]
    chosen = needed + draw.sample(others, min(len(others), _UNNEEDED * len(needed)))
    pages: dict[str, Page | None] = {}
    for item in sorted(chosen, key=lambda item: str(item["page"])):
        if (name := item["page"]) not in pages:
            sources = gather((data_root / data.path).parent / "files" / name).sources
            pages = {name: next((Page.of(each) for each in sources if isinstance(each, Document)), None)}
        question = Question(item["question"], item["scenario"] or "", item["language"])
        if (page := pages[name]) is not None:
            # Words tell what the asker has said: a model would have to read all of it.
            found = unread_conditions(question, page, item, WordsJudge())
            if found is not None:
                yield found


def _label(found: Sequence[Proposal], kind: str, answers: Sequence[str], source: str) -> Labelled:
    right = [is_right(proposal, kind, answers) for proposal in found]
    missed = [proposal.kind == "missed" and not any(right) for proposal in found]
    both = tuple(one or other for one, other in zip(right, missed, strict=True))
    return Labelled(tuple(found), both, kind, source)


def fitted(labelled: Sequence[Labelled], l2: float) -> dict[str, float]:
    """The weights under which what is right is most probable, all candidates that are right together."""
    from scipy.optimize import minimize

    names = sorted({name for each in labelled for proposal in each.proposals for name in proposal.features})
    column = {name: at for at, name in enumerate(names)}
    sizes = [len(each.proposals) for each in labelled]
    matrix = np.zeros((sum(sizes), len(names)))
    proposals = (proposal for each in labelled for proposal in each.proposals)
    for row, proposal in enumerate(proposals):
        for name, value in proposal.features.items():
            matrix[row, column[name]] = value
    right = np.array([flag for each in labelled for flag in each.right], dtype=np.float64)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    group = np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = matrix @ weights
        scores -= np.maximum.reduceat(scores, starts)[group]
        raised = np.exp(scores)
        given = raised / np.add.reduceat(raised, starts)[group]
        hit = np.maximum(np.add.reduceat(given * right, starts), 1e-12)
        slope = given - given * right / hit[group]
        total = -float(np.log(hit).sum()) + l2 / 2 * float(weights @ weights)
        return total, matrix.T @ slope + l2 * weights

    found = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS}
    )
    return {name: round(float(weight), 4) for name, weight in zip(names, found.x, strict=True)}


def measured(labelled: Sequence[Labelled], recipe: DecisionRecipe) -> dict[str, Any]:
    """How often the most probable is right where each group of repositories is left out of the fit, by kind."""
    folds = [fold_of(each.source, recipe.groups) for each in labelled]
    results: list[tuple[Labelled, bool, float, str]] = []
    for fold in sorted(set(folds)):
        rest = [each for each, other in zip(labelled, folds, strict=True) if other != fold]
        if not rest:
            continue
        weights = DecisionWeights({}, fitted(rest, recipe.l2), {})
        results += (
            (each, *_chosen(each, weights)) for each, own in zip(labelled, folds, strict=True) if own == fold
        )
    if not results:
        return {}
    figures: dict[str, Any] = {"all": _figures(results)}
    for kind in ("span", "list", "yes", "no", "none"):
        if part := [each for each in results if each[0].kind == kind]:
            figures[kind] = _figures(part)
    said_none = [right for _, right, _, chosen in results if chosen == "none"]
    if said_none:
        figures["all"]["none: right when said"] = round(100 * sum(said_none) / len(said_none), 1)
    return figures


def _chosen(each: Labelled, weights: DecisionWeights) -> tuple[bool, float, str]:
    """Whether the most probable candidate is right, how probable it is called, and its kind."""
    shares = decide(each.proposals, weights)
    answers = [at for at, proposal in enumerate(each.proposals) if proposal.kind != "missed"]
    best = max(answers, key=shares.__getitem__)
    return each.right[best], shares[best], each.proposals[best].kind


def _figures(results: Sequence[tuple[Labelled, bool, float, str]]) -> dict[str, float]:
    right = np.array([hit for _, hit, _, _ in results])
    claimed = np.array([share for _, _, share, _ in results])
    answered = np.array([kind != "none" for _, _, _, kind in results])
    bins = np.minimum((claimed * _BINS).astype(int), _BINS - 1)
    error = sum(abs(float((right[bins == at] - claimed[bins == at]).sum())) for at in range(_BINS))
    among = [
        any(flag and one.kind != "missed" for flag, one in zip(each.right, each.proposals, strict=True))
        for each, *_ in results
    ]
    return {
        "questions": len(results),
        "right": round(100 * float(right.mean()), 1),
        "among the candidates": round(100 * sum(among) / len(among), 1),
        "confidently wrong": round(100 * float((~right & answered & (claimed >= _CONFIDENT)).mean()), 1),
        "calibration error": round(error / len(results), 3),
    }
