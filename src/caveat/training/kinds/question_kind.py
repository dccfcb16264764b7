"""A linear model of what a question wants, fitted to many sources and measured on those that it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import CaveatError
from caveat.core.json_files import read_json_lines, write_json
from caveat.core.languages import Language
from caveat.language.question_kind import KINDS, WEIGHTS, KindWeights, QuestionKind, cues_of
from caveat.training.kinds import Kind, Note, Tables
from caveat.training.sampling import fold_of, said, spread


class QuestionKindData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions: on pages, whose kinds are marked; or of spans, or of yes or no, all of one kind."""

    path: str
    format: Literal["pages", "squad", "yes-no", "conditionalqa"]
    # So many questions, spread over the file; 0 means all.
    most: int = 0
    # What each question weighs in the fit.
    weight: float = 1.0
    name: str = ""
    licence: str = "unstated"


class QuestionKindRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["question-kind"]
    language: Language
    data: tuple[QuestionKindData, ...]
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 1.0
    # Cues that fewer questions have are left out, and so are weights below the least.
    fewest: int = 4
    least: float = 0.03
    # Sources fall into this many folds by a hash, and each is measured by the weights of the others.
    folds: int = 5


def problems_of(recipe: QuestionKindRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 2:
        yield f"folds must be at least 2, got {recipe.folds}"
    for data in recipe.data:
        if data.weight <= 0:
            yield f"{data.path} needs a weight above 0"


SCORES = "scores.json"
Wanted = tuple[QuestionKind, ...]
_OF_ITEMS: dict[str, Wanted] = {
    "span": ("span",),
    "list": ("list",),
    "yes": ("yes or no",),
    "no": ("yes or no",),
}
# Sets of spans have questions for several things among them, and do not say which.
_SPANS: Wanted = ("span", "list")
_MOST_STEPS = 200


class Asked(NamedTuple):
    """A question, the kinds of answer of which it wants one, its source, and what it weighs."""

    question: str
    kinds: Wanted
    source: str
    weight: float


def fit_question_kind(recipe: QuestionKindRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    """Write question_kind.json and scores.json into the folder, and return the figures."""
    asked: list[Asked] = []
    described = []
    for data in recipe.data:
        found = spread(list(_questions(data, data_root / data.path, recipe.language)), data.most)
        note(said(data.path, len(found), {}))
        asked += found
        described.append({"name": data.name or data.path, "licence": data.licence, "questions": len(found)})
    if len({each.kinds for each in asked}) < 2:
        raise CaveatError("The data has questions of one kind only: there is nothing to tell apart.")
    folds = np.array([fold_of(each.source, recipe.folds) for each in asked])
    held_out = np.zeros((len(asked), len(KINDS)))
    for fold in range(recipe.folds):
        weights = _fitted([each for each, at in zip(asked, folds, strict=True) if at != fold], recipe)
        for at in np.flatnonzero(folds == fold):
            held_out[at] = weights.scores(asked[at].question, recipe.language)
    figures = {
        data.name or data.path: _figures(asked, held_out, at, described)
        for at, data in enumerate(recipe.data)
    }
    about: dict[str, object] = {"recipe": recipe.language, "data": described, "figures": figures}
    fitted = _fitted(asked, recipe)
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / WEIGHTS, KindWeights(about, fitted.constant, fitted.cues))
    write_json(out / SCORES, figures)
    return {f"each fold by weights of the others, {len(fitted.cues):,} cues": figures}


def _questions(data: QuestionKindData, path: Path, language: str) -> Iterator[Asked]:
    if data.format == "pages":
        for _, item in read_json_lines(path, dict[str, Any]):
            if item["language"] == language and item["kind"] in _OF_ITEMS:
                yield Asked(item["question"], _OF_ITEMS[item["kind"]], item["repository"], data.weight)
    elif data.format == "squad":
        for passage in squad.read_passages(path):
            for question in passage.questions:
                yield Asked(question.text, _SPANS, passage.title or passage.text, data.weight)
    elif data.format == "conditionalqa":
        for each in conditionalqa.read(path):
            texts = {answer.text for answer in each.answers}
            if texts and (texts <= {"yes", "no"} or not texts & {"yes", "no"}):
                kinds: Wanted = ("yes or no",) if texts <= {"yes", "no"} else _SPANS
                yield Asked(each.question, kinds, each.url, data.weight)
    else:
        for _, record in read_json_lines(path, dict[str, Any]):
            yield Asked(record["question"], ("yes or no",), record["passage"], data.weight)


def _fitted(asked: Sequence[Asked], recipe: QuestionKindRecipe) -> KindWeights:
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix, hstack

    cues = [cues_of(each.question, recipe.language) for each in asked]
    counts = Counter(cue for each in cues for cue in each)
    columns = {
        cue: at for at, cue in enumerate(cue for cue, n in sorted(counts.items()) if n >= recipe.fewest)
    }
    places = [(row, columns[cue]) for row, each in enumerate(cues) for cue in each if cue in columns]
    rows, at = np.array(places).T
    matrix = csr_matrix((np.ones(len(places)), (rows, at)), shape=(len(asked), len(columns)))
    matrix = hstack([matrix, np.ones((len(asked), 1))]).tocsr()
    wanted = _wanted(asked)
    shares = np.array([each.weight for each in asked])[:, None]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(matrix.shape[1], len(KINDS))
        scores = matrix @ weights
        scores -= scores.max(1, keepdims=True)
        given = np.exp(scores)
        given /= given.sum(1, keepdims=True)
        right = np.maximum((given * wanted).sum(1, keepdims=True), 1e-12)
        total = -(shares * np.log(right)).sum() + recipe.l2 / 2 * (flat @ flat)
        slope = shares * (given - given * wanted / right)
        return float(total), ((matrix.T @ slope) + recipe.l2 * weights).ravel()

    start = np.zeros(matrix.shape[1] * len(KINDS))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS})
    weights = found.x.reshape(matrix.shape[1], len(KINDS)).round(2)
    kept = {
        cue: tuple(weights[number].tolist())
        for cue, number in columns.items()
        if np.abs(weights[number]).max() >= recipe.least
    }
    return KindWeights({}, tuple(weights[-1].tolist()), kept)


def _wanted(asked: Sequence[Asked]) -> NDArray[np.float64]:
    """A row a question, 1 for each kind that is right."""
    return np.array([[float(kind in each.kinds) for kind in KINDS] for each in asked])


def _figures(
    asked: Sequence[Asked], scores: NDArray[np.float64], data: int, described: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Of a data set, how many of each kind are found, and how many that are said to be of it are, in per cent."""
    begin = sum(each["questions"] for each in described[:data])
    part = slice(begin, begin + described[data]["questions"])
    gold, found = _wanted(asked[part]) > 0, scores[part].argmax(1)
    right = gold[np.arange(len(found)), found]
    figures: dict[str, Any] = {"questions": len(found), "right": round(100 * float(right.mean()), 1)}
    sure = gold.sum(1) == 1
    for number, kind in enumerate(KINDS):
        if (mine := gold[:, number] & sure).any():
            figures[f"{kind}: found"] = round(100 * float((found[mine] == number).mean()), 1)
        if (said_so := found == number).any():
            figures[f"{kind}: right"] = round(100 * float(right[said_so].mean()), 1)
    return figures


KIND = Kind(
    name="question-kind",
    recipe=QuestionKindRecipe,
    problems=problems_of,
    fit=fit_question_kind,
    needs=("scipy",),
)
