"""What a work must be, the principles of the papers as checks while someone annotates, and what works say together.

The rules are those of `caveat check`, tried on one work, and on two spans at a time where they are about two, so that a
remark stands on the spans it is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from itertools import combinations

import msgspec

from caveat.annotation.records import (
    Disagreement,
    Gold,
    Link,
    Remark,
    Sample,
    Span,
    Stage,
    Task,
    Work,
    labels,
    span_texts,
)
from caveat.benchmarks.cmqa import checks as cmqa
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan
from caveat.benchmarks.cmrc2018.task import long_answer, too_many_questions
from caveat.benchmarks.shared.checks import Finding, Place, duplicate_question, empty_question, quote
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import InputError
from caveat.language.question_types import question_type

RULES = {
    **{
        name: cmqa.RULES[name]
        for name in ("duplicate-span", "touching-spans", "coarse-levels", "mostly-annotated")
    },
    "overlapping-spans": "Two spans share characters, and the task does not allow it.",
    "duplicate-relation": "Two links say the same.",
    "empty-question": "The question has no text.",
    "duplicate-question": "The question is asked on this passage already.",
    "too-many-questions": "The passage has more than the five questions that CMRC's guideline allows.",
    "same-questions": "All questions on the passage ask for the same; CMRC and ConditionalQA want them diverse.",
    "copied-question": (
        "Most of the question stands in the passage word by word; CMRC's guideline wants it said in other words."
    ),
    "long-answer": "An answer has more than the 30 characters that CMRC's guideline allows.",
    "no-answer": "Nothing is marked as the answer, and nothing says that there is none.",
    "several-answers": "More than one span is marked where the question has one answer.",
    "answerability-contradiction": "The question is unanswerable, or answered by yes or no, and has an answer.",
    "blank-edge": "A span begins or ends with a blank.",
    "empty-scenario": "The question has no scenario: who asks, and in which circumstances.",
    "few-attributes": "The scenario says fewer than the three things about the asker that ConditionalQA's has.",
    "one-question": "ConditionalQA's askers write two questions on a page, and this is the only one.",
    "no-evidence": "An answer has no evidence.",
    "not-element": "A condition or an evidence is not exactly one element of the page.",
    "unlinked-condition": "A condition belongs to no answer.",
}
"""Each check by name, with a sentence on what it finds."""

# More than this of a question in one piece is a copy: 5% of the published training questions are.
_COPIED = 0.75
_SHORTEST_COPY = 8
# Of so many questions on a passage not all should ask for the same.
_SAME_QUESTIONS = 3
# ConditionalQA: two questions on a page, and three things about the asker, told apart by marks (65% of its published
# training scenarios have three such parts).
_PAGE_QUESTIONS, _ATTRIBUTES = 2, 3
_PARTS = re.compile(r"[.,;:!?。，；：！？]")
_HERE = Place("")


def checked(task: Task, sample: Sample, work: Work) -> None:
    """Raise where a work cannot be one of this sample: whatever the annotator meant, the page went wrong."""
    kinds = {kind.name for kind in task.kinds}
    spans: dict[str, Span] = {}
    for span in work.spans:
        if span.kind not in kinds:
            raise InputError(f"there are no spans of the kind {span.kind!r} in {task.name}", id=sample.id)
        if not 0 <= span.start < span.end <= len(sample.context):
            raise InputError(f"[{span.start}, {span.end}) is no piece of the text", id=sample.id)
        if span.id in spans:
            raise InputError(f"two spans have the id {span.id!r}", id=sample.id)
        spans[span.id] = span
    links = {link.name: link for link in task.links}
    for link in work.links:
        if link.kind not in links:
            raise InputError(f"there are no links of the kind {link.kind!r} in {task.name}", id=sample.id)
        for end, allowed in (
            (link.source, links[link.kind].source_kinds),
            (link.target, links[link.kind].target_kinds),
        ):
            if end not in spans or spans[end].kind not in allowed:
                raise InputError(f"a {link.kind} has an end that is no {' or '.join(allowed)}", id=sample.id)
    if work.verdict not in task.verdicts:
        raise InputError(f"{work.verdict} is no answer in {task.name}", id=sample.id)
    if work.question_type is not None and work.question_type not in task.question_types:
        raise InputError(f"{work.question_type!r} is no type of question in {task.name}", id=sample.id)


def asker_answers(task: Task) -> bool:
    """Whether who writes a question gives its answer too; in ConditionalQA another does."""
    return not task.several and task.stages[0].writes_question


def remarks(
    task: Task, sample: Sample, work: Work, others: Sequence[Work] = (), stage: Stage | None = None
) -> tuple[Remark, ...]:
    """What the principles of the task have to say; `others` are the works on the passage's other questions."""
    asks = stage is not None and stage.writes_question
    found = [*_of_spans(task, sample, work)]
    if task.question == "written" and (stage is None or asks):
        found += _of_question(task, sample, work, others)
        if asks and task.name == "conditionalqa":
            found += _of_pages_questions(work, others)
    if not asks or asker_answers(task):
        found += _of_answers(task, sample, work)
    return tuple(dict.fromkeys(found))


def _of_spans(task: Task, sample: Sample, work: Work) -> Iterator[Remark]:
    for left, right in combinations(work.spans, 2):
        yield from _of_two(task, sample, left, right)
    for span in work.spans:
        text = sample.context[span.start : span.end]
        if text != text.strip():
            yield Remark("blank-edge", f"{quote(text)} begins or ends with a blank", (span.id,))
    yield from _twice(work.links)
    if task.name == "cmqa":
        every = tuple(span.id for span in work.spans)
        yield from _told(cmqa.mostly_annotated(_cmqa(sample, work.spans), _HERE), every)
    elements = {(element.start, element.end) for element in sample.elements}
    whole = {kind.name for kind in task.kinds if kind.element}
    for span in work.spans:
        if elements and span.kind in whole and (span.start, span.end) not in elements:
            yield Remark("not-element", f"the {span.kind} is not exactly one element of the page", (span.id,))


def _of_two(task: Task, sample: Sample, left: Span, right: Span) -> Iterator[Remark]:
    ids = (left.id, right.id)
    if left.kind == right.kind:
        two = [_labelled(sample, span) for span in (left, right)]
        rules: tuple[Callable[..., Iterator[Finding]], ...] = (cmqa.duplicate_span, cmqa.touching_spans)
        for rule in rules if task.nested else (*rules, cmqa.overlapping_spans):
            yield from _told(rule(left.kind, two, _HERE), ids)
    elif not task.overlap and left.start < right.end and right.start < left.end:
        yield Remark("overlapping-spans", f"{left.kind} and {right.kind} share characters", ids)
    if task.name == "cmqa":
        yield from _told(cmqa.coarse_levels(_cmqa(sample, (left, right)), _HERE), ids)


def _twice(links: Iterable[Link]) -> Iterator[Remark]:
    for link, times in Counter(links).items():
        if times > 1:
            yield Remark(
                "duplicate-relation", f"{link.kind} is there {times} times", (link.source, link.target)
            )


def _of_question(task: Task, sample: Sample, work: Work, others: Sequence[Work]) -> Iterator[Remark]:
    yield from _told(empty_question(work.question, _HERE))
    asked = [other.question for other in others if other.question.strip()]
    texts = {text.strip(): "another" for text in asked}
    yield from _told(duplicate_question("this", work.question, _HERE, texts))
    if task.name in ("cmrc2018", "squad2"):
        questions = tuple(PassageQuestion(str(n), text) for n, text in enumerate((*asked, work.question)))
        yield from _told(too_many_questions(Passage(sample.context, questions), [_HERE] * len(questions)))
        yield from _same_questions([*asked, work.question], _SAME_QUESTIONS)
        yield from _copied(work.question, sample.context)
    if task.name == "conditionalqa":
        yield from _of_scenario(work.scenario or "")


def _of_scenario(scenario: str) -> Iterator[Remark]:
    said = [part for part in _PARTS.split(scenario) if part.strip()]
    if not said:
        yield Remark("empty-scenario", "the question has no scenario")
    elif len(said) < _ATTRIBUTES:
        yield Remark(
            "few-attributes", f"the scenario says {len(said)} of {_ATTRIBUTES} things about the asker"
        )


def _of_pages_questions(work: Work, others: Sequence[Work]) -> Iterator[Remark]:
    """Two questions a page, which ask for different things."""
    asked = [other.question for other in others if other.question.strip()]
    if not asked:
        yield Remark("one-question", "a page has two questions: write another, on something else")
    elif work.question.strip():
        yield from _same_questions([*asked, work.question], _PAGE_QUESTIONS)


def _same_questions(questions: Sequence[str], several: int) -> Iterator[Remark]:
    types = {question_type(question) for question in questions}
    if len(questions) >= several and len(types) == 1:
        yield Remark("same-questions", f"all {len(questions)} questions on the passage ask “{types.pop()}”")


def _copied(question: str, context: str) -> Iterator[Remark]:
    match = SequenceMatcher(None, question, context, autojunk=False).find_longest_match()
    if match.size >= _SHORTEST_COPY and match.size > _COPIED * len(question):
        copied = quote(question[match.a : match.a + match.size])
        yield Remark("copied-question", f"{copied} stands in the passage word by word: say it in other words")


def _of_answers(task: Task, sample: Sample, work: Work) -> Iterator[Remark]:
    spans = [span for span in work.spans if span.kind in _answering(task)]
    ids = tuple(span.id for span in spans)
    if work.verdict == "span" and not spans:
        yield Remark("no-answer", "nothing is marked as the answer")
    if work.verdict != "span" and spans:
        yield Remark("answerability-contradiction", f"marked {work.verdict}, yet there is an answer", ids)
    if not task.several and len(spans) > 1:
        yield Remark(
            "several-answers", f"{len(spans)} spans are marked, and the question has one answer", ids
        )
    if task.name == "cmrc2018":
        for span, text in span_texts(sample.context, work, "answer"):
            answered = PassageQuestion("", "", ((GoldSpan(text, span.start),),))
            yield from _told(long_answer(answered, _HERE), (span.id,))
    if task.name == "conditionalqa":
        yield from _of_conditions(work, spans)


def _of_conditions(work: Work, answers: Sequence[Span]) -> Iterator[Remark]:
    answered = bool(answers) if work.verdict == "span" else work.verdict != "unanswerable"
    if answered and not any(span.kind == "evidence" for span in work.spans):
        yield Remark("no-evidence", "the answer has no evidence")
    linked = {link.source for link in work.links}
    for span in work.spans:
        # Of yes and no there is no span to link to: all conditions are theirs.
        if span.kind == "condition" and span.id not in linked and work.verdict == "span":
            yield Remark("unlinked-condition", "the condition belongs to no answer", (span.id,))


def _answering(task: Task) -> tuple[str, ...]:
    return ("coarse", "fine") if task.name == "cmqa" else ("answer",)


def _told(findings: Iterable[Finding], spans: tuple[str, ...] = ()) -> Iterator[Remark]:
    for finding in findings:
        yield Remark(finding.rule, finding.message, spans)


def _labelled(sample: Sample, span: Span) -> LabelledSpan:
    return LabelledSpan(sample.context[span.start : span.end], span.start, span.end)


def _cmqa(sample: Sample, spans: Iterable[Span]) -> CmqaSample:
    found: dict[str, tuple[LabelledSpan, ...]] = {"condition": (), "coarse": (), "fine": ()}
    for span in spans:
        found[span.kind] += (_labelled(sample, span),)
    return msgspec.structs.replace(CmqaSample(sample.context, sample.question or ""), **found)


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
        if not stage.writes_question and stage.sees != "union":
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
