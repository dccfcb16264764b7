"""What the embedded models propose, kept before anyone annotates; how unsure they are; what people made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from caveat.annotation.project import Project
from caveat.annotation.records import Link, Outcome, Sample, Span, Suggestion, Task, Verdict, Work, labels
from caveat.core.answers import Answer, Place
from caveat.core.records import Document, Element, Question, Reply
from caveat.language.question_types import question_type

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine

__all__ = ["Effect", "effect", "outcome_of", "proposed_work", "suggest"]

# Of alternatives, those at least half as probable as the best are proposed where a question has several answers.
_SECOND = 0.5
_ENGINE = "embedded models"


def suggest(
    project: Project,
    engine: Engine,
    *,
    model: str = _ENGINE,
    through: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> int:
    """Keep what the engine proposes for every item whose question is known; how many that is."""
    samples = project.samples_by_item()
    questions = {item: sample.question for item, sample in samples.items() if sample.question} | {
        item: work.question
        for stage in project.task.stages
        if stage.writes_question
        for item, works in project.works(stage.name).items()
        for work in works.values()
        if work.question.strip()
    }
    scenarios = {
        item: next((work.scenario for work in works.values() if work.scenario), None)
        for item, works in project.works(project.task.stages[0].name).items()
    }
    asked = [
        (
            Question(question, samples[item].scenario or scenarios.get(item) or ""),
            _document(samples[item]),
        )
        for item, question in questions.items()
    ]
    replies = engine.ask_many(asked)
    for item, reply in zip(through(questions), replies, strict=True):
        work = proposed_work(project.task, samples[item], reply)
        project.keep_suggestions({item: Suggestion(work, model, _uncertainty(reply))})
    return len(questions)


def _document(sample: Sample) -> Document:
    elements = tuple(
        Element(_tag(element.html), sample.context[element.start : element.end], element.start, element.end)
        for element in sample.elements
    )
    return Document(sample.context, sample.title or "", sample.url or "", elements)


def _tag(html: str) -> str:
    """The tag of an element; a text without one is a paragraph."""
    name = html.lstrip()[1:].partition(">")[0].split(maxsplit=1) if html.lstrip().startswith("<") else []
    return name[0] if name else "p"


def _uncertainty(reply: Reply) -> float:
    """How probable it is that neither the best answer nor none is right."""
    best = max((answer.score for answer in reply.answers), default=0.0)
    return 1.0 - max(best, reply.unanswerable)


def proposed_work(task: Task, sample: Sample, reply: Reply) -> Work:
    """The reply's answers as spans of the sample, conditions and finer answers with their links."""
    drawing = _Drawing(task, sample)
    verdict: Verdict = "span"
    if not reply.answered and "unanswerable" in task.verdicts:
        verdict = "unanswerable"
    else:
        for answer in _chosen(task, reply):
            if answer.kind in ("yes", "no") and answer.kind in task.verdicts:
                verdict = "yes" if answer.kind == "yes" else "no"
                drawing.evidence(answer, None)
            else:
                drawing.answer(answer)
    question = reply.question
    return Work(
        question.text,
        question_type(question.text) if task.question_types else None,
        verdict,
        tuple(drawing.spans.values()),
        tuple(dict.fromkeys(drawing.links)),
        question.scenario or None,
    )


def _chosen(task: Task, reply: Reply) -> Sequence[Answer]:
    if not reply.answers:
        return ()
    if not task.several or reply.answers[0].kind in ("yes", "no"):
        return reply.answers[:1]
    if reply.together:
        return reply.answers
    return [answer for answer in reply.answers if answer.score >= _SECOND * reply.answers[0].score]


class _Drawing:
    """Spans and links as they come, each once."""

    def __init__(self, task: Task, sample: Sample) -> None:
        self._task, self._sample = task, sample
        self._structured = task.name == "cmqa"
        self._links = {link.name for link in task.links}
        self.spans: dict[tuple[str, int, int], Span] = {}
        self.links: list[Link] = []

    def answer(self, answer: Answer) -> None:
        """An answer; one with finer ones is coarse where the task has both, else these are the answers."""
        if answer.parts and not self._structured:
            for part in answer.parts:
                self.answer(part)
            return
        kind = ("coarse" if answer.parts else "fine") if self._structured else "answer"
        marked = self._mark(kind, answer.place)
        if marked is None:
            return
        self.evidence(answer, marked)
        for part in answer.parts:
            if (fine := self._mark("fine", part.place)) is not None:
                self._link("coarse_fine", marked, fine)
                self.evidence(part, fine)

    def evidence(self, answer: Answer, target: Span | None) -> None:
        """What must hold for an answer, and what shows it, where the task has a place for these."""
        for condition in answer.conditions:
            source = self._mark("condition", condition.place)
            if source is not None and target is not None:
                self._link(f"condition_{target.kind}", source, target)
        for place in answer.evidence:
            self._mark("evidence", place)

    def _mark(self, kind: str, place: Place | None) -> Span | None:
        known = next((each for each in self._task.kinds if each.name == kind), None)
        if known is None or place is None or place.start is None or place.end is None:
            return None
        start, end = place.start, place.end
        if known.element:
            around = (each for each in self._sample.elements if each.start <= start < each.end)
            start, end = next(((each.start, each.end) for each in around), (start, end))
        if not start < end:
            return None
        new = Span(str(len(self.spans) + 1), kind, start, end)
        return self.spans.setdefault((kind, start, end), new)

    def _link(self, kind: str, source: Span, target: Span) -> None:
        if kind in self._links:
            self.links.append(Link(kind, source.id, target.id))


def outcome_of(suggestion: Suggestion, work: Work) -> Outcome:
    """What became of a suggestion: all of it is there and nothing else, something of it, or nothing."""
    proposed, made = labels(suggestion.work), labels(work)
    if proposed == made:
        return "accepted"
    return "changed" if proposed & made else "refused"


class Effect(msgspec.Struct, frozen=True):
    """What suggestions did: what people said of them, what their works show, and how long an item took (seconds).

    The works of those who saw no suggestion say how often a person and the models agree without any: if the others
    agree with the models far more often, they may have been led.
    """

    said: dict[str, int]
    shown: dict[str, int]
    not_shown: dict[str, int]
    seconds_shown: float | None
    seconds_not_shown: float | None


def effect(project: Project) -> Effect:
    """The effect of the suggestions on what has been done so far; seen are those that someone has said something of."""
    proposed, seen = project.proposed(), project.outcomes()
    shown: Counter[str] = Counter()
    unseen: Counter[str] = Counter()
    for item, works in project.answers().items():
        if item in proposed:
            for name, work in works.items():
                (shown if (item, name) in seen else unseen)[outcome_of(proposed[item], work)] += 1
    times = dict(_seconds(project))
    return Effect(
        dict(Counter(seen.values())),
        dict(shown),
        dict(unseen),
        _median([seconds for key, seconds in times.items() if key in seen]),
        _median([seconds for key, seconds in times.items() if key not in seen]),
    )


def _seconds(project: Project) -> Iterator[tuple[tuple[str, str], float]]:
    """(Item, annotator) → from the first decision on it to being done."""
    from datetime import datetime

    begun: dict[tuple[str, str], datetime] = {}
    for decision in project.decisions():
        key, time = (decision.item, decision.annotator), datetime.fromisoformat(decision.time)
        begun.setdefault(key, time)
        if decision.action == "done":
            yield key, (time - begun[key]).total_seconds()


def _median(values: Sequence[float]) -> float | None:
    from statistics import median

    return median(values) if values else None
