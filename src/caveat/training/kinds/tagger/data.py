"""Questions with all their typed spans, from the formats that have them, as tokens with labels and in windows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.documents.structure.spans import KINDS
from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.multispan import format as multispan
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, questions_of
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.tagger import Layers
from caveat.models.windows import Window, even_windows, tokens_of
from caveat.training.kinds.reader.data import YES_NO, as_parts, simplified, span_place
from caveat.training.recipe import Phase, Settings
from caveat.training.sampling import repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

__all__ = [
    "Labels",
    "Marked",
    "SpanDataSet",
    "SpanTuning",
    "TagCorpus",
    "TagQuestion",
    "TagSample",
    "TagSampler",
    "TaggerRecipe",
    "encode_marked",
    "labels_of",
    "problems_of",
    "read_marked",
]


class SpanDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions with all their spans, and how much of it an epoch takes."""

    path: str
    # CMQA's JSON lines, SQuAD's layout (an answer may be a list of spans, as in CAIL 2021), or MultiSpanQA's.
    format: Literal["cmqa", "squad", "multispan"]
    # What the spans of a file in SQuAD's layout or MultiSpanQA's are; CMQA's say it themselves.
    span_kind: str = ""
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Traditional script becomes Simplified (SQuAD's layout only).
    simplify: bool = False
    # In SQuAD's layout: what several answers to a question are, of several annotators or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take; one without spans teaches silence.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Whether the recipe's fold is kept out of training and measured on.
    held_out: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of span that the file marks: where it marks none, there is none."""
        return KINDS if self.format == "cmqa" else (self.span_kind,)


class SpanTuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end, and how; never trained on."""

    metric: Literal["cmqa", "multispan"]
    # A file of its own in the metric's format; where there is none, the fold that is held out of the data.
    path: str = ""
    # Steps between measurements, on this many questions spread over the data; 0: only at the end.
    every: int = 100
    questions: int = 100
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 384
    stride: int = 192
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class TaggerRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a tagger."""

    kind: Literal["tagger"] = "tagger"
    # Kinds of span, by layers: those of one layer never overlap each other. The paper's modes are one layer of all
    # kinds (merged), and a run for each kind (separate).
    layers: tuple[tuple[str, ...], ...]
    # Kinds whose spans begin and end at punctuation only, where they are in a layer.
    clause_kinds: tuple[str, ...] = ()
    # One that marks no kind of any layer is left out.
    data: tuple[SpanDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: SpanTuning | None = None
    # Texts fall into this many folds by a hash of their characters, the same in every file and in every run. `fold` is
    # the one that is held out, counted from 0; -1 holds nothing out.
    folds: int = 5
    fold: int = -1

    @property
    def clausal(self) -> tuple[str, ...]:
        """The kinds of the layers whose spans begin and end at punctuation only."""
        return tuple(kind for layer in self.layers for kind in layer if kind in self.clause_kinds)


def problems_of(recipe: TaggerRecipe) -> Iterator[str]:
    """What is wrong with the values of a recipe."""
    kinds = [kind for layer in recipe.layers for kind in layer]
    if not kinds or not all(recipe.layers):
        yield "a tagger needs layers, each of at least one kind of span"
    if len(set(kinds)) < len(kinds):
        yield "every kind of span belongs to one layer"
    # A recipe for some of CMQA's kinds may go on naming the others; they are left out.
    known = {*kinds, *KINDS}
    if strange := sorted(set(recipe.clause_kinds) - known):
        yield f"clause_kinds names {strange[0]!r}, which is in no layer"
    if not (recipe.folds >= 2 and -1 <= recipe.fold < recipe.folds):
        yield f"fold must be from 0 to below folds ({recipe.folds}), or -1 for none, got {recipe.fold}"
    for data in recipe.data:
        if data.format != "cmqa" and not data.span_kind:
            yield f"{data.path} needs span_kind: what its spans are"
        elif not set(data.kinds) & known:
            yield f"{data.path} has spans of the kind {data.kinds[0]!r}, which is in no layer"
        if data.held_out and recipe.tuning and not recipe.tuning.path and data.format != recipe.tuning.metric:
            yield f"{data.path} is held out, but its format is not that of the metric {recipe.tuning.metric!r}"
    if not any(set(data.kinds) & set(kinds) for data in recipe.data):
        yield "none of the data sets has spans of a kind that is in a layer"
    if recipe.tuning and not recipe.tuning.path and not any(data.held_out for data in recipe.data):
        yield "tuning needs a path, or a data set of which a fold is held out"


# For each layer a text's columns (0 is O), or None where the data does not say.
Labels = tuple["NDArray[np.int64] | None", ...]


class Marked(msgspec.Struct, frozen=True):
    """A question, the text it is asked of, and its spans: kind, start, end."""

    question: str
    text: str
    spans: tuple[tuple[str, int, int], ...]


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


class TagQuestion(NamedTuple):
    """A question and its text as tokens, and the labels of the whole text."""

    question: NDArray[np.int32]
    text: EncodedText
    labels: Labels


class TagCorpus(msgspec.Struct, frozen=True):
    """A tokenised data set; `left_out` counts questions and spans that are not learnt, by reason."""

    questions: tuple[TagQuestion, ...]
    left_out: dict[str, int]


class TagSample(NamedTuple):
    """A window and the labels of its text, which are a matter of the text and not of where it is cut."""

    window: Window
    labels: Labels

    @property
    def length(self) -> int:
        """Tokens of question and context."""
        return self.window.length


def encode_marked(
    marked: Sequence[Marked],
    tokenizer: Tokenizer,
    layers: Layers,
    kinds: Sequence[str],
    *,
    left_out: Counter[str],
    cap: int,
    seed: int,
    max_question_tokens: int,
) -> TagCorpus:
    """At most `cap` of the questions, drawn by the seed, as tokens; `kinds` are those that the data set marks."""
    if len(marked) > cap:
        left_out["over the cap"] += len(marked) - cap
        marked = [
            marked[index] for index in sorted(random.Random(f"cap {seed}").sample(range(len(marked)), cap))
        ]
    texts: dict[str, EncodedText] = {}
    questions = []
    for each in marked:
        if each.text not in texts:
            texts[each.text] = encode_text(tokenizer, each.text)
        text = texts[each.text]
        question = encode_question(tokenizer, each.question, max_question_tokens)
        if not len(text) or not len(question):
            left_out["empty"] += 1
            continue
        questions.append(TagQuestion(question, text, labels_of(each, text, layers, kinds, left_out)))
    return TagCorpus(tuple(questions), {reason: count for reason, count in left_out.items() if count})


def labels_of(
    marked: Marked, text: EncodedText, layers: Layers, kinds: Sequence[str], left_out: Counter[str]
) -> Labels:
    """The column of every token in every layer that has one of the kinds.

    Where two spans of one layer overlap, the longer is learnt, as flat taggers of nested names do it: in CMQA's
    merged layer that keeps nearly all conditions (1,938 of 1,944), which fine answers stand in, and loses 427 of the
    12,992 spans; keeping the shorter would lose a fifth of the conditions.
    """
    starts, ends = text.starts.tolist(), text.ends.tolist()
    labels: list[NDArray[np.int64] | None] = []
    for layer in layers:
        if not set(layer) & set(kinds):
            labels.append(None)
            continue
        columns = np.zeros(len(text), dtype=np.int64)
        mine = sorted((start - end, start, kind) for kind, start, end in marked.spans if kind in layer)
        for negative, start, kind in mine:
            tokens = tokens_of(starts, ends, start, start - negative)
            if tokens is None:  # all its characters are such as the tokenizer drops
                left_out["spans without a token"] += 1
            elif columns[tokens[0] : tokens[1]].any():
                left_out["spans inside others"] += 1
            else:
                begin = 1 + 2 * layer.index(kind)
                columns[tokens[0] : tokens[1]] = begin + 1
                columns[tokens[0]] = begin
        labels.append(columns)
    return tuple(labels)


class TagSampler:
    """The windows of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(
        self, corpora: Sequence[tuple[TagCorpus, float]], specials: int, *, window: int, stride: int
    ) -> None:
        """`corpora` come with their weights; `specials` is the number of special tokens in a window."""
        self._sets = [
            ([_samples(question, window - specials, stride) for question in corpus.questions], weight)
            for corpus, weight in corpora
        ]

    def epoch(self, seed: str) -> list[TagSample]:
        """The windows of an epoch, set after set: all of every question that is drawn."""
        draw = random.Random(seed)
        return [
            sample
            for questions, weight in self._sets
            for part in repeated(questions, weight, draw)
            for samples in part
            for sample in samples
        ]


def _samples(question: TagQuestion, room: int, stride: int) -> list[TagSample]:
    return [
        TagSample(Window(0, question.question, question.text, first, last), question.labels)
        for first, last in even_windows(len(question.text), room - len(question.question), stride)
    ]
