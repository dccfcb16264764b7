"""CMQA: a sample's spans and relations as sets of labels, scored as the paper defines it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from itertools import combinations
from typing import Any

import msgspec

from caveat.benchmarks.shared.agreement import shared_keys
from caveat.benchmarks.shared.scores import Scored, missing_and_unknown, percentage
from caveat.core.errors import CaveatError
from caveat.core.limits import checkpoint

Sample = Mapping[str, Set[Hashable]]
"""The labels under the data's own names: spans under `condition`, `coarse` and `fine`, pairs of spans under
`condition_coarse`, `condition_fine` and `coarse_fine`; a name may be absent."""

Labels = frozenset[Hashable]

_Pair = tuple[Labels, Labels | None]
"""A sample's reference labels and the predicted ones; None where there is no prediction."""

LABEL_TYPES: Mapping[str, tuple[str, ...]] = {
    "condition": ("condition",),
    "coarse": ("coarse",),
    "fine": ("fine",),
    "condition-answer": ("condition_coarse", "condition_fine"),
    "coarse-fine": ("coarse_fine",),
    "all": ("condition", "coarse", "fine"),
}
"""What is scored, and the names in the data that make it up."""

AGREED_TYPES = (*(name for name in LABEL_TYPES if name != "all"), "spans", "all")
"""What the agreement of annotators is told for: `spans` is the scores' `all`, and `all` is the relations too."""

PRESENCE_TYPES = ("condition", "coarse", "fine")


def labels_of(sample: Sample, label_type: str) -> Labels:
    """A sample's labels of one scored type."""
    names = LABEL_TYPES[label_type]
    if label_type == "all":
        # A span label is (type, start, end): the same span under two types is two labels.
        return frozenset((name, label) for name in names for label in sample.get(name, ()))
    # A relation label is its two spans alone: the union merges a pair named under both relations.
    return frozenset(label for name in names for label in sample.get(name, ()))


def agreed_labels(sample: Sample, label_type: str) -> Labels:
    """A sample's labels as the agreement counts them: in the paper's Table 3 `all` is every type of label."""
    if label_type == "spans":
        return labels_of(sample, "all")
    if label_type == "all":
        relations = ("condition-answer", "coarse-fine")
        typed = {(type, label) for type in relations for label in labels_of(sample, type)}
        return labels_of(sample, "all") | typed
    return labels_of(sample, label_type)


def micro_f1(pairs: Iterable[tuple[Set[Hashable], Set[Hashable]]]) -> float | None:
    """F1 on 0–1 of (reference, prediction) pairs: sums first, then one harmonic mean; None of no labels."""
    matched = total = 0
    for reference, predicted in pairs:
        checkpoint()
        matched += len(reference & predicted)
        total += len(reference) + len(predicted)
    # The harmonic mean of matched/reference and matched/predicted.
    return 2 * matched / total if total else None


def score(gold: Mapping[str, Sample], predicted: Mapping[str, Sample]) -> Scored:
    """The figures over all gold samples, a missing one counting as wrong in every respect."""
    missing, unknown = missing_and_unknown(gold, predicted)
    pairs = {
        label_type: [
            (
                labels_of(sample, label_type),
                labels_of(predicted[key], label_type) if key in predicted else None,
            )
            for key, sample in gold.items()
        ]
        for label_type in LABEL_TYPES
    }
    details = tuple(
        {"id": key, **_figures({label_type: [pairs[label_type][number]] for label_type in LABEL_TYPES})}
        for number, key in enumerate(gold)
    )
    return Scored({**_figures(pairs), "missing": len(missing)}, missing, unknown, details)


def score_official(gold: Mapping[str, Sample], predicted: Mapping[str, Sample]) -> Scored:
    """The same figures where the paper defines them: for two annotations of the same samples."""
    missing, _ = missing_and_unknown(gold, predicted)
    if missing:
        raise CaveatError(
            f"CMQA's figures are defined for two annotations of the same samples, and {len(missing)} of "
            f"{len(gold)} samples have no prediction; the first is {missing[0]!r}."
        )
    return score(gold, predicted)


def _figures(pairs: Mapping[str, Sequence[_Pair]]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        # For one label type only the samples whose reference has it count in the exact match; for all spans
        # together every sample does.
        label_type: _set_scores(of_type, [pair for pair in of_type if pair[0] or label_type == "all"])
        for label_type, of_type in pairs.items()
    }
    figures["presence_accuracy"] = {
        label_type: percentage([_presence_is_right(pair) for pair in pairs[label_type]])
        for label_type in PRESENCE_TYPES
    }
    return figures


def _set_scores(pairs: Sequence[_Pair], counted: Sequence[_Pair]) -> dict[str, Any]:
    f1 = micro_f1((reference, predicted or frozenset()) for reference, predicted in pairs)
    return {
        # A missing prediction (None) equals no reference, not even an empty one.
        "exact_match": percentage([float(reference == predicted) for reference, predicted in counted]),
        "f1": None if f1 is None else 100 * f1,
        "samples": len(counted),
    }


def _presence_is_right(pair: _Pair) -> float:
    reference, predicted = pair
    return float(predicted is not None and bool(reference) == bool(predicted))


class PairwiseF1(msgspec.Struct, frozen=True):
    """Mean F1 (0–100) over the pairs of annotators, by label type; None where no pair used the type."""

    f1: dict[str, float | None]
    annotators: int
    pairs: int
    samples: int
    left_out: int


def pairwise_f1(annotators: Sequence[Mapping[str, Sample]]) -> PairwiseF1:
    """CMQA's agreement: the F1 of each pair of annotators, averaged.

    Only the samples that every annotator has count; `left_out` is the number of the others.
    """
    shared, left_out = shared_keys(annotators)
    pairs = list(combinations(annotators, 2))
    f1: dict[str, float | None] = {}
    for label_type in AGREED_TYPES:
        # F1 is symmetric: which of the two is taken for the reference makes no difference.
        of_pairs = [
            micro_f1(
                (agreed_labels(one[key], label_type), agreed_labels(other[key], label_type)) for key in shared
            )
            for one, other in pairs
        ]
        defined = [value for value in of_pairs if value is not None]
        f1[label_type] = percentage(defined)
    return PairwiseF1(f1, len(annotators), len(pairs), len(shared), left_out)
