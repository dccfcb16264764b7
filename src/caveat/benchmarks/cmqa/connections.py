"""How far CMQA's answers are connected to conditions and coarser answers, in gold and prediction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from caveat.benchmarks.cmqa.format import CmqaSample, labels
from caveat.benchmarks.shared.count_tables import share

__all__ = ["RELATIONS", "Figures", "connections", "relations"]

Figures = dict[str, dict[str, int | float | None]]
"""A row a type, a column a figure."""

RELATIONS = ("condition_coarse", "condition_fine", "coarse_fine")

_Span = tuple[str, int, int]
_ANSWERS = {"coarse": ("coarse",), "fine": ("fine",), "answers": ("coarse", "fine")}


def connections(pairs: Sequence[tuple[CmqaSample, CmqaSample]]) -> Figures:
    """The share of answers that are an end of a relation; and of the answers found, those with the gold heads."""
    heads = [(_heads(gold), _heads(predicted)) for gold, predicted in pairs]
    return {row: _connections(pairs, heads, types) for row, types in _ANSWERS.items()}


_Heads = dict[_Span, set[_Span]]


def _connections(
    pairs: Sequence[tuple[CmqaSample, CmqaSample]],
    heads: Sequence[tuple[_Heads, _Heads]],
    types: Sequence[str],
) -> dict[str, int | float | None]:
    gold = predicted = gold_connected = predicted_connected = found = right = 0
    for (gold_sample, predicted_sample), (gold_heads, predicted_heads) in zip(pairs, heads, strict=True):
        of_gold, of_predicted = _spans(gold_sample, types), _spans(predicted_sample, types)
        gold += len(of_gold)
        predicted += len(of_predicted)
        gold_connected += len(of_gold & _ends(gold_heads))
        predicted_connected += len(of_predicted & _ends(predicted_heads))
        both = of_gold & of_predicted
        found += len(both)
        right += sum(gold_heads.get(answer) == predicted_heads.get(answer) for answer in both)
    return {
        "gold": gold,
        "gold_connected": share(gold_connected, gold),
        "predicted": predicted,
        "predicted_connected": share(predicted_connected, predicted),
        "found": found,
        "heads_right": share(right, found),
    }


def _spans(sample: CmqaSample, types: Sequence[str]) -> set[_Span]:
    return {(type, span.start, span.end) for type in types for span in getattr(sample, type)}


def _heads(sample: CmqaSample) -> _Heads:
    """The heads of each answer that has any."""
    found: _Heads = {}
    for name in RELATIONS:
        head, tail = name.split("_")
        for relation in getattr(sample, name):
            answer = (tail, relation.tail.start, relation.tail.end)
            found.setdefault(answer, set()).add((head, relation.head.start, relation.head.end))
    return found


def _ends(heads: _Heads) -> set[_Span]:
    return set(heads).union(*heads.values())


def relations(pairs: Sequence[tuple[CmqaSample, CmqaSample]]) -> Figures:
    """Relations that fail by a span, which gold and prediction do not share, or by the choice of the pair."""
    return {name.replace("_", "-"): _relation(pairs, name) for name in RELATIONS}


def _relation(pairs: Sequence[tuple[CmqaSample, CmqaSample]], name: str) -> dict[str, int | float | None]:
    counts: Counter[str] = Counter()
    head, tail = name.split("_")
    for sides in pairs:
        gold, predicted = (labels(sample) for sample in sides)
        heads, tails = gold[head] & predicted[head], gold[tail] & predicted[tail]
        counts["gold"] += len(gold[name])
        counts["predicted"] += len(predicted[name])
        counts["right"] += len(gold[name] & predicted[name])
        for what, ours, theirs in (("missed", gold, predicted), ("wrong", predicted, gold)):
            for pair in ours[name] - theirs[name]:
                shared = pair[0] in heads and pair[1] in tails
                counts[f"{what}_by_{'pair' if shared else 'span'}"] += 1
    columns = (
        "gold",
        "predicted",
        "right",
        "missed_by_span",
        "missed_by_pair",
        "wrong_by_span",
        "wrong_by_pair",
    )
    return {column: counts[column] for column in columns}
