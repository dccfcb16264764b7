"""Is NLPCC KBQA data sound? The questions, and the knowledge base where it is given."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.benchmarks.nlpcc.kb import checks as nlpcc_kb
from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion, read_numbered
from caveat.benchmarks.shared.extractive_checks import empty_question
from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.place import Place, quote
from caveat.core.files import PathLike

__all__ = ["answer_not_object", "check", "no_answer"]


def check(data: PathLike, kb: PathLike | None = None) -> Iterator[Finding]:
    """The findings in a KBQA file, then those in the knowledge base."""
    questions = list(read_numbered(data))
    # A test file has neither triples nor answers.
    labelled = any(question.answers or question.triple is not None for _, question in questions)
    for line, question in questions:
        place = Place(str(data), line, question.id)
        yield from empty_question(question.question, place)
        if question.triple is not None:
            yield from nlpcc_kb.malformed_triple(question.triple, place)
        if labelled:
            yield from no_answer(question, place)
        yield from answer_not_object(question, place)
    if kb is not None:
        yield from nlpcc_kb.check(kb)


def no_answer(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """A question without an answer, or with an empty one."""
    if not question.answers:
        yield place.finding("no-answer", "the question has no answer")


def answer_not_object(question: KbqaQuestion, place: Place) -> Iterator[Finding]:
    """Answers that the triple's object is not among."""
    fact = question.fact
    if fact is None or not question.answers or fact.object in question.answers:
        return
    # An object with ` | ` inside was cut into several answers by the format.
    if fact.object == " | ".join(question.answers):
        return
    answers = ", ".join(map(quote, question.answers[:3]))
    message = f"the triple's object {quote(fact.object)} is not the answer {answers}"
    yield place.finding("answer-not-object", message)
