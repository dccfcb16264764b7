"""Answers to ConditionalQA's questions with their conditions, in its submission format."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.answerers.prompted.answerer import PromptedAnswerer
from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
    page_document,
    read,
    read_documents,
    write_predictions,
)
from caveat.benchmarks.shared.prompted import PromptedPredicted
from caveat.benchmarks.task import ModelOptions, Predicted, Prediction, Through
from caveat.core.answers import Answer, Condition
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.loading import network_of
from caveat.core.records import Document, Question, Reply
from caveat.core.spreading import Stream, here
from caveat.language.packs.en import ENGLISH
from caveat.models.embedded import find
from caveat.models.joint import load_reader
from caveat.models.judge import Judge
from caveat.models.language_model.client import Client, client_among
from caveat.models.language_model.endpoint import is_endpoint
from caveat.models.reader import Reader
from caveat.models.selection import Limit

CONDITIONAL_TASK = "conditionalqa"
# No training question has more answers.
MOST_ANSWERS = 5
# Questions that are sent to a worker at a time, each page of theirs once.
_TOGETHER = 8


def predict_conditional(
    data: PathLike,
    documents: PathLike,
    out: PathLike,
    *,
    model: PathLike | None = None,
    reader: Reader | None = None,
    judge: Judge | None = None,
    client: Client | None = None,
    through: Through = iter,
    answering: Stream | None = None,
) -> Predicted:
    """Answer every question of a data file from its page and write the published prediction format.

    `judge` tells what a scenario settles; without one a joint reader does. `client` asks a language
    model beside them. `through` is handed the predictions as they come, for a progress bar; `reader` is used instead of
    `model` where it is given. The questions, each with its page, are answered here, or by `answering`, which has models
    like these.
    """
    reader = reader or load_reader(find("reader-en" if model is None else model), limit=Limit())
    begin = perf_counter()
    questions, pages = questions_and_pages(data, documents)
    prompted: PromptedAnswerer | None = None
    if answering is None:
        answerer = DocumentAnswerer([reader], judges=[judge] if judge else [])
        if client is None:
            answering = partial(conditional_predictions, answerer=answerer)
        else:
            prompted = PromptedAnswerer(answerer, client)
            answering = partial(prompted_predictions, answerer=prompted)
    predictions = list(through(answering((each, pages[each.url]) for each in questions)))
    write_predictions(out, predictions)
    unanswered = sum(not prediction.answers for prediction in predictions)
    seconds = perf_counter() - begin
    if prompted is None:
        return Predicted(CONDITIONAL_TASK, reader.card.name, len(predictions), unanswered, seconds)
    name = f"{prompted.client.endpoint.name}+{reader.card.name}"
    return PromptedPredicted(CONDITIONAL_TASK, name, len(predictions), unanswered, seconds, prompted.closing)


def questions_and_pages(
    data: PathLike, documents: PathLike
) -> tuple[Sequence[ConditionalQuestion], dict[str, ConditionalDocument]]:
    """The questions of a data file and the pages by their addresses; each question has its page."""
    pages = {page.url: page for page in read_documents(documents)}
    questions = read(data)
    for question in questions:
        if question.url not in pages:
            raise InputError(f"has no page {question.url!r}", path=documents, id=question.id)
    return questions, pages


def conditional_predictions(
    questions: Iterable[tuple[ConditionalQuestion, ConditionalDocument]], answerer: DocumentAnswerer
) -> Iterator[ConditionalPrediction]:
    """A prediction a question, in order, as `ask` answers it from its page."""
    given, pages = _with_pages(questions)
    asked = asked_of_pages(given, pages, answerer)
    for each, one, reply in zip(given, asked, answerer.answer(asked), strict=True):
        yield conditional_prediction(each, one, reply, pages, answerer)


def prompted_predictions(
    questions: Iterable[tuple[ConditionalQuestion, ConditionalDocument]], answerer: PromptedAnswerer
) -> Iterator[ConditionalPrediction]:
    """The same by a language model, with the conditions that it states, where it is believed."""
    given, pages = _with_pages(questions)
    asked = asked_of_pages(given, pages, answerer.embedded)
    for each, judged in zip(given, answerer.judge(asked), strict=True):
        reply, taken = answerer.decided(judged)
        if taken and reply.answers:
            yield prediction_of_model(each, judged.asked, reply, pages)
        else:
            yield conditional_prediction(each, judged.asked, judged.embedded, pages, answerer.embedded)


def _with_pages(
    questions: Iterable[tuple[ConditionalQuestion, ConditionalDocument]],
) -> tuple[list[ConditionalQuestion], dict[str, ConditionalDocument]]:
    given = list(questions)
    return [question for question, _ in given], {page.url: page for _, page in given}


def asked_of_pages(
    questions: Sequence[ConditionalQuestion],
    pages: Mapping[str, ConditionalDocument],
    answerer: DocumentAnswerer,
) -> list[Asked[PreparedDocument]]:
    """Each question on its page; a page is prepared once."""
    prepared: dict[str, PreparedDocument] = {}
    for each in questions:
        if each.url not in prepared:
            prepared[each.url] = answerer.prepare(page_document(pages[each.url]))
    return [
        Asked(Question(each.question, each.scenario, ENGLISH), (prepared[each.url],), top=1)
        for each in questions
    ]


def conditional_prediction(
    question: ConditionalQuestion,
    asked: Asked[PreparedDocument],
    reply: Reply,
    pages: Mapping[str, ConditionalDocument],
    answerer: DocumentAnswerer,
) -> ConditionalPrediction:
    """The prediction of the embedded models' reply."""
    document = asked.sources[0].source
    return ConditionalPrediction(
        question.id, submission(reply, document, pages[question.url], reply.together)
    )


def prediction_of_model(
    question: ConditionalQuestion,
    asked: Asked[PreparedDocument],
    reply: Reply,
    pages: Mapping[str, ConditionalDocument],
) -> ConditionalPrediction:
    """The prediction of a language model's reply, with all conditions that it states."""
    document = asked.sources[0].source
    return ConditionalPrediction(question.id, submission(reply, document, pages[question.url], True))


def submission(
    reply: Reply, document: Document, page: ConditionalDocument, depends: bool
) -> tuple[ConditionalAnswer, ...]:
    """The answers of a reply as the scorer takes them: those that hold together, or the first of the alternatives.

    Conditions are whole elements of the page, in its own strings. A span alone gets none: what holds for its section
    is what the annotators rarely call a condition, and would cost more right answers than it gains. Every question is
    asked of its own page, so an answer is given even where the reply holds it for more probable that there is none.
    """
    answers = reply.answers[:MOST_ANSWERS] if reply.together else reply.answers[:1]
    return tuple(
        ConditionalAnswer(answer.text, _elements(answer, document, page) if depends else ())
        for answer in answers
    )


def _elements(answer: Answer, document: Document, page: ConditionalDocument) -> tuple[str, ...]:
    found = {_element(document, condition) for condition in answer.conditions}
    return tuple(page.contents[at] for at in sorted(found))


def _element(document: Document, condition: Condition) -> int:
    place = condition.place
    return _at(document, place.start) if place is not None and place.start is not None else 0


def _at(document: Document, offset: int) -> int:
    return max(0, bisect_right(document.elements, offset, key=lambda element: element.start) - 1)


class ConditionalOptions(ModelOptions, frozen=True):
    """The pages that the questions are on; a reader, and a judge beside it, or a trained model that is both."""

    documents: PathLike | None = None
    models: tuple[PathLike, ...] = ()


def _run(data: PathLike, out: PathLike, options: ConditionalOptions, through: Through) -> Predicted:
    from caveat.models.card import read_card
    from caveat.models.judge import TASK as JUDGING

    if options.documents is None:
        raise UsageError("conditionalqa is answered from pages: --documents names their file.")
    if (
        len(options.models) == 1
        and not is_endpoint(options.models[0])
        and network_of("holds-conditional")(Path(options.models[0]))
    ):
        if options.spread is not here:
            raise UsageError("A trained network answers in one process: it does not take --ray.")
        done: Predicted = network_of("predict-conditional")(
            Path(options.models[0]), data, options.documents, out
        )
        return done
    others, client = client_among(options.models, options.budget)
    folders = [find(model) for model in others]
    judges = [folder for folder in folders if read_card(folder).task == JUDGING]
    readers = [folder for folder in folders if folder not in judges] or [find("reader-en")]
    if len(judges) > 1 or len(readers) > 1:
        raise UsageError("conditionalqa takes one reader, and one judge beside it.")
    reading = partial(
        load_reader,
        readers[0],
        window=options.window,
        stride=options.stride,
        threads=options.threads,
        limit=Limit(),
    )
    judging = [partial(Judge.load, folder, threads=options.threads) for folder in judges]
    if client is not None:
        judge = judging[0]() if judging else None
        return predict_conditional(
            data, options.documents, out, reader=reading(), judge=judge, client=client, through=through
        )
    return predict_conditional(
        data,
        options.documents,
        out,
        reader=reading(),
        through=through,
        answering=lambda questions: options.spread(
            partial(_answering, reading, judging), questions, _TOGETHER
        ),
    )


def _answering(reading: Callable[[], Reader], judging: Sequence[Callable[[], Judge]]) -> Stream:
    answerer = DocumentAnswerer([reading()], judges=[load() for load in judging])
    return partial(conditional_predictions, answerer=answerer)


PREDICTION = Prediction(ConditionalOptions, _run)
