"""Deciding between annotators without a page: by the majority, or by whom one trusts."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable

from caveat.annotation.labels import labels
from caveat.annotation.project import Project
from caveat.annotation.records import Disagreement, Work

__all__ = ["decide", "majority_work"]


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
