"""How far the annotators of a project agree: the paper's own measure, each kind of label, each person, over time."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from caveat.annotation.conversion import cmqa_records, conditional_records
from caveat.annotation.project import Project
from caveat.annotation.records import Disagreement, Gold, Sample, Work, labels, span_texts, typed_labels
from caveat.benchmarks.cmqa.format import labels as cmqa_labels
from caveat.benchmarks.cmqa.metric import micro_f1, pairwise_f1
from caveat.benchmarks.cmrc2018 import task as cmrc
from caveat.benchmarks.conditionalqa import metric as conditionalqa
from caveat.benchmarks.multispan import metric as multispan
from caveat.benchmarks.shared.agreement import human_performance, mean_of, pairwise_scores
from caveat.benchmarks.squad import task as squad
from caveat.core.errors import CaveatError

# How many points a course has at most.
_MOMENTS = 20

Works = Mapping[str, Mapping[str, Work]]


class Pair(msgspec.Struct, frozen=True):
    """Two annotators, the items that both have, and the F1 (0–100) of all their labels; None where there are none."""

    one: str
    other: str
    items: int
    f1: float | None


class Moment(msgspec.Struct, frozen=True):
    """The agreement (F1, 0–100) on the items of a stretch of time, which ended then."""

    time: str
    items: int
    f1: float | None


class AgreementReport(msgspec.Struct, frozen=True):
    """All figures of agreement; those on 0–100 are None where there is no label of the kind, alpha is at most 1."""

    task: str
    annotators: int
    items: int
    # The measure of the task's paper: CMQA's mean F1 over pairs, CMRC's human performance, or the task's own scores
    # averaged over the pairs of annotators.
    paper: dict[str, Any]
    # Kind of span or link → the mean over the pairs of annotators of the F1 of their labels.
    kinds: dict[str, float | None]
    # What is judged → Krippendorff's alpha: the verdict and the type of question of an item, and whether a character is
    # in a span of a kind.
    alpha: dict[str, float | None]
    # Annotator → items shared with others, and the F1 with all of them.
    by_annotator: dict[str, dict[str, float | None]]
    pairs: tuple[Pair, ...]
    over_time: tuple[Moment, ...]


def agreement(project: Project) -> AgreementReport:
    """The agreement of those who worked blindly on the same items, as far as they are done."""
    works = {item: found for item, found in project.answers().items() if len(found) > 1}
    if not works:
        raise CaveatError("No item has been done by two annotators yet.")
    samples = project.samples_by_item()
    names = list(dict.fromkeys(name for found in works.values() for name in found))
    pairs = _pairs(works, names)
    return AgreementReport(
        project.task.name,
        len(names),
        len(works),
        _PAPERS[project.task.name](samples, works, pairs),
        {kind: _kind_f1(works, pairs, kind) for kind in _kinds(project)},
        _alphas(project, samples, works),
        {name: _of_annotator(works, name) for name in names},
        tuple(pairs),
        _over_time(works, _times(project)),
    )


def _kinds(project: Project) -> list[str]:
    return [*(kind.name for kind in project.task.kinds), *(link.name for link in project.task.links)]


def _pairs(works: Works, names: Sequence[str]) -> list[Pair]:
    found = []
    for one, other in combinations(names, 2):
        shared = [item for item, done in works.items() if one in done and other in done]
        if shared:
            both = [(labels(works[item][one]), labels(works[item][other])) for item in shared]
            found.append(Pair(one, other, len(shared), _percent(micro_f1(both))))
    return found


def _shared(works: Works, pair: Pair) -> dict[str, tuple[Work, Work]]:
    return {
        item: (done[pair.one], done[pair.other])
        for item, done in works.items()
        if pair.one in done and pair.other in done
    }


def _kind_f1(works: Works, pairs: Iterable[Pair], kind: str) -> float | None:
    none: frozenset[Hashable] = frozenset()
    found = [
        micro_f1(
            (typed_labels(one).get(kind, none), typed_labels(other).get(kind, none))
            for one, other in _shared(works, pair).values()
        )
        for pair in pairs
    ]
    known = [value for value in found if value is not None]
    return 100 * sum(known) / len(known) if known else None


def _of_annotator(works: Works, name: str) -> dict[str, float | None]:
    shared = [done for done in works.values() if name in done]
    both = [
        (labels(done[name]), labels(work)) for done in shared for other, work in done.items() if other != name
    ]
    return {"items": float(len(shared)), "f1": _percent(micro_f1(both))}


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _times(project: Project) -> dict[str, str]:
    """Item → when someone was last done with it."""
    return {decision.item: decision.time for decision in project.decisions() if decision.action == "done"}


def _over_time(works: Works, times: Mapping[str, str]) -> tuple[Moment, ...]:
    timed = sorted((item for item in works if item in times), key=lambda item: times[item])
    size = max(1, -(-len(timed) // _MOMENTS))
    moments = []
    for first in range(0, len(timed), size):
        stretch = timed[first : first + size]
        both = [
            (labels(one), labels(other))
            for item in stretch
            for one, other in combinations(works[item].values(), 2)
        ]
        moments.append(Moment(times[stretch[-1]], len(stretch), _percent(micro_f1(both))))
    return tuple(moments)


def _alphas(project: Project, samples: Mapping[str, Sample], works: Works) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    if len(project.task.verdicts) > 1:
        found["verdict"] = _item_alpha(works, lambda work: work.verdict)
    if project.task.question_types:
        found["question type"] = _item_alpha(works, lambda work: work.question_type)
    for kind in project.task.kinds:
        tables = [
            _inside(len(samples[item].context), done.values(), kind.name) for item, done in works.items()
        ]
        found[kind.name] = nominal_alpha(np.concatenate(tables))
    return found


def _item_alpha(works: Works, judged: Callable[[Work], str | None]) -> float | None:
    values = sorted({value for done in works.values() for work in done.values() if (value := judged(work))})
    table = [
        [sum(judged(work) == value for work in done.values()) for value in values] for done in works.values()
    ]
    return nominal_alpha(np.array(table, np.int64).reshape(len(table), len(values)))


def _inside(length: int, works: Iterable[Work], kind: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For each character, how many have it outside of such spans and how many inside."""
    counts = np.zeros((length, 2), np.int64)
    for work in works:
        inside = np.zeros(length, bool)
        for span in work.spans:
            if span.kind == kind:
                inside[span.start : span.end] = True
        counts[:, 0] += ~inside
        counts[:, 1] += inside
    return counts


Paper = Callable[[Mapping[str, Sample], Works, Sequence[Pair]], dict[str, Any]]


def _cmqa(samples: Mapping[str, Sample], works: Works, pairs: Sequence[Pair]) -> dict[str, Any]:
    def sides(pair: Pair) -> list[dict[str, Any]]:
        shared = _shared(works, pair)
        return [
            {
                item: cmqa_labels(next(cmqa_records([Gold(item, samples[item], both[side])])))
                for item, both in shared.items()
            }
            for side in (0, 1)
        ]

    found = [pairwise_f1(sides(pair)).f1 for pair in pairs]
    known = {name: [value for f1 in found if (value := f1[name]) is not None] for name in found[0]}
    return {name: {"f1": sum(values) / len(values) if values else None} for name, values in known.items()}


def _human(score_answer: Callable[[str, list[str]], tuple[float, float]]) -> Paper:
    def measure(samples: Mapping[str, Sample], works: Works, pairs: Sequence[Pair]) -> dict[str, Any]:
        answers = {
            item: [_text(samples[item].context, work) for work in done.values()]
            for item, done in works.items()
        }
        found = human_performance(answers, score_answer)
        return {"exact_match": found.exact_match, "f1": found.f1, "questions": found.questions}

    return measure


def _text(context: str, work: Work) -> str:
    """The one answer as the task's submissions have it; "" is for none."""
    found = span_texts(context, work, "answer") if work.verdict == "span" else []
    return found[0][1] if found else ""


def _own_scores(answers: Callable[[str, Sample, Work], Any], score: Callable[..., Any]) -> Paper:
    def measure(samples: Mapping[str, Sample], works: Works, pairs: Sequence[Pair]) -> dict[str, Any]:
        found = []
        for pair in pairs:
            shared = _shared(works, pair)
            sides = [
                {item: answers(item, samples[item], both[side]) for item, both in shared.items()}
                for side in (0, 1)
            ]
            found.append(pairwise_scores(sides, score).scores)
        return mean_of(found)

    return measure


def _spans(item: str, sample: Sample, work: Work) -> list[str]:
    return [text for _, text in span_texts(sample.context, work, "answer")] if work.verdict == "span" else []


def _conditional(item: str, sample: Sample, work: Work) -> list[tuple[str, tuple[str, ...]]]:
    (question,) = conditional_records([Gold(item, sample, work)])
    return [(answer.text, answer.conditions) for answer in question.answers]


_PAPERS: Mapping[str, Paper] = {
    "cmqa": _cmqa,
    "cmrc2018": _human(cmrc.score_answer),
    "squad2": _human(squad.score_answer),
    "multispan": _own_scores(_spans, multispan.score),
    "conditionalqa": _own_scores(_conditional, conditionalqa.score),
}


def nominal_alpha(counts: npt.NDArray[np.int64]) -> float | None:
    """Krippendorff's alpha of a table with a row a unit and a column a value: how many gave it that value.

    After Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability". Computed here, since the package for it is
    under the GPL and NLTK, which the tests compare with, is never used at run time. None where there is nothing to
    disagree on: no unit that two people judged, or one value throughout.
    """
    table = counts[counts.sum(axis=1) > 1].astype(np.float64)
    of_unit, of_value = table.sum(axis=1), table.sum(axis=0)
    total = of_unit.sum()
    expected = (total**2 - (of_value**2).sum()) / (total * (total - 1)) if total else 0.0
    if not expected:
        return None
    observed = ((of_unit**2 - (table**2).sum(axis=1)) / (of_unit - 1)).sum() / total
    return float(1 - observed / expected)


def majority_work(found: Disagreement) -> Work | None:
    """What more than half of the annotators have."""
    by_labels = {labels(work): work for work in reversed(found.works.values())}
    counts = Counter(labels(work) for work in found.works.values())
    best, count = counts.most_common(1)[0]
    return by_labels[best] if 2 * count > len(found.works) else None


def decide(
    project: Project,
    adjudicator: str,
    choose: Callable[[Disagreement], Work | None],
    item: str | None = None,
) -> int:
    """Adjudicate what is undecided, one item or all, wherever there is something to choose; how many that is."""
    decided = 0
    for found in project.disagreements():
        if item in (None, found.item) and (work := choose(found)) is not None:
            project.adjudicate(found.item, adjudicator, work, version=found.version, request=uuid.uuid4().hex)
            decided += 1
    return decided
