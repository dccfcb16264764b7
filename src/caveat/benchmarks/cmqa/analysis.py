"""What predictions for CMQA get wrong: presence, distinction, type and boundaries of spans, connections, worst samples.

The paper's authors read errors one by one (its Table 9); here offsets decide, so that any prediction can be analysed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, labels
from caveat.benchmarks.cmqa.metric import PRESENCE_TYPES, micro_f1, score
from caveat.benchmarks.shared.count_tables import Cell, Table, share
from caveat.benchmarks.task import Shown
from caveat.core.errors import one_line
from caveat.core.files import PathLike

Figures = dict[str, dict[str, int | float | None]]
"""A row a type, a column a figure."""

RELATIONS = ("condition_coarse", "condition_fine", "coarse_fine")

_Span = tuple[str, int, int]
_ANSWERS = {"coarse": ("coarse",), "fine": ("fine",), "answers": ("coarse", "fine")}


def connections(pairs: Sequence[tuple[CmqaSample, CmqaSample]]) -> Figures:
    """The share of neighbouring answers, from left to right, with nothing but one mark or blank between them.

    The paper tells the share of its connected answers (fine 47.1, coarse 8.6) without a definition; of those tried this
    comes closest on the published samples.
    """
    return {
        row: _side_by_side([gold for gold, _ in pairs], types, "gold")
        | _side_by_side([predicted for _, predicted in pairs], types, "predicted")
        for row, types in _ANSWERS.items()
    }


def _side_by_side(
    samples: Sequence[CmqaSample], types: Sequence[str], side: str
) -> dict[str, int | float | None]:
    neighbours = connected = 0
    for sample in samples:
        places = sorted({(start, end) for _, start, end in _spans(sample, types)})
        for (_, end), (start, _) in pairwise(places):
            neighbours += 1
            between = sample.context[end:start]
            connected += start >= end and len(between) < 2 and not between.isalnum()
    return {f"{side}_neighbours": neighbours, f"{side}_connected": share(connected, neighbours)}


def linked(pairs: Sequence[tuple[CmqaSample, CmqaSample]]) -> Figures:
    """The share of answers that are an end of a relation; and of the answers found, those with the gold heads."""
    heads = [(_heads(gold), _heads(predicted)) for gold, predicted in pairs]
    return {row: _linked(pairs, heads, types) for row, types in _ANSWERS.items()}


_Heads = dict[_Span, set[_Span]]


def _linked(
    pairs: Sequence[tuple[CmqaSample, CmqaSample]],
    heads: Sequence[tuple[_Heads, _Heads]],
    types: Sequence[str],
) -> dict[str, int | float | None]:
    gold = predicted = gold_linked = predicted_linked = found = right = 0
    for (gold_sample, predicted_sample), (gold_heads, predicted_heads) in zip(pairs, heads, strict=True):
        of_gold, of_predicted = _spans(gold_sample, types), _spans(predicted_sample, types)
        gold += len(of_gold)
        predicted += len(of_predicted)
        gold_linked += len(of_gold & _ends(gold_heads))
        predicted_linked += len(of_predicted & _ends(predicted_heads))
        both = of_gold & of_predicted
        found += len(both)
        right += sum(gold_heads.get(answer) == predicted_heads.get(answer) for answer in both)
    return {
        "gold": gold,
        "gold_linked": share(gold_linked, gold),
        "predicted": predicted,
        "predicted_linked": share(predicted_linked, predicted),
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


Fault = Literal["boundary", "type", "distinction"]

_Judgement = Literal["right", "boundary", "type", "distinction"]
# From light to grave.
_JUDGEMENTS: tuple[_Judgement, ...] = ("right", "boundary", "type", "distinction")


_TITLES = {
    "presence": "Does a sample have such spans?",
    "errors": "Samples by their gravest error",
    "gold_spans": "Gold spans",
    "predicted_spans": "Predicted spans",
    "connections": "Connected answers: neighbours with at most one mark between them, %",
    "linked": "Answers in a relation, %",
    "relations": "Relations",
}
_LONGEST = 200


class AnalysisOptions(msgspec.Struct, frozen=True):
    """The predictions, and how many of the samples with the lowest F1 are shown."""

    pred: PathLike | None = None
    worst: int = 5


class WrongSpan(msgspec.Struct, frozen=True):
    """A span of gold or prediction that the other does not have, and what is wrong with it."""

    type: str
    text: str
    start: int
    end: int
    fault: Fault


class WorstSample(msgspec.Struct, frozen=True):
    """A sample, its F1 over all spans and relations, gold spans that were not found and predicted ones not in gold."""

    sample: int
    f1: float
    question: str
    not_found: tuple[WrongSpan, ...]
    not_gold: tuple[WrongSpan, ...]


class CmqaAnalysis(msgspec.Struct, frozen=True):
    """Tables with a row for each type, and the samples with the lowest F1."""

    samples: int
    missing: int
    presence: Figures
    errors: Figures
    gold_spans: Figures
    predicted_spans: Figures
    connections: Figures
    linked: Figures
    relations: Figures
    worst: tuple[WorstSample, ...] = ()

    def shown(self) -> Shown:
        """The tables under their titles, and the worst samples, one a row."""
        rows = tuple(map(_row, self.worst))
        columns = ("sample", "F1", "question", "not found", "not in gold")
        samples = f"{self.missing:,} sample{'' if self.missing == 1 else 's'}"
        return Shown(
            {title: getattr(self, name) for name, title in _TITLES.items()},
            (Table("Worst samples", columns, rows),) if rows else (),
            (f"no prediction for {samples}: nothing counts as predicted there.",) if self.missing else (),
        )


def _row(sample: WorstSample) -> tuple[Cell, ...]:
    return (
        sample.sample,
        sample.f1,
        one_line(sample.question, _LONGEST),
        _listed(sample.not_found),
        _listed(sample.not_gold),
    )


def _listed(spans: Sequence[WrongSpan]) -> str:
    return one_line("; ".join(f"{span.text} ({span.type}: {span.fault})" for span in spans), _LONGEST) or "–"


class _Judged(NamedTuple):
    span: LabelledSpan
    judgement: _Judgement


class _OfType(NamedTuple):
    """The distinct spans of one type in one sample."""

    gold: list[_Judged]
    predicted: list[_Judged]


def analyse(
    gold: Sequence[CmqaSample], predicted: Mapping[int, CmqaSample], *, worst: int = 5
) -> CmqaAnalysis:
    """Predictions by the number of their gold sample, from 1; where one is missing nothing was predicted."""
    numbered = dict(enumerate(gold, start=1))
    pairs = [
        (sample, predicted.get(number) or CmqaSample(sample.context, sample.question))
        for number, sample in numbered.items()
    ]
    judged = [_judge(*pair) for pair in pairs]
    by_type = {type: [of_sample[type] for of_sample in judged] for type in PRESENCE_TYPES}
    scores = score(
        {str(number): labels(sample) for number, sample in numbered.items()},
        {str(number): labels(sample) for number, sample in predicted.items()},
    ).scores
    return CmqaAnalysis(
        len(gold),
        scores["missing"],
        {type: _presence(found, scores["presence_accuracy"][type]) for type, found in by_type.items()},
        {type: _errors(found) for type, found in by_type.items()},
        {
            type: _counts([span for one in found for span in one.gold], "missed")
            for type, found in by_type.items()
        },
        {
            type: _counts([span for one in found for span in one.predicted], "not_an_answer")
            for type, found in by_type.items()
        },
        connections(pairs),
        linked(pairs),
        relations(pairs),
        _worst(pairs, judged, worst),
    )


def _judge(gold: CmqaSample, predicted: CmqaSample) -> dict[str, _OfType]:
    of_gold, of_predicted = _distinct(gold), _distinct(predicted)
    return {
        type: _OfType(
            [_Judged(span, _judgement(span, type, of_predicted)) for span in of_gold[type]],
            [_Judged(span, _judgement(span, type, of_gold)) for span in of_predicted[type]],
        )
        for type in PRESENCE_TYPES
    }


def _distinct(sample: CmqaSample) -> dict[str, list[LabelledSpan]]:
    found = {}
    for type in PRESENCE_TYPES:
        by_place = {(span.start, span.end): span for span in getattr(sample, type)}
        found[type] = [by_place[place] for place in sorted(by_place)]
    return found


def _judgement(span: LabelledSpan, type: str, other_side: Mapping[str, Sequence[LabelledSpan]]) -> _Judgement:
    """What a span is to the spans of the other side."""
    same = other_side[type]
    if any((span.start, span.end) == (one.start, one.end) for one in same):
        return "right"
    if any(_common(span, one) > 0 for one in same):
        return "boundary"
    # A condition often has an answer within it: common characters alone do not make them the same piece of text.
    for other, spans in other_side.items():
        if other != type and any(2 * _common(span, one) > _together(span, one) for one in spans):
            return "type"
    return "distinction"


def _common(left: LabelledSpan, right: LabelledSpan) -> int:
    return max(0, min(left.end, right.end) - max(left.start, right.start))


def _together(left: LabelledSpan, right: LabelledSpan) -> int:
    return (left.end - left.start) + (right.end - right.start) - _common(left, right)


def _presence(found: Sequence[_OfType], accuracy: float | None) -> dict[str, int | float | None]:
    return {
        "accuracy": accuracy,
        "present": sum(bool(one.gold) for one in found),
        "not_told": sum(bool(one.gold) and not one.predicted for one in found),
        "told_wrongly": sum(bool(one.predicted) and not one.gold for one in found),
    }


def _errors(found: Sequence[_OfType]) -> dict[str, int | float | None]:
    """The samples that have the type in gold or prediction, each by the gravest error."""
    errors = [(_gravest(one), one) for one in found if one.gold or one.predicted]
    counts = Counter(error for error, _ in errors)
    undistinguished = [one for error, one in errors if error == "distinction"]
    return {
        "samples": len(errors),
        **{error: counts[error] for error in ("right", "presence", "distinction", "type", "boundary")},
        # Of the samples where both sides have such spans.
        "distinction_rate": share(counts["distinction"], len(errors) - counts["presence"]),
        "chosen_wrongly": sum(_has_distinction(one.predicted) for one in undistinguished),
        "missed": sum(_has_distinction(one.gold) for one in undistinguished),
    }


def _gravest(found: _OfType) -> str:
    if not found.gold or not found.predicted:
        return "presence"
    return max((span.judgement for span in (*found.gold, *found.predicted)), key=_JUDGEMENTS.index)


def _has_distinction(spans: Sequence[_Judged]) -> bool:
    return any(span.judgement == "distinction" for span in spans)


def _counts(spans: Sequence[_Judged], undistinguished: str) -> dict[str, int | float | None]:
    counts = Counter(span.judgement for span in spans)
    named: dict[_Judgement, str] = {"distinction": undistinguished}
    return {
        "spans": len(spans),
        **{named.get(judgement, judgement): counts[judgement] for judgement in _JUDGEMENTS},
    }


def _worst(
    pairs: Sequence[tuple[CmqaSample, CmqaSample]], judged: Sequence[Mapping[str, _OfType]], number: int
) -> tuple[WorstSample, ...]:
    """The samples with the lowest F1; of equal ones first those with most to find."""
    rated = []
    for index, sides in enumerate(pairs):
        gold, predicted = (
            {(name, label) for name, of_name in labels(side).items() for label in of_name} for side in sides
        )
        f1 = micro_f1([(gold, predicted)])
        if f1 is not None and f1 < 1:
            rated.append((f1, -len(gold), index))
    return tuple(
        WorstSample(
            index + 1,
            100 * f1,
            pairs[index][0].question.strip(),
            _wrong({type: found.gold for type, found in judged[index].items()}),
            _wrong({type: found.predicted for type, found in judged[index].items()}),
        )
        for f1, _, index in sorted(rated)[:number]
    )


def _wrong(spans: Mapping[str, Sequence[_Judged]]) -> tuple[WrongSpan, ...]:
    return tuple(
        WrongSpan(type, span.text, span.start, span.end, judgement)
        for type, of_type in spans.items()
        for span, judgement in of_type
        if judgement != "right"
    )
