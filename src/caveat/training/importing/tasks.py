"""What is imported: a record for each task, with the class that loads it, its scores, and what its labels mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.core.errors import CaveatError, UnknownNameError
from caveat.models.card import Card
from caveat.models.decoding import best_spans
from caveat.models.encoding import PairLayout, context_layout, pair_layout
from caveat.models.judge import TASK as JUDGING
from caveat.models.ranker import TASK as RANKING
from caveat.models.session import JUDGE_OUTPUTS, RANK_OUTPUTS, SPAN_OUTPUTS, TAG_OUTPUTS
from caveat.models.tagger import TASK as TAGGING

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from caveat.training.importing.checkpoint import Checkpoint

Rows = Sequence["NDArray[np.float32]"]
Compared = Sequence[tuple[Sequence[Any], Sequence[Any]]]
"""What was found in each window, by the exported model and by the checkpoint itself."""

# What a tagger's only kind is called where its labels are B, I and O alone.
_KIND = "answer"


class Columns(msgspec.Struct, frozen=True):
    """Which of a checkpoint's scores become ours, in our order; None for one that it does not have.

    Without numbers its outputs have our names already.
    """

    numbers: tuple[int | None, ...] | None = None
    # A tagger's.
    layers: tuple[tuple[str, ...], ...] = ()


class ImportTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task: what `--task` and the card call it, its head, outputs, labels, and how its scores are compared."""

    name: str
    card: str
    what: str
    # What the name of the checkpoint's class ends with, and the class that loads it.
    head: str
    auto: str
    outputs: tuple[str, ...]
    # From the names of the checkpoint's labels, in their order.
    columns: Callable[[Sequence[str]], Columns]
    # How question and text are joined.
    layout: Callable[[Tokenizer], PairLayout]
    # What is found in the rows of a window's outputs, given the place of its text.
    found: Callable[[Rows, slice, Card], Sequence[Any]]
    # In per cent, how much of what was found is the same; and what that is called on the card and in a sentence.
    agreement: Callable[[Compared], float]
    same: str
    same_words: str


def _joined(tokenizer: Tokenizer) -> PairLayout:
    return pair_layout(tokenizer, last=True)


def _premise_first(tokenizer: Tokenizer) -> PairLayout:
    """The text, by which a statement is judged, before the statement, as in data for inference."""
    layout = _joined(tokenizer)
    return msgspec.structs.replace(
        layout,
        context_first=True,
        question_type=layout.context_type,
        context_type=layout.question_type,
    )


def _no_labels(labels: Sequence[str]) -> Columns:
    return Columns()


def _judge_columns(labels: Sequence[str]) -> Columns:
    """The columns of entailed, contradicted and open; one of the last two may be missing."""
    meant = [_verdict(label) for label in labels]
    if None in meant or len(set(meant)) < len(meant) or "entailed" not in meant or len(meant) < 2:
        raise CaveatError(
            f"The labels {', '.join(labels)} are not those of a judge (entailment, contradiction and neutral, or "
            "entailment and not_entailment): --labels names them in the order of the outputs, "
            "as --labels contradiction,neutral,entailment."
        )
    order = ("entailed", "contradicted", "open")
    return Columns(tuple(meant.index(name) if name in meant else None for name in order))


def _verdict(label: str) -> str | None:
    plain = re.sub(r"[^a-z]+", "_", label.lower()).strip("_")
    if plain.startswith(("not_entail", "non_entail", "neutral")):
        return "open"
    if plain.startswith("entail"):
        return "entailed"
    return "contradicted" if plain.startswith("contradict") else None


def _ranker_columns(labels: Sequence[str]) -> Columns:
    if len(labels) != 1:
        raise CaveatError(
            f"A ranker has one score for a pair; this checkpoint has {len(labels)}: {', '.join(labels)}."
        )
    return Columns((0,))


def _tagger_columns(labels: Sequence[str]) -> Columns:
    """O, then B and I of each kind, in the order of the kinds; a kind of single tokens has no I."""
    tags = [_tag(label) for label in labels]
    kinds = tuple(dict.fromkeys(tag[1] for tag in tags if tag and tag[1]))
    if None in tags or ("O", "") not in tags or not kinds or len(set(tags)) < len(tags):
        raise CaveatError(
            f"The labels {_some(labels)} are not O, B and I, or B-KIND and I-KIND, which is what a tagger's are: "
            "--labels names them in the order of the outputs."
        )
    if lacking := [kind for kind in kinds if ("B", kind) not in tags]:
        raise CaveatError(
            f"There is a label I-{lacking[0]} and no B-{lacking[0]}: without it two spans side by side are one."
        )
    wanted = [("O", ""), *((letter, kind) for kind in kinds for letter in "BI")]
    return Columns(tuple(tags.index(tag) if tag in tags else None for tag in wanted), (kinds,))


def _tag(label: str) -> tuple[str, str] | None:
    if label.upper() in ("O", "B", "I"):
        return label.upper(), "" if label.upper() == "O" else _KIND
    found = re.fullmatch(r"([BI])[-_](.+)", label)
    return (found[1], found[2]) if found else None


def _some(labels: Sequence[str]) -> str:
    return ", ".join(labels[:9]) + (" …" if len(labels) > 9 else "")


def _best_span(rows: Rows, context: slice, card: Card) -> Sequence[Any]:
    best = best_spans(rows[0][context], rows[1][context], card.max_answer_tokens, 1)
    return [span[:2] for span in best]


def _most_probable(rows: Rows, context: slice, card: Card) -> Sequence[Any]:
    return [int(np.argmax([row.reshape(-1)[0] for row in rows]))]


def _score(rows: Rows, context: slice, card: Card) -> Sequence[Any]:
    return [float(rows[0].reshape(-1)[0])]


def _tags(rows: Rows, context: slice, card: Card) -> Sequence[Any]:
    tags: list[int] = rows[0][context].argmax(axis=-1).tolist()
    return tags


def _same_items(found: Compared) -> float:
    same = [a == b for ours, theirs in found for a, b in zip(ours, theirs, strict=True)]
    return 100 * sum(same) / max(1, len(same))


def _same_order(found: Compared) -> float:
    """Of each two windows in a row, whether the same one is the better."""
    scores = [(ours[0], theirs[0]) for ours, theirs in found]
    pairs = list(zip(scores[::2], scores[1::2], strict=False))
    return 100 * sum((a[0] < b[0]) == (a[1] < b[1]) for a, b in pairs) / max(1, len(pairs))


READER = ImportTask(
    name="reader",
    card="reader",
    what="extractive question answering",
    head="ForQuestionAnswering",
    auto="AutoModelForQuestionAnswering",
    outputs=SPAN_OUTPUTS,
    columns=_no_labels,
    layout=_joined,
    found=_best_span,
    agreement=_same_items,
    same="same_spans",
    same_words="of the windows have the same best span as in torch",
)
JUDGE = ImportTask(
    name="judge",
    card=JUDGING,
    what="natural language inference",
    head="ForSequenceClassification",
    auto="AutoModelForSequenceClassification",
    outputs=JUDGE_OUTPUTS,
    columns=_judge_columns,
    layout=_premise_first,
    found=_most_probable,
    agreement=_same_items,
    same="same_verdicts",
    same_words="of the pairs have the same verdict as in torch",
)
RANKER = ImportTask(
    name="ranker",
    card=RANKING,
    what="the ranking of pairs",
    head="ForSequenceClassification",
    auto="AutoModelForSequenceClassification",
    outputs=RANK_OUTPUTS,
    columns=_ranker_columns,
    layout=_joined,
    found=_score,
    agreement=_same_order,
    same="same_order",
    same_words="of the questions rank their texts as in torch",
)
TAGGER = ImportTask(
    name="tagger",
    card=TAGGING,
    what="the tagging of tokens",
    head="ForTokenClassification",
    auto="AutoModelForTokenClassification",
    outputs=TAG_OUTPUTS,
    columns=_tagger_columns,
    layout=_joined,
    found=_tags,
    agreement=_same_items,
    same="same_tags",
    same_words="of the tokens have the same tag as in torch",
)
TASKS = {task.name: task for task in (READER, JUDGE, RANKER, TAGGER)}


def task_of(checkpoint: Checkpoint, name: str | None = None) -> ImportTask:
    """The task of this name, else the one that the checkpoint's configuration tells."""
    if name is not None:
        if name not in TASKS:
            raise UnknownNameError("task", name, list(TASKS))
        return TASKS[name]
    architecture = checkpoint.architecture
    for task in (READER, TAGGER):
        if task.head in architecture:
            return task
    if JUDGE.head in architecture:
        return RANKER if len(labels_of(checkpoint)) == 1 else JUDGE
    raise CaveatError(
        f"{checkpoint.source.name} is {f'a {architecture}' if architecture else 'of no architecture that it names'}, "
        f"and not a reader (…{READER.head}), a judge or ranker (…{JUDGE.head}) or a tagger (…{TAGGER.head}); "
        "--task says what it is where its configuration does not."
    )


def labels_of(checkpoint: Checkpoint) -> list[str]:
    """The names of the checkpoint's labels, in the order of its outputs."""
    names = checkpoint.config.id2label or {}
    return [str(names[number]) for number in sorted(names)]


def reads_text_alone(task: ImportTask, columns: Columns) -> bool:
    """Whether a model is taken to read no question: a tagger of named kinds, as those of persons and places are."""
    return task is TAGGER and columns.layers != ((_KIND,),)


def layout_of(task: ImportTask, tokenizer: Tokenizer, alone: bool) -> PairLayout:
    """How a window of the task is laid out, with its question or `alone`."""
    return context_layout(tokenizer) if alone else task.layout(tokenizer)
