"""What may be the answer to a question: spans, lists, yes, no, none; each a candidate with named features.

Everything that proposes an answer from documents does so here, and no weight stands here: what each feature counts is
fitted (`decision`). What an asker measures is compared with the text by code (`cases`), and is a feature like others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from caveat.answerers.documents.amounts import named_quantities, pooled
from caveat.answerers.documents.cases import Case, in_cases
from caveat.answerers.documents.conditions.governing import condition_of
from caveat.answerers.documents.listings import Listing, listings
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.scenario import Judging, settled_by
from caveat.answerers.documents.silence import lacks_a_name, silence_features
from caveat.answerers.documents.spans import possible_answers, says_something
from caveat.answerers.ranking.features import Floats
from caveat.core.logic import status
from caveat.core.records import Question
from caveat.language.question import asks_for_quantity, fits_question
from caveat.language.question_kind import embedded_kinds
from caveat.language.sentences import sentences
from caveat.models.decoding import Candidate
from caveat.models.joint import KINDS, TextReading
from caveat.models.log_odds import log_softmax
from caveat.models.probability import Choice, Weighed
from caveat.models.reader import ReadResult
from caveat.sources.outline import element_at, heading_level

Kind = Literal["span", "list", "yes", "no", "none", "missed"]
Features = dict[str, float]
_SPAN, _LIST, _YES, _NO, _NONE = range(len(KINDS))
# Log-probabilities below this make no difference.
_LEAST = -8.0
# The lists that are proposed, and the sentences that are shown for yes or no.
_MOST_LISTS, _OF_EACH_WAY = 12, 3
# What is marked so near the first and the last item is rather of the list.
_BESIDE = 20
# What ends a clause and is no part of an answer.
_EDGES = " \t\n*_”\"'」"
_ENDINGS = " \t\n,;:，；：、。"


# What of a listing is marked, what is evidence, its document, the listing, its names, its share of all that is marked.
_Found = tuple[float, float, int, Listing, list[str], float]


class Proposal(NamedTuple):
    """A candidate: its kind, its features, and its places, each with the number of its document.

    The places of a span are those where it stands, best first; those of a list its items, in order; those of yes and
    no the sentence that decides. None, and an answer that was missed, have none.
    """

    kind: Kind
    features: Features
    places: tuple[tuple[int, Candidate], ...] = ()
    # Of a list: the numbers of its elements where it is one of the page, and the place of what introduces it.
    elements: tuple[int, ...] = ()
    introduction: tuple[int, int] | None = None


class Proposals(NamedTuple):
    """All candidates, where the asker's own case stands, by the number of the document, and what was read."""

    each: tuple[Proposal, ...]
    cases: tuple[tuple[int, Case], ...] = ()
    texts: tuple[TextReading, ...] = ()


class _Reading:
    """A question and all that was read for it."""

    def __init__(
        self, question: Question, pages: Sequence[Page], texts: Sequence[TextReading], judging: Judging
    ) -> None:
        self.question, self.pages, self.texts, self.judging = question, pages, texts, judging
        scores = embedded_kinds(question.spoken).scores(question.text, question.spoken)
        # How probable it is that the question wants a span, a list, or yes or no, as logarithms.
        self.wanted: list[float] = log_softmax(np.array(scores)).tolist()
        self._words: dict[int, tuple[Floats, Floats]] = {}

    def words(self, number: int, at: int | None) -> tuple[float, float]:
        """What an element of a page shares with the question, as BM25, and the share of the question that it has."""
        if at is None:
            return 0.0, 0.0
        if number not in self._words:
            page, text = self.pages[number], self.question.text
            self._words[number] = page.shared(text)[0], page.covered_by(text)
        shared, covered = self._words[number]
        return float(shared[at]), float(covered[at])

    @cached_property
    def surest(self) -> tuple[float, ...]:
        """The kinds in the window that is surest that there is an answer."""
        windows = [window.kinds for text in self.texts for window in text.windows]
        return min(windows, key=lambda kinds: kinds[_NONE], default=(_LEAST,) * _NONE + (0.0,))

    def most(self, kind: int) -> float:
        """The greatest of a kind over all windows."""
        found = (window.kinds[kind] for text in self.texts for window in text.windows)
        return _clipped(max(found, default=_LEAST))


def proposals(
    question: Question,
    pages: Sequence[Page],
    texts: Sequence[TextReading],
    asked: Mapping[str, float],
    judging: Judging,
) -> Proposals:
    """The candidates for a question on pages that were read; `asked` is how often questions have each word."""
    reading = _Reading(question, pages, texts, judging)
    spans, cases = _spans(reading, asked)
    found = [*spans, *_lists(reading), *_verdicts(reading)]
    best = max((each.features["span: score"] for each in spans), default=-1.0)
    return Proposals((*found, _none(reading, asked, best), _missed(reading, best)), cases, tuple(texts))


def _clipped(log_probability: float) -> float:
    return max(_LEAST, log_probability)


def _spans(
    reading: _Reading, asked: Mapping[str, float]
) -> tuple[list[Proposal], tuple[tuple[int, Case], ...]]:
    question, pages = reading.question, reading.pages
    documents = [page.document for page in pages]
    plain: set[tuple[int, int, int]] = set()
    found: list[tuple[int, Candidate]] = []
    for number, (page, text) in enumerate(zip(pages, reading.texts, strict=True)):
        spans = possible_answers(ReadResult(text.spans), page.document).candidates
        spans = tuple(each for each in spans if says_something(question.text, each.text))
        if asks_for_quantity(question.text) and spans:
            named = named_quantities(page, question.text, asked)
            plain |= {(number, start, end) for start, end in named}
            added = (
                Candidate(page.document.text[start:end], start, end, spans[0].score) for start, end in named
            )
            spans = (
                *added,
                *(
                    each
                    for each in spans
                    if not any(each.start < end and start < each.end for start, end in named)
                ),
            )
        found += ((number, each) for each in spans)
    found = [(number, _without_ending(each)) for number, each in found]
    found.sort(key=lambda each: -each[1].score)
    one_each = Weighed(tuple(Choice(0.0, (place,)) for place in found), 0.0)
    choices = pooled(question.text, one_each, [document.text for document in documents]).choices
    cases = in_cases(question, documents, choices)
    best = max((choice.places[0][1].score for choice in cases.choices), default=0.0)
    return [
        Proposal("span", _span_features(reading, choice, best, plain) | cases.features(choice), choice.places)
        for choice in cases.choices
    ], cases.own


def _without_ending(span: Candidate) -> Candidate:
    """A span without the comma or full stop behind it; that of "p.m." stays."""
    text = span.text.rstrip(_ENDINGS)
    if text.endswith(".") and text[-3:-2] != ".":
        text = text[:-1].rstrip(_ENDINGS)
    return Candidate(text, span.start, span.start + len(text), span.score) if text else span


def _span_features(
    reading: _Reading, choice: Choice, best: float, plain: set[tuple[int, int, int]]
) -> Features:
    number, span = choice.places[0]
    page, text = reading.pages[number], reading.texts[number]
    kinds = text.kinds_at(span.start, span.end)
    question = reading.question.text
    at = element_at(page.document, span.start)
    features = {
        "span": 1.0,
        "span: score": math.tanh(span.score / 10),
        "span: behind": math.tanh((best - span.score) / 5),
        "span: here": _clipped(kinds[_SPAN]),
        "span: list here": _clipped(kinds[_LIST]),
        "span: surest": _clipped(reading.surest[_SPAN]),
        "span: wanted": _clipped(reading.wanted[0]),
        "span: answer": text.answers_in(span.start, span.end),
        "span: evidence": text.evidence_in(span.start, span.end),
        "span: fits": fits_question(question, span.text),
        "span: places": math.log(len(choice.places)),
        "span: length": math.log1p(len(span.text)),
    }
    if (number, span.start, span.end) in plain:
        features["span: plain amount"] = 1.0
    features["span: shared"], features["span: covered"] = reading.words(number, at)
    return features


def _lists(reading: _Reading) -> Iterator[Proposal]:
    """The listings of the pages that may be answers, those of which the reader marks most."""
    found: list[_Found] = []
    for number, (page, text) in enumerate(zip(reading.pages, reading.texts, strict=True)):
        if text.text is None:
            continue
        total = max(1.0, float(text.answers.sum()))
        for each, names in listings(page, text):
            share = min(1.0, sum(text.answers_of(*item) for item in each.items) / total)
            marked = sum(text.answers_in(*item) for item in each.items) / len(each.items)
            evidence = text.evidence_in(each.items[0][0], each.items[-1][1])
            found.append((marked * share, evidence, number, each, names, share))
    for _, _, number, each, names, share in _first_by_each(found):
        page = reading.pages[number]
        lead = None if each.introduction is None else page.document.elements[each.introduction]
        introduction = None if lead is None else (lead.start, lead.end)
        features = _list_features(reading, number, each.items, introduction)
        features |= {f"list: {name}": 1.0 for name in names}
        features["list: of all marked"] = share
        if lead is not None:
            features["list: under a heading"] = float(heading_level(lead) > 0)
            features["list: colon"] = float(lead.text.rstrip().endswith((":", "：")))
        words = page.document.text
        places = tuple((number, Candidate(words[start:end], start, end, 0.0)) for start, end in each.items)
        yield Proposal("list", features, places, each.elements, introduction)


def _first_by_each(found: Sequence[_Found]) -> list[_Found]:
    """The first by what is marked of them, by what is evidence, and of each way by the two, each once."""
    kept: dict[int, _Found] = {}
    for measure in (0, 1):
        ordered = sorted(found, key=lambda each: -each[measure])
        ways: Counter[str] = Counter()
        for place, each in enumerate(ordered):
            if place < _MOST_LISTS or min(ways[name] for name in each[4]) < _OF_EACH_WAY:
                kept[id(each)] = each
            ways.update(each[4])
    return list(kept.values())


def _list_features(
    reading: _Reading, number: int, items: Sequence[tuple[int, int]], introduction: tuple[int, int] | None
) -> Features:
    page, text = reading.pages[number], reading.texts[number]
    marked = [text.answers_in(start, end) for start, end in items]
    lengths = [end - start for start, end in items]
    between = items[-1][1] - items[0][0] - sum(lengths)
    kinds = text.kinds_at(items[0][0], items[-1][1])
    at = element_at(page.document, introduction[0] if introduction else items[0][0])
    features = {
        "list": 1.0,
        "list: here": _clipped(kinds[_LIST]),
        "list: span here": _clipped(kinds[_SPAN]),
        "list: surest": _clipped(reading.surest[_LIST]),
        "list: wanted": _clipped(reading.wanted[1]),
        "list: answer": sum(marked) / len(marked),
        "list: least answer": min(marked),
        "list: items": math.log(len(items)),
        "list: evidence": text.evidence_in(items[0][0], items[-1][1]),
        "list: longest": math.log1p(max(lengths)),
        "list: of all lengths": max(lengths) / sum(lengths),
        "list: between": math.log1p(max(0, between)),
        "list: marked before": text.answers_in(max(0, items[0][0] - _BESIDE), items[0][0]),
        "list: marked behind": text.answers_in(items[-1][1], items[-1][1] + _BESIDE),
    }
    features["list: shared"], features["list: covered"] = reading.words(number, at)
    if introduction is not None:
        features["list: introduction"] = text.evidence_in(*introduction)
    return features


def _verdicts(reading: _Reading) -> Iterator[Proposal]:
    """Yes and no, each with the sentence that speaks most for it."""
    pages, lean = reading.pages, reading.most(_YES) - reading.most(_NO)
    for kind, sign in ((_YES, 1.0), (_NO, -1.0)):
        name: Kind = "yes" if kind == _YES else "no"
        decisive = list(_decisive(reading, kind))
        # What asks itself, as the question of a FAQ does, decides nothing.
        said = [each for each in decisive if not _asks(pages, each)]
        best = max(said or decisive, key=lambda each: each[0], default=None)
        features = {
            name: 1.0,
            f"{name}: surest": _clipped(reading.surest[kind]),
            f"{name}: most": reading.most(kind),
            f"{name}: wanted": _clipped(reading.wanted[2]),
            f"{name}: lean": sign * lean,
        }
        if best is None:
            yield Proposal(name, features)
            continue
        _, number, (start, end) = best
        page = reading.pages[number]
        features[f"{name}: evidence"] = reading.texts[number].evidence_in(start, end)
        at = element_at(page.document, start)
        _, features[f"{name}: covered"] = reading.words(number, at)
        if at is not None and reading.question.scenario:
            condition = condition_of(page, reading.question, at, start, end)
            if condition is not None:
                state = status(settled_by(condition, reading.question, reading.judging))
                features[f"{name}: condition {state}"] = 1.0
        sentence = Candidate(page.document.text[start:end], start, end, 0.0)
        yield Proposal(name, features, ((number, sentence),))


def _asks(pages: Sequence[Page], each: tuple[float, int, tuple[int, int]]) -> bool:
    _, number, (start, end) = each
    return pages[number].document.text[start:end].rstrip(_EDGES).endswith(("?", "？"))


def _decisive(reading: _Reading, kind: int) -> Iterator[tuple[float, int, tuple[int, int]]]:
    """Sentences that were read, with how much each speaks for a kind."""
    for number, (page, text) in enumerate(zip(reading.pages, reading.texts, strict=True)):
        for at, element in enumerate(page.document.elements):
            if page.is_heading[at] and not page.is_heading.all():
                continue
            holding = [
                window.kinds[kind]
                for window in text.windows
                if window.start < element.end and element.start < window.end
            ]
            if not holding:
                continue
            there = math.exp(max(holding))
            for first, last in sentences(element.text):
                place = element.start + first, element.start + last
                yield there * text.evidence_in(*place), number, place


def _none(reading: _Reading, asked: Mapping[str, float], best: float) -> Proposal:
    question = reading.question
    features: Features = {
        "none": 1.0,
        "none: surest": _clipped(reading.surest[_NONE]),
        "none: best span": best,
    }
    features["none: yes or no wanted"] = _clipped(reading.wanted[2])
    read = [page for page, text in zip(reading.pages, reading.texts, strict=True) if text.windows]
    if read:
        nearest = max(read, key=lambda page: page.covered(question.text))
        features |= {
            f"none: {name}": value for name, value in silence_features(nearest, question, asked).items()
        }
        if lacks_a_name(question, [page.document for page in reading.pages], nearest.document):
            features["none: name absent"] = 1.0
    return Proposal("none", features)


def _missed(reading: _Reading, best: float) -> Proposal:
    """That there is an answer which is not among the candidates."""
    return Proposal(
        "missed",
        {
            "missed": 1.0,
            "missed: best span": best,
            "missed: surest none": _clipped(reading.surest[_NONE]),
            "missed: list wanted": _clipped(reading.wanted[1]),
            "missed: yes or no wanted": _clipped(reading.wanted[2]),
            "missed: windows": math.log1p(sum(len(text.windows) for text in reading.texts)),
        },
    )
