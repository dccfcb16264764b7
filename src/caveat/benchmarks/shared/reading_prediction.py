"""A reader's predictions on the benchmarks whose answer is one span of a text, as one JSON object id → text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import tee
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.benchmarks.shared.passage import Passage, TextQuestion
from caveat.benchmarks.shared.scores import write_answers
from caveat.benchmarks.task import ModelOptions, Predicted, Prediction, Through
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import write_json
from caveat.core.records import Document, Question
from caveat.models.embedded import find
from caveat.models.ensemble import Ensemble
from caveat.models.language_model.client import client_among
from caveat.models.reader import Reader, ReadResult

if TYPE_CHECKING:
    from caveat.answerers.prompted.answerer import PromptedAnswerer
    from caveat.answerers.prompted.reading import Example
    from caveat.models.language_model.client import Client


# Questions that are sent to a worker at a time: a second's work or two, so that nothing is lost on the way.
_TOGETHER = 32


class SpanAnswer(msgspec.Struct, frozen=True):
    """The most probable answer, whether it is more probable than none, and how probable none is."""

    id: str
    text: str
    answered: bool
    unanswerable: float


class ReaderOptions(ModelOptions, frozen=True):
    """Which reader, or readers that answer together, and how they read."""

    models: tuple[PathLike, ...] = ()
    # A training file with examples for a language model, where one is among the models.
    examples: PathLike | None = None


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
    # A file of the same layout with its answers.
    read_gold: Callable[[PathLike], Iterable[Passage]] | None = None


def reading_prediction(task: ReadingTask) -> Prediction[ReaderOptions]:
    """The prediction of such a benchmark."""

    def run(data: PathLike, out: PathLike, options: ReaderOptions, through: Through) -> Predicted:
        others, client = client_among(options.models, options.budget)
        chosen = others or (task.model,)
        how = {"window": options.window, "stride": options.stride, "threads": options.threads}
        reader = load_reader(chosen, **how)
        na_prob_out = options.na_prob_out if isinstance(options, ReadingOptions) else None
        if client is not None:
            prompted = prompted_reader(task, reader, client, data, options.examples)
            return predict_readings(
                task, data, out, reader, na_prob_out=na_prob_out, through=through, prompted=prompted
            )
        if options.examples is not None:
            raise UsageError("--examples are for a language model: --model openai:URL#NAME names one.")
        return predict_readings(
            task,
            data,
            out,
            reader,
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


def prompted_reader(
    task: ReadingTask, reader: Reader, client: Client, data: PathLike, examples: PathLike | None
) -> PromptedAnswerer:
    """A language model beside the reader, with examples of a training file where one is given."""
    from caveat.answerers.prompted.answerer import PromptedAnswerer
    from caveat.benchmarks.shared.prompted import chosen_examples

    chosen: list[Example] = []
    if examples is not None:
        if task.read_gold is None:
            raise UsageError(f"The task {task.name} does not take --examples.")
        asked = frozenset(each.question.strip() for each in task.read(data))
        chosen = chosen_examples(task.read_gold(examples), asked, examples)
    return PromptedAnswerer(DocumentAnswerer([reader], retrieve=False), client, examples=chosen)


def predict_readings(
    task: ReadingTask,
    data: PathLike,
    out: PathLike,
    reader: Reader,
    *,
    na_prob_out: PathLike | None = None,
    through: Through = iter,
    answered: Callable[[Iterable[TextQuestion]], Iterable[SpanAnswer]] | None = None,
    prompted: PromptedAnswerer | None = None,
) -> Predicted:
    """Answer every question of a data file and write id → text; `na_prob_out` gets id → probability of none.

    The questions are `answered` by the reader here, or by others like it elsewhere.
    """
    answered = answered or partial(predictions, reader, prompted=prompted)
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
    if prompted is None:
        return Predicted(task.name, reader.card.name, len(texts), unanswered, seconds)
    from caveat.benchmarks.shared.prompted import PromptedPredicted

    name = f"{prompted.client.endpoint.name}+{reader.card.name}"
    return PromptedPredicted(task.name, name, len(texts), unanswered, seconds, prompted.closing)


def asked_of_passages(
    answerer: DocumentAnswerer | PromptedAnswerer, questions: Iterable[TextQuestion]
) -> Iterator[Asked[PreparedDocument]]:
    """Each question on its passage, for one span."""
    for each in questions:
        prepared = answerer.prepare(Document(each.text))
        yield Asked(Question(each.question), (prepared,), top=1, structure=False)


def predictions(
    reader: Reader, questions: Iterable[TextQuestion], prompted: PromptedAnswerer | None = None
) -> Iterator[SpanAnswer]:
    """A prediction a question, in order, as a stream; each text is a passage, all of which is read."""
    answerer = prompted or DocumentAnswerer([reader], retrieve=False)
    mine, theirs = tee(questions)
    replies = answerer.answer(asked_of_passages(answerer, theirs))
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
