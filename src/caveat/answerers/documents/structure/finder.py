"""Structured answers: the reader says where the answer is, a tagger finds all of it there, relations make it a tree.

The passage around the reader's best answer is tagged. Its coarse answers get the fine ones under them as parts, and
each answer its conditions; whether that replaces the reader's alternatives is decided by `is_structured`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import tee

import msgspec

from caveat.answerers.documents.retrieval import passage_around
from caveat.answerers.documents.spans import may_be_answer, place_in, says_something
from caveat.answerers.documents.structure.relations import (
    Related,
    RelationModel,
    embedded_model,
    model_beside,
)
from caveat.answerers.documents.structure.spans import KINDS, Kind, Span, explicit_conditions, in_order
from caveat.core.answers import Answer, Condition, Place
from caveat.core.languages import language_of
from caveat.core.records import Document
from caveat.language.packs import pack
from caveat.language.tokens import spoken_of
from caveat.models.probability import answer_key
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed_model import ReadRequest
from caveat.sources.marks import without_marks
from caveat.sources.outline import headings_at, sentence_around

# When a reply is structured; see `is_structured`.
LEAST_ANSWERABLE, MOST_ANSWERABLE = 0.05, 0.995
LEAST_SURE = 0.5
LEAST_ANSWERS = 2
# What the text must have of the question's subject, from which probability on any of it is enough.
LEAST_SPOKEN_OF, ENOUGH_ANSWERABLE = 1 / 3, 0.2
# Characters from the reader's answer to the nearest tagged one; 0 asks for an overlap.
FARTHEST = 20


class BestSpan(msgspec.Struct, frozen=True):
    """A reader's best answer, `document.text[start:end]`, and how probable it is that there is any."""

    question: str
    document: Document
    start: int
    end: int
    answerable: float = 1.0


class Structured(msgspec.Struct, frozen=True):
    """Structured answers, most probable first, and how probable it is that the text answers the question."""

    answers: tuple[Answer, ...]
    answerable: float


def is_structured(found: BestSpan, answers: Sequence[Answer], sure: float) -> bool:
    """Whether the answers that were tagged around a reader's best answer are the better reply.

    They are if the tagger is sure enough of one of them, `sure`, if there are several, parts counted, or one under a
    condition, and if one of them overlaps the reader's answer or is near it. A reader that is very sure has the one
    answer that there is; one that finds next to none has not found the place either. And the text must speak of what
    the question is about: a tagger finds answers of the kind that is asked for in texts about other things too.
    """
    every = [*answers, *(part for answer in answers for part in answer.parts)]
    return (
        _in_doubt(found)
        and sure >= LEAST_SURE
        and (len(every) >= LEAST_ANSWERS or any(answer.conditions for answer in every))
        and _distance(found, every) <= FARTHEST
    )


def _in_doubt(found: BestSpan) -> bool:
    if not LEAST_ANSWERABLE <= found.answerable <= MOST_ANSWERABLE:
        return False
    share = spoken_of(found.question, found.document.text)
    return share >= LEAST_SPOKEN_OF or (share > 0 and found.answerable >= ENOUGH_ANSWERABLE)


def _distance(found: BestSpan, answers: Iterable[Answer]) -> float:
    places = [(place.start, place.end) for answer in answers if (place := answer.place)]
    gaps = (
        max(0, start - found.end, found.start - end)
        for start, end in places
        if start is not None and end is not None
    )
    return min(gaps, default=float("inf"))


class StructureFinder:
    """A tagger with the relation model of its spans; both are loaded when they are first needed."""

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger

    @cached_property
    def relations(self) -> RelationModel:
        """The model in the tagger's folder, else the one that comes with the package."""
        return model_beside(self.tagger.folder) or embedded_model()

    def answers(self, read: Iterable[BestSpan]) -> Iterator[Structured | None]:
        """For each best span the structured answers around it, in order; None where the reader's own are better.

        How probable it is that the text answers is what the decision says: a tagger finds answers of the kind that is
        asked for in texts that do not answer. All passages go through the tagger's queue together.
        """
        mine, theirs = tee((found, self._passage(found)) for found in read)
        tagged = self.tagger.tag(
            ReadRequest(found.question, found.document.text[slice(*passage)])
            for found, passage in theirs
            if passage is not None
        )
        for found, passage in mine:
            if passage is None:
                yield None
                continue
            result = next(tagged)
            sure = max((span.score for span in result.spans if span.kind != "condition"), default=0.0)
            answers = self.tree(found, passage, result.spans)
            yield Structured(answers, found.answerable) if is_structured(found, answers, sure) else None

    def _passage(self, found: BestSpan) -> tuple[int, int] | None:
        """The passage to be tagged; nothing is tagged in vain."""
        if not _in_doubt(found):
            return None
        card = self.tagger.card
        return passage_around(found.document, found.start, found.end, card.window - card.max_question_tokens)

    def tree(
        self, found: BestSpan, passage: tuple[int, int], tagged: Iterable[TaggedSpan]
    ) -> tuple[Answer, ...]:
        """The spans that were tagged in a passage as answers, whatever the decision.

        Kinds that are not CMQA's are those of answers without a level of detail: they count as fine.
        """
        start, end = passage
        may_be = may_be_answer(found.document)
        scores: dict[Span, float] = {}
        for each in tagged:
            first, last = without_marks(found.document.text, start + each.start, start + each.end)
            named = each.kind == "condition" or says_something(
                found.question, found.document.text[first:last]
            )
            if named and may_be(first, last):
                span = Span(_kind(each.kind), first - start, last - start)
                scores[span] = max(each.score * found.answerable, scores.get(span, 0.0))
        if "condition" in self.tagger.kinds:
            # Said in so many words: as sure as the text.
            for span in explicit_conditions(found.document.text[start:end], scores):
                scores[span] = found.answerable
        related: list[Related] = []
        # Fine answers alone have no relations.
        if any(span.kind != "fine" for span in scores):
            related = self.relations.relate(found.document.text[start:end], scores, found.question)
        return as_answers(found.document, start, scores, related)


def _kind(name: str) -> Kind:
    return next((kind for kind in KINDS if kind == name), "fine")


def as_answers(
    document: Document, passage: int, scores: Mapping[Span, float], related: Iterable[Related]
) -> tuple[Answer, ...]:
    """Spans with their probabilities, and what belongs together, as answers, most probable first.

    The spans' offsets are into the passage that begins at `passage`. A fine answer is part of the coarse one that it
    most probably belongs to; without one it is an answer of its own. What a coarse answer depends on is not repeated
    on its parts. A condition of nothing is left out.
    """
    conditions: dict[Span, list[Span]] = {}
    parts: dict[Span, list[Span]] = {}
    placed: set[Span] = set()
    for each in sorted(related, key=lambda each: -each.probability):
        if each.head.kind == "condition":
            conditions.setdefault(each.tail, []).append(each.head)
        elif each.tail not in placed:
            placed.add(each.tail)
            parts.setdefault(each.head, []).append(each.tail)
    # The same for all: a passage does not go beyond a heading.
    headings = headings_at(document, passage)

    sentences: list[tuple[int, int]] = []

    def place(start: int, end: int) -> Place:
        return place_in(document, start, end, headings=headings)

    def evidence(start: int, end: int) -> Place:
        for first, last in reversed(sentences):
            if first <= start and end <= last:
                return place(first, last)
        sentences.append(sentence_around(document, start, end))
        return place(*sentences[-1])

    def answer(span: Span, above: Sequence[Span] = ()) -> Answer:
        start, end = passage + span.start, passage + span.end
        own = in_order(set(conditions.get(span, ())).difference(above))
        return Answer(
            document.text[start:end],
            "span",
            scores[span],
            place(start, end),
            tuple(
                _condition(document.text[first:last], place(first, last))
                for first, last in ((passage + each.start, passage + each.end) for each in own)
            ),
            (evidence(start, end),),
            _distinct(answer(part, own) for part in in_order(parts.get(span, ()))),
        )

    tops = in_order(span for span in scores if span.kind != "condition" and span not in placed)
    return tuple(sorted(_distinct(map(answer, tops)), key=lambda each: -each.score))


def _condition(text: str, place: Place) -> Condition:
    from caveat.language.follow_up import inquiry

    # Tags of an English tagger are phrases of any kind, which make no sure question.
    if not pack(language_of(text)).conditions:
        return Condition(text, place)
    question, negated = inquiry(text)
    return Condition(text, place, question, not negated)


def _distinct(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """The same words under the same conditions are one answer, the most probable, with what all have under them."""
    groups: dict[tuple[str, frozenset[str]], list[Answer]] = {}
    for answer in answers:
        conditions = frozenset(answer_key(condition.text) for condition in answer.conditions)
        groups.setdefault((answer_key(answer.text), conditions), []).append(answer)
    return tuple(map(_one, groups.values()))


def _one(same: Sequence[Answer]) -> Answer:
    if len(same) == 1:
        return same[0]
    best_first = sorted(same, key=lambda answer: -answer.score)
    return msgspec.structs.replace(
        best_first[0],
        evidence=tuple(dict.fromkeys(place for answer in best_first for place in answer.evidence)),
        parts=_distinct(part for answer in same for part in answer.parts),
    )
