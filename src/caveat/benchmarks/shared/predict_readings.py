"""A reader's predictions on a benchmark, in the benchmark's submission format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from time import perf_counter

import msgspec

from caveat.answerers.contract import Asked as QuestionOn
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.benchmarks.shared.predictions import write_answers
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import write_json
from caveat.core.records import Document, Question
from caveat.models.embedded import find
from caveat.models.reader import Reader, ReadResult

__all__ = [
    "PREDICTED",
    "Asked",
    "Predicted",
    "Prediction",
    "predict",
    "predicted",
    "predictions",
    "read_asked",
    "submitted",
]

# The tasks, and the embedded model that fits each.
PREDICTED = {"mrqa": "reader-en", "squad": "reader-en", "squad2": "reader-en", "cmrc2018": "reader-zh"}
# The only one whose answer may be none.
_WITH_NO_ANSWER = frozenset({"squad2"})


class Asked(msgspec.Struct, frozen=True):
    """A question of a benchmark, and the text it is asked on."""

    id: str
    question: str
    text: str


class Prediction(msgspec.Struct, frozen=True):
    """The most probable answer, whether it is more probable than none, and how probable none is."""

    id: str
    text: str
    answered: bool
    unanswerable: float


class Predicted(msgspec.Struct, frozen=True):
    """What a run did."""

    task: str
    model: str
    questions: int
    unanswered: int
    seconds: float


Through = Callable[[Iterable[Prediction]], Iterable[Prediction]]


def predict(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    model: PathLike | None = None,
    na_prob_out: PathLike | None = None,
    reader: Reader | None = None,
    through: Through = iter,
) -> Predicted:
    """Answer every question of a data file and write id → text; `na_prob_out` gets id → probability of none.

    In squad2 a question whose most probable answer is none gets an empty text; the other tasks' questions all
    have answers. `through` is handed the predictions as they come, for a progress bar; `reader` is used instead
    of `model` where it is given.
    """
    if task not in PREDICTED:
        raise UnknownNameError("task with predictions", task, list(PREDICTED))
    if na_prob_out is not None and task not in _WITH_NO_ANSWER:
        raise UsageError(f"The questions of {task} all have answers; only squad2 has probabilities of none.")
    reader = reader or Reader.load(find(PREDICTED[task] if model is None else model))
    begin = perf_counter()
    texts: dict[str, str] = {}
    none: dict[str, float] = {}
    for prediction in through(predictions(reader, read_asked(task, data))):
        texts[prediction.id] = submitted(task, prediction)
        none[prediction.id] = prediction.unanswerable
    seconds = perf_counter() - begin
    write_answers(out, texts)
    if na_prob_out is not None:
        write_json(na_prob_out, none)
    unanswered = sum(not text for text in texts.values())
    return Predicted(task, reader.card.name, len(texts), unanswered, seconds)


def predictions(reader: Reader, asked: Iterable[Asked]) -> Iterator[Prediction]:
    """A prediction a question, in order, as a stream; each text is a passage, all of which is read."""
    answerer = DocumentAnswerer([reader], retrieve=False)
    mine, theirs = tee(asked)
    replies = answerer.answer(
        QuestionOn(Question(item.question), (answerer.prepare(Document(item.text)),), top=1, structure=False)
        for item in theirs
    )
    for item, reply in zip(mine, replies, strict=True):
        best = reply.answers[0] if reply.answers else None
        answered = best is not None and best.score > reply.unanswerable
        yield Prediction(item.id, best.text if best else "", answered, reply.unanswerable)


def predicted(reader: Reader, id: str, result: ReadResult) -> Prediction:
    """What was found for a question, weighed with the reader's card."""
    weighed = reader.weigh([result])
    text = weighed.choices[0].text if weighed.choices else ""
    return Prediction(id, text, weighed.answered, weighed.unanswerable)


def submitted(task: str, prediction: Prediction) -> str:
    """The text that goes into the submission: none where the task has questions without an answer, and it is one."""
    silent = task in _WITH_NO_ANSWER and not prediction.answered
    return "" if silent else prediction.text


def read_asked(task: str, data: PathLike) -> Iterator[Asked]:
    """The questions of a data file of the task."""
    if task == "mrqa":
        from caveat.benchmarks.mrqa import questions as mrqa_questions

        for context in mrqa_questions.read_asked(data):
            for question in context.qas:
                yield Asked(question.qid, question.question, context.context)
        return
    for passage, asked in questions_of(_passages(task, data)):
        yield Asked(asked.id, asked.text, passage.text)


def _passages(task: str, data: PathLike) -> Iterator[Passage]:
    from caveat.benchmarks.cmrc2018 import format as cmrc
    from caveat.benchmarks.squad import format as squad

    return cmrc.read_passages(data) if task == "cmrc2018" else squad.read_passages(data)
