"""Which conditions are stated of an answer: their weights, fitted to questions whose open conditions are marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.candidates import Proposal, Proposals
from caveat.answerers.documents.open_conditions import OpenCondition, is_stated, open_conditions, ruled
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import Judging
from caveat.core.logic import atoms_of
from caveat.core.records import Question
from caveat.training.kinds.decision.labels import shares_words
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
    found = open_conditions(page, proposals.texts[number], right.kind, (place.start, place.end), said)
    hits = tuple(
        any(shares_words(atom.text, one) for atom in atoms_of(each.expression) for one in wanted)
        for each in found
    )
    return LabelledConditions(tuple(found), hits, bool(wanted), source)


def fitted_conditions(labelled: Sequence[LabelledConditions], l2: float) -> dict[str, float]:
    """The weights of a logistic regression over all that may be stated.

    None where the reader marks no conditions: then what rules say is stated.
    """
    from scipy.optimize import minimize

    rows = [
        (each.features, flag) for one in labelled for each, flag in zip(one.found, one.right, strict=True)
    ]
    if not any(features.get(f"{source}: condition") for features, _ in rows for source in ("rule", "marked")):
        return {}
    names = sorted({name for features, _ in rows for name in features})
    matrix = np.array([[features.get(name, 0.0) for name in names] for features, _ in rows])
    signs = np.array([1.0 if flag else -1.0 for _, flag in rows])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (matrix @ weights)
        slope = -signs / (1 + np.exp(np.clip(margins, -30, 30)))
        total = float(np.logaddexp(0, -margins).sum()) + l2 / 2 * float(weights @ weights)
        return total, matrix.T @ slope + l2 * weights

    found = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": _MOST_STEPS}
    )
    return {name: round(float(weight), 4) for name, weight in zip(names, found.x, strict=True)}


def measured_conditions(labelled: Sequence[LabelledConditions], l2: float, groups: int) -> dict[str, float]:
    """How often what is needed is stated, and something false, where each group of repositories is left out."""
    folds = [fold_of(each.source, groups) for each in labelled]
    needed = hit = said = false = 0
    for fold in sorted(set(folds)):
        rest = [each for each, other in zip(labelled, folds, strict=True) if other != fold]
        weights = fitted_conditions(rest, l2)
        for each, own in zip(labelled, folds, strict=True):
            if own == fold:
                stated = _stated(each, weights)
                needed += each.needed
                hit += each.needed and any(stated)
                said += bool(stated)
                false += bool(stated) and not any(stated)
    return {
        "right answers": len(labelled),
        "need a condition": needed,
        "stated where needed": round(100 * hit / max(1, needed), 1),
        "with a condition": said,
        "with false ones alone": round(100 * false / max(1, len(labelled)), 1),
    }


def _stated(each: LabelledConditions, weights: Mapping[str, float]) -> list[bool]:
    """Of what is stated, whether it is right."""
    return [
        flag for one, flag in zip(each.found, each.right, strict=True) if is_stated(one.features, weights)
    ]
