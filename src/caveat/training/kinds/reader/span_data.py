"""Questions with all their typed spans, from the formats that have them, and which of them are held out."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from caveat.answerers.documents.structure.spans import KINDS
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.multispan import format as multispan
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, questions_of
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError
from caveat.training.kinds.reader.places import YES_NO, as_parts, simplified, span_place
from caveat.training.kinds.tagger.recipe import SpanDataSet

__all__ = ["Marked", "fold_of", "read_marked"]


class Marked(msgspec.Struct, frozen=True):
    """A question, the text it is asked of, and its spans: kind, start, end."""

    question: str
    text: str
    spans: tuple[tuple[str, int, int], ...]


def fold_of(text: str, folds: int) -> int:
    """The fold of a text: by its characters alone, so that all questions on it fall into the same, in any file."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % folds


def read_marked(data: SpanDataSet, path: Path, left_out: Counter[str]) -> Iterator[Marked]:
    """The questions of a data set; those that cannot be learnt from are counted by reason."""
    if data.format == "cmqa":
        found = _cmqa(path)
    elif data.format == "multispan":
        found = _multispan(path, data.span_kind, left_out)
    else:
        passages: Iterable[Passage] = squad.read_passages(path)
        if data.answers == "parts":
            passages = as_parts(passages)
        if data.simplify:
            passages = simplified(passages)
        found = _squad(passages, data.span_kind, left_out)
    for marked in found:
        if data.take == "all" or (data.take == "answerable") == bool(marked.spans):
            yield marked


def _cmqa(path: Path) -> Iterator[Marked]:
    for line, sample in cmqa.read(path):
        spans = []
        for kind in KINDS:
            for span in getattr(sample, kind):
                if not 0 <= span.start < span.end or sample.context[span.start : span.end] != span.text:
                    raise InputError(
                        f"the {kind} span {span.text[:40]!r} does not stand at [{span.start}, {span.end}); "
                        "`caveat check cmqa` lists what is wrong",
                        path=path,
                        line=line,
                    )
                spans.append((kind, span.start, span.end))
        yield Marked(sample.question, sample.context, tuple(spans))


def _multispan(path: Path, kind: str, left_out: Counter[str]) -> Iterator[Marked]:
    for example in multispan.read(path).examples:
        if example.label is None:
            left_out["not labelled"] += 1
            continue
        passage = multispan.to_passage(example)
        (question,) = passage.questions
        spans = [
            (kind, span.start, span.start + len(span.text))
            for answer in question.answers
            for span in answer
            if span.start is not None and span.text
        ]
        yield Marked(question.text, passage.text, tuple(spans))


def _squad(passages: Iterable[Passage], kind: str, left_out: Counter[str]) -> Iterator[Marked]:
    for passage, question in questions_of(passages):
        if not question.answerable:
            yield Marked(question.text, passage.text, ())
            continue
        places = _places(passage.text, question)
        if isinstance(places, str):
            left_out[places] += 1
        else:
            yield Marked(question.text, passage.text, tuple((kind, *place) for place in places))


def _places(text: str, question: PassageQuestion) -> list[tuple[int, int]] | str:
    """Where the spans of the answer stand, or why they cannot be learnt.

    Of several annotators' answers the most frequent counts, the first among equals.
    """
    answers = [answer for answer in question.answers if any(span.text.strip() for span in answer)]
    texts = Counter(tuple(span.text.strip() for span in answer) for answer in answers)
    wanted = texts.most_common(1)[0][0]
    answer = next(answer for answer in answers if tuple(span.text.strip() for span in answer) == wanted)
    if len(wanted) == 1 and wanted[0].lower() in YES_NO:
        return "yes or no"
    places = [span_place(text, span) for span in answer if span.text.strip()]
    found = [place for place in places if place]
    return found if len(found) == len(places) else "not in the passage"
