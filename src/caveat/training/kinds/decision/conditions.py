"""Which conditions are stated of an answer: their weights, fitted to questions whose open conditions are marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.candidates import Proposal, Proposals
from caveat.answerers.documents.open_conditions import OpenCondition, chosen, open_conditions, ruled
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import Judging
from caveat.core.logic import atoms_of
from caveat.core.records import Question
from caveat.models.joint import TextReading
from caveat.sources.outline import sentence_around
from caveat.training.kinds.decision.labels import is_clause
from caveat.training.sampling import fold_of

_MOST_STEPS = 300


class LabelledConditions(NamedTuple):
    """What may be stated of a right answer, which of it is right, whether something has to be, and the repository."""

    found: tuple[OpenCondition, ...]
    right: tuple[bool, ...]
    needed: bool
    source: str


def labelled_conditions(
    question: Question,
    page: Page,
    proposals: Proposals,
    right: Proposal,
    wanted: Sequence[str],
    source: str,
    judging: Judging,
) -> LabelledConditions | None:
    """The conditions that may be stated of the right answer; None where it stands nowhere."""
    if not right.places or right.kind == "list":
        return None
    number, place = right.places[0]
    said = ruled(page, question, right.kind, (place.start, place.end), judging)
    text = proposals.texts[number]
    found = open_conditions(page, text, question, right.kind, (place.start, place.end), said)
    return LabelledConditions(tuple(found), _hits(found, wanted), bool(wanted), source)


def unread_conditions(
    question: Question, page: Page, item: Mapping[str, Any], judging: Judging
) -> LabelledConditions | None:
    """What may be stated of a labelled answer on a page that is not read; None where its evidence is not found.

    The reader may have learnt from the page, and so it is not asked: its features are missing.
    """
    place = _place_of(page, item)
    if place is None:
        return None
    said = ruled(page, question, item["kind"], place, judging)
    found = open_conditions(page, TextReading(), question, item["kind"], place, said)
    return LabelledConditions(
        tuple(found), _hits(found, item["conditions"]), bool(item["conditions"]), item["repository"]
    )


def _place_of(page: Page, item: Mapping[str, Any]) -> tuple[int, int] | None:
    """Where the answer stands in its evidence; of yes and no the sentence in the middle of that."""
    for evidence in item["evidence"]:
        at = page.document.text.find(evidence)
        if at < 0:
            continue
        if item["kind"] != "span":
            middle = at + len(evidence) // 2
            return sentence_around(page.document, middle, middle + 1)
        for answer in item["answers"]:
            if (start := page.document.text.find(answer, at, at + len(evidence))) >= 0:
                return start, start + len(answer)
    return None


def _hits(found: Sequence[OpenCondition], wanted: Sequence[str]) -> tuple[bool, ...]:
    """Which of what may be stated is wanted."""
    return tuple(
        any(is_clause(atom.text, one) for atom in atoms_of(each.expression) for one in wanted)
        for each in found
    )


def fitted_conditions(
    labelled: Sequence[LabelledConditions], l2: float, prior: Mapping[str, float] = MappingProxyType({})
) -> dict[str, float]:
    """The weights of a logistic regression over all that may be stated; none where nothing may be.

    A weight is drawn to what it is in the prior, which is fitted to pages that were not read.
    """
    from scipy.optimize import minimize

    rows = [
        (each.features, flag) for one in labelled for each, flag in zip(one.found, one.right, strict=True)
    ]
    names = sorted({name for features, _ in rows for name in features} | set(prior))
    before = np.array([prior.get(name, 0.0) for name in names])
    if not rows:
        return dict(prior)
    matrix = np.array([[features.get(name, 0.0) for name in names] for features, _ in rows])
    signs = np.array([1.0 if flag else -1.0 for _, flag in rows])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (matrix @ weights)
        slope = -signs / (1 + np.exp(np.clip(margins, -30, 30)))
        total = float(np.logaddexp(0, -margins).sum())
        moved = weights - before
        return total + l2 / 2 * float(moved @ moved), matrix.T @ slope + l2 * moved

    found = minimize(loss, before, jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS})
    return {name: round(float(weight), 4) for name, weight in zip(names, found.x, strict=True)}


def measured_conditions(
    labelled: Sequence[LabelledConditions],
    l2: float,
    groups: int,
    unread: Sequence[LabelledConditions] = (),
) -> dict[str, float]:
    """How often what is needed is stated, and something false, where each group of repositories is left out."""
    folds = [fold_of(each.source, groups) for each in labelled]
    needed = hit = said = false = unneeded = among = 0
    for fold in sorted(set(folds)):
        rest = [each for each, other in zip(labelled, folds, strict=True) if other != fold]
        prior = fitted_conditions([each for each in unread if fold_of(each.source, groups) != fold], l2)
        weights = fitted_conditions(rest, l2, prior)
        for each, own in zip(labelled, folds, strict=True):
            if own == fold:
                stated = _stated(each, weights)
                needed += each.needed
                hit += each.needed and any(stated)
                said += bool(stated)
                false += bool(stated) and not any(stated)
                unneeded += bool(stated) and not each.needed
                among += each.needed and any(each.right)
    return {
        "right answers": len(labelled),
        "need a condition": needed,
        "stated where needed": round(100 * hit / max(1, needed), 1),
        "among the candidates": round(100 * among / max(1, needed), 1),
        "with a condition": said,
        "stated where none is needed": round(100 * unneeded / max(1, len(labelled) - needed), 1),
        "with false ones alone": round(100 * false / max(1, len(labelled)), 1),
    }


def _stated(each: LabelledConditions, weights: Mapping[str, float]) -> list[bool]:
    """Of what is stated, whether it is right."""
    right = {id(one): flag for one, flag in zip(each.found, each.right, strict=True)}
    return [right[id(one)] for one in chosen(each.found, weights)]
