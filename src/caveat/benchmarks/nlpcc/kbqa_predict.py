"""Answers to NLPCC's questions from a knowledge base, in the task's format."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import perf_counter

import msgspec

from caveat.answerers.knowledge.answerer import KnowledgeAnswerer, PreparedBase
from caveat.answerers.knowledge.steps import ValueAnswer
from caveat.answerers.prompted.asking import ask_to_rank
from caveat.benchmarks.nlpcc import kbqa_format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa_format import KbqaPrediction, KbqaQuestion
from caveat.benchmarks.shared.prompted import with_closing
from caveat.benchmarks.task import Predicted, Prediction, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.records import KnowledgeBase, Question
from caveat.core.spreading import Spread, here
from caveat.models.language_model.client import Client, client_among

KNOWLEDGE_TASK = "nlpcc-kbqa"
_MODEL = "match-zh"
# Questions that are sent to a worker at a time: each takes a thousandth of a second.
_TOGETHER = 256
# Of what was found so many candidates are shown to a language model.
_CANDIDATES = 10
# Tabs separate answers, and line ends questions: a value that has them is given with blanks.
_BREAKS = re.compile(r"[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


def predict_knowledge(
    data: PathLike,
    out: PathLike,
    answering: Callable[[Iterable[KbqaQuestion]], Iterable[KbqaPrediction]],
    *,
    client: Client | None = None,
    through: Through = iter,
) -> Predicted:
    """Answer every question of a data file, and write the answers in its order, an empty one where there is none.

    A `client` has a language model choose among what was found.
    """
    begin = perf_counter()
    questions = unanswered = 0

    def counted() -> Iterator[KbqaPrediction]:
        nonlocal questions, unanswered
        for prediction in through(answering(nlpcc_kbqa.read(data))):
            questions += 1
            unanswered += not prediction.answers
            yield prediction
        if not questions:
            raise InputError("has no questions", path=data)

    nlpcc_kbqa.write_predictions(out, counted())
    done = Predicted(KNOWLEDGE_TASK, _MODEL, questions, unanswered, perf_counter() - begin)
    if client is None:
        return done
    named = msgspec.structs.replace(done, model=f"{client.endpoint.name}+{_MODEL}")
    return with_closing(named, client.closing)


def answered(
    questions: Iterable[KbqaQuestion], base: PreparedBase, answerer: KnowledgeAnswerer, alternatives: int = 1
) -> Iterator[KbqaPrediction]:
    """Each question with the values of the best predicate, or with none where that would be a guess.

    With more `alternatives` the values of the next best predicates follow, the most probable first.
    """
    for each in questions:
        found, _ = answerer.find(Question(each.question), base)
        sure = bool(found) and found[0].probability >= answerer.model.threshold
        yield _prediction(each, *(found[:alternatives] if sure else ()))


def chosen(
    questions: Iterable[nlpcc_kbqa.KbqaQuestion],
    base: PreparedBase,
    answerer: KnowledgeAnswerer,
    client: Client,
) -> Iterator[KbqaPrediction]:
    """Each question with the values that a language model chooses; those of the best where it does not reply."""
    waiting: deque[tuple[nlpcc_kbqa.KbqaQuestion, list[ValueAnswer]]] = deque()

    def lists() -> Iterator[tuple[str, list[str]]]:
        for each in questions:
            found = answerer.find(Question(each.question), base)[0][:_CANDIDATES]
            waiting.append((each, found))
            if found:
                yield each.question, [_shown(candidate) for candidate in found]

    for numbers in ask_to_rank(client, lists()):
        while not waiting[0][1]:
            yield _prediction(waiting.popleft()[0])
        each, found = waiting.popleft()
        if numbers is None:
            sure = found[0].probability >= answerer.model.threshold
            yield _prediction(each, *(found[:1] if sure else ()))
        else:
            yield _prediction(each, *(found[number] for number in numbers[:1]))
    for each, _ in waiting:
        yield _prediction(each)


def _shown(candidate: ValueAnswer) -> str:
    """The triples that were walked along, as a line."""
    return "；".join(
        " — ".join((each.subject, each.predicate, each.object)) for each in candidate.triples[:3]
    )


def _prediction(question: nlpcc_kbqa.KbqaQuestion, *found: ValueAnswer) -> KbqaPrediction:
    values = [_BREAKS.sub(" ", value).strip() for one in found for value in one.values]
    return KbqaPrediction(question.id, question.question, tuple(dict.fromkeys(filter(None, values))))


class KbqaOptions(msgspec.Struct, frozen=True):
    """The triples that questions are answered from: an index of them, or their file."""

    kb: PathLike | None = None
    # A language model that chooses among what was found.
    model: PathLike | None = None
    budget: str | None = None
    # How many predicates give their values, the most probable first: a ranking, which costs precision.
    alternatives: int = 1
    spread: Spread = here


def _run(data: PathLike, out: PathLike, options: KbqaOptions, through: Through) -> Predicted:
    if options.kb is None:
        raise UsageError("nlpcc-kbqa is answered from triples: --kb names an index of them, or their file.")
    if str(options.kb) == "-":
        raise UsageError("--kb is a file, or an index that `caveat index` has made of standard input.")
    others, client = client_among([] if options.model is None else [options.model], options.budget)
    if others:
        raise UsageError("nlpcc-kbqa takes no --model but a language model, openai:URL#NAME.")
    if client is not None and options.alternatives > 1:
        raise UsageError("A language model chooses one of what was found: it goes without --alternatives.")
    load = partial(_answering, str(options.kb), client, options.alternatives)
    return predict_knowledge(
        data,
        out,
        lambda questions: options.spread(load, questions, _TOGETHER),
        client=client,
        through=through,
    )


def _answering(
    kb: str, client: Client | None, alternatives: int
) -> Callable[[Iterable[KbqaQuestion]], Iterator[KbqaPrediction]]:
    answerer = KnowledgeAnswerer()
    base = answerer.prepare(KnowledgeBase(kb))
    if client is None:
        return partial(answered, base=base, answerer=answerer, alternatives=alternatives)
    return partial(chosen, base=base, answerer=answerer, client=client)


PREDICTION = Prediction(KbqaOptions, _run)
