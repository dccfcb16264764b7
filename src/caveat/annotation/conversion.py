"""Works as the records of the benchmarks, and back: what stands between a project and every data format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from caveat.annotation.records import Element, Entry, Gold, Link, Sample, Span, Verdict, Work, span_texts
from caveat.benchmarks.cmqa.format import CmqaSample, LabelledSpan, SpanRelation
from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalQuestion,
    page_document,
)
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.language.question_types import question_type

__all__ = [
    "FILE",
    "KINDS",
    "cmqa_entries",
    "cmqa_records",
    "conditional_documents",
    "conditional_entries",
    "conditional_records",
    "passage_entries",
    "passages",
]

FILE = "file"
"""Who a file's own labels are by."""

_RELATIONS = ("condition_coarse", "condition_fine", "coarse_fine")
_SPANS = ("condition", "coarse", "fine")


def cmqa_records(golds: Iterable[Gold]) -> Iterator[CmqaSample]:
    """CMQA's samples; the id and the type of question that someone chose stand beside."""
    for gold in golds:
        places = {span.id: _labelled(gold.sample, span) for span in gold.work.spans}
        labels: dict[str, Any] = {
            kind: tuple(places[span.id] for span, _ in span_texts(gold.sample.context, gold.work, kind))
            for kind in _SPANS
        }
        for name in _RELATIONS:
            labels[name] = tuple(
                SpanRelation(places[link.source], places[link.target])
                for link in gold.work.links
                if link.kind == name
            )
        extra = {"id": gold.item}
        if gold.work.question_type:
            extra["question_type"] = gold.work.question_type
        yield CmqaSample(gold.sample.context, gold.work.question, **labels, extra=extra)


def cmqa_entries(samples: Iterable[CmqaSample]) -> Iterator[Entry]:
    """What a CMQA file has: a sample without any label is still to be annotated."""
    for number, sample in enumerate(samples, start=1):
        id = str(sample.extra.get("id", number))
        spans: list[Span] = []
        for kind in _SPANS:
            for span in getattr(sample, kind):
                spans.append(Span(f"{len(spans) + 1}", kind, span.start, span.end))
        ids = {(span.kind, span.start, span.end): span.id for span in spans}
        links = []
        for name in _RELATIONS:
            head, tail = name.split("_")
            for relation in getattr(sample, name):
                source = ids.get((head, relation.head.start, relation.head.end))
                target = ids.get((tail, relation.tail.start, relation.tail.end))
                if source is not None and target is not None:
                    links.append(Link(name, source, target))
        kind = sample.extra.get("question_type", question_type(sample.question))
        work = Work(sample.question, kind, spans=tuple(spans), links=tuple(links))
        yield Entry(Sample(id, sample.context, question=sample.question), ((FILE, work),) if spans else ())


def passages(golds: Iterable[Gold], several: bool, may_be_none: bool) -> Iterator[Passage]:
    """Passages with their questions; all spans are one answer where the task has `several`, else alternatives."""
    together = groupby(golds, key=lambda gold: (gold.sample.context, gold.sample.title))
    for number, ((context, title), members) in enumerate(together):
        of_passage = list(members)
        questions = tuple(_question(gold, several, may_be_none) for gold in of_passage)
        yield Passage(
            context,
            questions,
            id=of_passage[0].sample.id,
            title=title or "",
            article=number,
            article_extra={"title": title} if title else {},
        )


def _question(gold: Gold, several: bool, may_be_none: bool) -> PassageQuestion:
    answers: list[tuple[GoldSpan, ...]] = []
    for work in (gold.work, *gold.further):
        found = span_texts(gold.sample.context, work, "answer") if work.verdict == "span" else []
        spans = tuple(GoldSpan(text, span.start) for span, text in found)
        answers += ([spans] if spans else []) if several else [(span,) for span in spans]
    extra: dict[str, Any] = {"is_impossible": not answers} if may_be_none else {}
    return PassageQuestion(gold.item, gold.work.question, tuple(answers), extra)


def passage_entries(records: Iterable[Passage], several: bool, may_be_none: bool) -> Iterator[Entry]:
    """What a file of passages has: each question a sample, or the passage itself where there is none."""
    for number, passage in enumerate(records, start=1):
        title = passage.title or None
        if not passage.questions:
            yield Entry(Sample(passage.id or f"p{number}", passage.text, title))
        for question in passage.questions:
            sample = Sample(question.id, passage.text, title, question.text)
            works = [_passage_work(passage.text, question.text, answer) for answer in question.answers]
            if not works and may_be_none and question.extra.get("is_impossible") is True:
                works = [Work(question.text, verdict="unanswerable")]
            found = [work for work in works if work is not None][: 1 if several else None]
            named = [FILE, *(f"{FILE} {turn}" for turn in range(2, len(found) + 1))]
            yield Entry(sample, tuple(zip(named, found, strict=False)))


def _passage_work(context: str, question: str, answer: Sequence[GoldSpan]) -> Work | None:
    """The answer as spans; None where it does not stand in the text."""
    spans = []
    for turn, gold in enumerate(answer, start=1):
        start = gold.start
        if start is None or not context.startswith(gold.text, start):
            start = context.find(gold.text)
        if not gold.text or start < 0:
            return None
        spans.append(Span(str(turn), "answer", start, start + len(gold.text)))
    return Work(question, spans=tuple(spans))


def conditional_records(golds: Iterable[Gold]) -> Iterator[ConditionalQuestion]:
    """ConditionalQA's questions: conditions and evidence are the whole elements that the spans stand in."""
    for gold in golds:
        sample, work = gold.sample, gold.work
        conditions = {span.id: _elements(sample, span) for span in work.spans if span.kind == "condition"}
        answers: list[ConditionalAnswer] = []
        if work.verdict in ("yes", "no"):
            answers.append(ConditionalAnswer(work.verdict, _once(conditions.values())))
        elif work.verdict == "span":
            for span, text in span_texts(sample.context, work, "answer"):
                own = [conditions[link.source] for link in work.links if link.target == span.id]
                answers.append(ConditionalAnswer(text, _once(own)))
        evidences = [_elements(sample, span) for span, _ in span_texts(sample.context, work, "evidence")]
        yield ConditionalQuestion(
            gold.item,
            sample.url or sample.id,
            work.scenario or "",
            work.question,
            work.verdict == "unanswerable",
            tuple(answers),
            _once(evidences),
        )


def conditional_documents(samples: Iterable[Sample]) -> Iterator[ConditionalDocument]:
    """The pages that samples are about, each once."""
    seen: set[str] = set()
    for sample in samples:
        url = sample.url or sample.id
        if url not in seen:
            seen.add(url)
            contents = tuple(element.html for element in sample.elements) or (f"<p>{sample.context}</p>",)
            yield ConditionalDocument(sample.title or "", url, contents)


def conditional_entries(
    questions: Iterable[ConditionalQuestion], documents: Iterable[ConditionalDocument]
) -> Iterator[Entry]:
    """What ConditionalQA's files have: each question a sample, and each page without any."""
    pages = {document.url: _page(document) for document in documents}
    asked: set[str] = set()
    for question in questions:
        if (page := pages.get(question.url)) is None:
            continue
        asked.add(question.url)
        sample = msgspec.structs.replace(
            page, id=question.id, question=question.question, scenario=question.scenario
        )
        work = _conditional_work(sample, question)
        yield Entry(sample, ((FILE, work),) if work else ())
    yield from (Entry(page) for url, page in pages.items() if url not in asked)


def _page(document: ConditionalDocument) -> Sample:
    text = page_document(document)
    elements = tuple(
        Element(element.start, element.end, html)
        for element, html in zip(text.elements, document.contents, strict=True)
    )
    return Sample(document.url, text.text, document.title or None, url=document.url, elements=elements)


def _conditional_work(sample: Sample, question: ConditionalQuestion) -> Work | None:
    """The labels as spans; None where there are none, or an answer does not stand on the page."""
    if not question.answers and not question.not_answerable:
        return None
    by_html: dict[str, Element] = {}
    for element in sample.elements:
        by_html.setdefault(element.html, element)
    spans: dict[tuple[str, int, int], Span] = {}

    def mark(kind: str, start: int, end: int) -> str:
        return spans.setdefault((kind, start, end), Span(str(len(spans) + 1), kind, start, end)).id

    verdict: Verdict = "unanswerable" if question.not_answerable else "span"
    links: list[Link] = []
    for answer in question.answers:
        target = None
        if answer.text == "yes" or answer.text == "no":
            verdict = "yes" if answer.text == "yes" else "no"
        else:
            start = _stands(sample, answer.text, [by_html.get(html) for html in question.evidences])
            if start < 0:
                return None
            target = mark("answer", start, start + len(answer.text))
        for html in answer.conditions:
            if (found := by_html.get(html)) is not None:
                source = mark("condition", found.start, found.end)
                links += [Link("condition_answer", source, target)] if target else []
    for html in question.evidences:
        if (found := by_html.get(html)) is not None:
            mark("evidence", found.start, found.end)
    return Work(
        question.question,
        verdict=verdict,
        spans=tuple(spans.values()),
        links=tuple(dict.fromkeys(links)),
        scenario=question.scenario,
    )


def _stands(sample: Sample, text: str, evidences: Sequence[Element | None]) -> int:
    """Where an answer stands: in the evidence, if it can be found there."""
    for element in evidences:
        if element is not None and (at := sample.context.find(text, element.start, element.end)) >= 0:
            return at
    return sample.context.find(text)


def _elements(sample: Sample, span: Span) -> tuple[str, ...]:
    """The elements that a span has characters of; of a page without elements, its text."""
    found = tuple(
        element.html for element in sample.elements if element.start < span.end and span.start < element.end
    )
    return found or (sample.context[span.start : span.end],)


def _once(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(html for group in groups for html in group))


def _labelled(sample: Sample, span: Span) -> LabelledSpan:
    return LabelledSpan(sample.context[span.start : span.end], span.start, span.end)


# Task → the kind of records that its works become, as the data formats name it.
KINDS: Mapping[str, tuple[str, Callable[[Iterable[Gold]], Iterator[Any]]]] = {
    "cmqa": ("cmqa", cmqa_records),
    "cmrc2018": ("cmrc2018", lambda golds: passages(golds, several=False, may_be_none=False)),
    "squad2": ("squad2", lambda golds: passages(golds, several=False, may_be_none=True)),
    "multispan": ("squad", lambda golds: passages(golds, several=True, may_be_none=True)),
    "conditionalqa": ("conditionalqa", conditional_records),
}
"""Task → the data format whose records its works become, and how."""
