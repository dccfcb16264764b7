"""Answers to ConditionalQA's questions with their conditions, in its submission format."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
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
from caveat.benchmarks.task import Predicted, Prediction, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.extensions import extension
from caveat.core.files import PathLike
from caveat.core.records import Answer, Condition, Document, Question, Reply
from caveat.core.spreading import Spread, Stream, here
from caveat.models.embedded import find
from caveat.models.judge import Judge
from caveat.models.reader import Reader
from caveat.models.selection import Limit

__all__ = [
    "CONDITIONAL_TASK",
    "DEPENDS",
    "MOST_ANSWERS",
    "PREDICTION",
    "ConditionalOptions",
    "conditional_predictions",
    "predict_conditional",
    "questions_and_pages",
    "submission",
]

CONDITIONAL_TASK = "conditionalqa"
# No training question has more answers.
MOST_ANSWERS = 5
# One condition too many costs a right answer whole, one too few a part of it: yes or no gets its conditions only
# where it is at least so probable that it has any. Chosen on the 30 whole pages; of five parts of them each four choose
# the same.
DEPENDS = 0.6
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
    through: Through = iter,
    answering: Stream | None = None,
) -> Predicted:
    """Answer every question of a data file from its page and write the published prediction format.

    `judge` reads yes or no in the evidence and what a scenario settles; the embedded one. `through` is handed
    the predictions as they come, for a progress bar; `reader` is used instead of `model` where it is given. The
    questions, each with its page, are answered here, or by `answering`, which has models like these.
    """
    reader = reader or Reader.load(find("reader-en" if model is None else model), limit=Limit())
    begin = perf_counter()
    questions, pages = questions_and_pages(data, documents)
    if answering is None:
        answerer = DocumentAnswerer([reader], judges=[judge or Judge.load(find("judge-en"))])
        answering = partial(conditional_predictions, answerer=answerer)
    predictions = list(through(answering((each, pages[each.url]) for each in questions)))
    write_predictions(out, predictions)
    unanswered = sum(not prediction.answers for prediction in predictions)
    return Predicted(CONDITIONAL_TASK, reader.card.name, len(predictions), unanswered, perf_counter() - begin)


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
    given = list(questions)
    prepared: dict[str, PreparedDocument] = {}
    for _, page in given:
        if page.url not in prepared:
            prepared[page.url] = answerer.prepare(page_document(page))
    asked = [
        Asked(Question(each.question, each.scenario, "en"), (prepared[each.url],), top=1) for each, _ in given
    ]
    for (each, page), one, reply in zip(given, asked, answerer.answer(asked), strict=True):
        likely = answerer.depends(one)
        depends = reply.together if likely is None else likely >= DEPENDS
        yield ConditionalPrediction(each.id, submission(reply, prepared[each.url].source, page, depends))


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


class ConditionalOptions(msgspec.Struct, frozen=True):
    """The pages that the questions are on; a reader, and a judge beside it, or a trained model that is both."""

    documents: PathLike | None = None
    models: tuple[PathLike, ...] = ()
    window: int | None = None
    stride: int | None = None
    threads: int | None = None
    spread: Spread = here


def _run(data: PathLike, out: PathLike, options: ConditionalOptions, through: Through) -> Predicted:
    from caveat.models.card import read_card
    from caveat.models.judge import TASK as JUDGING

    if options.documents is None:
        raise UsageError("conditionalqa is answered from pages: --documents names their file.")
    if len(options.models) == 1 and extension("holds-conditional-network")(Path(options.models[0])):
        if options.spread is not here:
            raise UsageError("A trained network answers in one process: it does not take --ray.")
        done: Predicted = extension("conditional-network")(
            Path(options.models[0]), data, options.documents, out
        )
        return done
    folders = [find(model) for model in options.models]
    judges = [folder for folder in folders if read_card(folder).task == JUDGING]
    readers = [folder for folder in folders if folder not in judges] or [find("reader-en")]
    if len(judges) > 1 or len(readers) > 1:
        raise UsageError("conditionalqa takes one reader, and one judge beside it.")
    reading = partial(
        Reader.load,
        readers[0],
        window=options.window,
        stride=options.stride,
        threads=options.threads,
        limit=Limit(),
    )
    judging = partial(Judge.load, judges[0] if judges else find("judge-en"), threads=options.threads)
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


def _answering(reading: Callable[[], Reader], judging: Callable[[], Judge]) -> Stream:
    answerer = DocumentAnswerer([reading()], judges=[judging()])
    return partial(conditional_predictions, answerer=answerer)


PREDICTION = Prediction(ConditionalOptions, _run)
