"""What annotators say of each item taken together: their answers, where these differ, and what holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from caveat.annotation.records import Disagreement, Gold, Sample, Task, Work, labels
from caveat.annotation.rules import asker_answers

__all__ = ["Works", "answers", "disagreements", "golds"]

Works = Mapping[str, Mapping[str, Work]]
"""Item → annotator → work."""


def answers(task: Task, done: Mapping[str, Works]) -> dict[str, dict[str, Work]]:
    """What each answers, of the works done in each stage: the question's writer first, as revised, then the blind.

    Who wrote a question without being asked for an answer (ConditionalQA) is not among them.
    """
    found: dict[str, dict[str, Work]] = {}
    if asker_answers(task):
        for stage in reversed(task.stages):
            if stage.writes_question:
                for item, works in done[stage.name].items():
                    found.setdefault(item, dict(works))
    for stage in task.stages:
        if not stage.writes_question:
            for item, works in done[stage.name].items():
                found.setdefault(item, {}).update(works)
    return found


def disagreements(
    answers: Works, adjudicated: Mapping[str, tuple[Work, int]], decided: bool
) -> Iterator[Disagreement]:
    """The items on which answers differ; those that were adjudicated only where `decided`."""
    for item, works in answers.items():
        if (decided or item not in adjudicated) and not _agree(works):
            work, version = adjudicated.get(item, (None, 0))
            yield Disagreement(item, dict(works), work, version)


def golds(
    task: Task,
    samples: Mapping[str, Sample],
    answers: Works,
    adjudicated: Mapping[str, tuple[Work, int]],
    complete: Set[str],
) -> Iterator[Gold]:
    """What holds, in the order of the samples: what was adjudicated, else what all who were wanted agree on.

    Where its writer has answered a question, the blind answers stand beside that one, as CMRC has them.
    """
    for item, sample in samples.items():
        if item in adjudicated:
            yield Gold(item, sample, adjudicated[item][0])
        elif item in complete and item in answers:
            first, *others = answers[item].values()
            if not first.question.strip():
                continue
            if sample.question is None and asker_answers(task):
                yield Gold(item, sample, first, tuple(others))
            elif _agree(answers[item]):
                yield Gold(item, sample, first)


def _agree(works: Mapping[str, Work]) -> bool:
    return len({labels(work) for work in works.values()}) == 1
