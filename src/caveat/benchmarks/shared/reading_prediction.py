"""A reader's predictions on the benchmarks whose answer is one span of a text, as one JSON object id → text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee
from time import perf_counter

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.benchmarks.shared.passage import TextQuestion
from caveat.benchmarks.shared.predictions import write_answers
from caveat.benchmarks.task import Predicted, Prediction, Through
from caveat.core.files import PathLike
from caveat.core.json_files import write_json
from caveat.core.records import Document, Question
from caveat.core.spreading import Spread, here
from caveat.models.embedded import find
from caveat.models.ensemble import Ensemble
from caveat.models.reader import Reader, ReadResult

__all__ = [
    "ReaderOptions",
    "ReadingOptions",
    "ReadingTask",
    "SpanAnswer",
    "answering",
    "load_reader",
    "predict_readings",
    "predicted",
    "predictions",
    "reading_prediction",
    "submitted_text",
]


# Questions that are sent to a worker at a time: a second's work or two, so that nothing is lost on the way.
_TOGETHER = 32


class SpanAnswer(msgspec.Struct, frozen=True):
    """The most probable answer, whether it is more probable than none, and how probable none is."""

    id: str
    text: str
    answered: bool
    unanswerable: float


class ReaderOptions(msgspec.Struct, frozen=True):
    """Which reader, or readers that answer together, and how they read."""

    models: tuple[PathLike, ...] = ()
    window: int | None = None
    stride: int | None = None
    threads: int | None = None
    spread: Spread = here


class ReadingOptions(ReaderOptions, frozen=True):
    """The same where a question may have no answer, and how probable that is goes to `na_prob_out`."""

    na_prob_out: PathLike | None = None


class ReadingTask(msgspec.Struct, frozen=True):
    """A benchmark whose answer is one span: what is asked, and the embedded model that fits it."""

    name: str
    model: str
    read: Callable[[PathLike], Iterator[TextQuestion]]
    # Whether none may be the answer.
    may_be_none: bool = False


def reading_prediction(task: ReadingTask) -> Prediction[ReaderOptions]:
    """The prediction of such a benchmark."""

    def run(data: PathLike, out: PathLike, options: ReaderOptions, through: Through) -> Predicted:
        chosen = options.models or (task.model,)
        how = {"window": options.window, "stride": options.stride, "threads": options.threads}
        na_prob_out = options.na_prob_out if isinstance(options, ReadingOptions) else None
        return predict_readings(
            task,
            data,
            out,
            load_reader(chosen, **how),
            na_prob_out=na_prob_out,
            through=through,
            answered=lambda questions: options.spread(
                partial(answering, chosen, **how), questions, _TOGETHER
            ),
        )

    return Prediction(ReadingOptions if task.may_be_none else ReaderOptions, run)


def load_reader(
    models: Sequence[PathLike],
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
) -> Reader:
    """The reader of a name or folder, or several that answer together."""
    readers = [Reader.load(find(model), window=window, stride=stride, threads=threads) for model in models]
    return readers[0] if len(readers) == 1 else Ensemble(readers)


def answering(
    models: Sequence[PathLike],
    *,
    window: int | None = None,
    stride: int | None = None,
    threads: int | None = None,
) -> Callable[[Iterable[TextQuestion]], Iterator[SpanAnswer]]:
    """Such a reader at work."""
    return partial(predictions, load_reader(models, window=window, stride=stride, threads=threads))


def predict_readings(
    task: ReadingTask,
    data: PathLike,
    out: PathLike,
    reader: Reader,
    *,
    na_prob_out: PathLike | None = None,
    through: Through = iter,
    answered: Callable[[Iterable[TextQuestion]], Iterable[SpanAnswer]] | None = None,
) -> Predicted:
    """Answer every question of a data file and write id → text; `na_prob_out` gets id → probability of none.

    The questions are `answered` by the reader here, or by others like it elsewhere.
    """
    answered = answered or partial(predictions, reader)
    begin = perf_counter()
    texts: dict[str, str] = {}
    none: dict[str, float] = {}
    for prediction in through(answered(task.read(data))):
        texts[prediction.id] = submitted_text(prediction, may_be_none=task.may_be_none)
        none[prediction.id] = prediction.unanswerable
    seconds = perf_counter() - begin
    write_answers(out, texts)
    if na_prob_out is not None:
        write_json(na_prob_out, none)
    unanswered = sum(not text for text in texts.values())
    return Predicted(task.name, reader.card.name, len(texts), unanswered, seconds)


def predictions(reader: Reader, questions: Iterable[TextQuestion]) -> Iterator[SpanAnswer]:
    """A prediction a question, in order, as a stream; each text is a passage, all of which is read."""
    answerer = DocumentAnswerer([reader], retrieve=False)
    mine, theirs = tee(questions)
    replies = answerer.answer(
        Asked(Question(each.question), (answerer.prepare(Document(each.text)),), top=1, structure=False)
        for each in theirs
    )
    for each, reply in zip(mine, replies, strict=True):
        best = reply.answers[0] if reply.answers else None
        answered = best is not None and best.score > reply.unanswerable
        yield SpanAnswer(each.id, best.text if best else "", answered, reply.unanswerable)


def predicted(reader: Reader, id: str, result: ReadResult) -> SpanAnswer:
    """What was found for a question, weighed with the reader's card."""
    weighed = reader.weigh([result])
    text = weighed.choices[0].text if weighed.choices else ""
    return SpanAnswer(id, text, weighed.answered, weighed.unanswerable)


def submitted_text(prediction: SpanAnswer, *, may_be_none: bool) -> str:
    """The text that goes into the submission: none where the task has questions without an answer, and it is one."""
    return "" if may_be_none and not prediction.answered else prediction.text
