"""How well the rules of a page find what ConditionalQA's annotators call conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from caveat.answerers.documents.conditions.rules import Rulebook, rules_of
from caveat.benchmarks.conditionalqa.errors import analyse_predictions, read_scored
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalQuestion,
    page_document,
    read,
    read_documents,
)
from caveat.benchmarks.task import Analysed, Analysis, Shown, Through
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.logic import Expression, elements_of
from caveat.language.normalise import normalise_squad


class ConditionsOptions(msgspec.Struct, frozen=True):
    """Predictions, whose errors are told; or the pages of the questions, for which else their evidences stand."""

    documents: PathLike | None = None
    pred: PathLike | None = None


class ConditionsFound(msgspec.Struct, frozen=True):
    """Of how many annotated condition elements how many are found, and how many elements are offered for that."""

    answers: int
    conditions: int
    found: int
    offered: int
    recall: float
    offered_an_answer: float


class ConditionsAnalysis(msgspec.Struct, frozen=True):
    """How many of the annotated conditions are found, by where they are looked for."""

    conditions: dict[str, ConditionsFound]

    def shown(self) -> Shown:
        """A row for each place where they are looked for."""
        rows = {name: msgspec.structs.asdict(found) for name, found in self.conditions.items()}
        return Shown({"Conditions found by the rules": rows})


def found_in_documents(
    pages: Iterable[ConditionalDocument], questions: Iterable[ConditionalQuestion]
) -> dict[str, ConditionsFound]:
    """For answers with conditions: are those among the atoms that govern the elements which hold the answer?

    These elements are the evidences with the answer's text in them, and for yes and no all of the evidences that
    are not conditions themselves. `said` counts only the rules said of those elements, their lists and headings,
    `governing` what binds in the section too, `anywhere` every rule of the page.
    """
    books = {page.url: (page, Rulebook(page_document(page))) for page in pages}
    tallies: dict[str, Counter[str]] = {name: Counter() for name in ("said", "governing", "anywhere")}
    for question in questions:
        if question.url not in books:
            continue
        page, book = books[question.url]
        indices: dict[str, list[int]] = {}
        for index, content in enumerate(page.contents):
            indices.setdefault(content, []).append(index)
        for answer in question.answers:
            if not answer.conditions:
                continue
            evidences = [index for evidence in question.evidences for index in indices.get(evidence, ())]
            if answer.text in ("yes", "no"):
                holding = [index for index in evidences if page.contents[index] not in answer.conditions]
            else:
                wanted = normalise_squad(answer.text)
                holding = [index for index in evidences if wanted in normalise_squad(page.contents[index])]
            expressions: dict[str, Iterable[Expression | None]] = {
                "said": (book.said_of(index) for index in holding or evidences),
                "governing": (book.governing(index) for index in holding or evidences),
                "anywhere": (rule.condition for rule in book.rules),
            }
            for name, found in expressions.items():
                offered = {index for each in found if each is not None for index in elements_of(each)}
                _count(
                    tallies[name],
                    [set(indices.get(condition, ())) for condition in answer.conditions],
                    offered,
                )
    return {name: _found(tally) for name, tally in tallies.items()}


def found_in_evidences(questions: Iterable[ConditionalQuestion]) -> ConditionsFound:
    """The same without documents: the evidences of a question, in their order, stand for its page."""
    tally: Counter[str] = Counter()
    for question in questions:
        wanted = {condition for answer in question.answers for condition in answer.conditions}
        if not wanted:
            continue
        rules = rules_of(page_document(ConditionalDocument("", question.url, question.evidences)))
        offered = {index for rule in rules for index in elements_of(rule.condition)}
        _count(tally, [{index} for index, text in enumerate(question.evidences) if text in wanted], offered)
    return _found(tally)


def _count(tally: Counter[str], wanted: Sequence[set[int]], offered: set[int]) -> None:
    tally["answers"] += 1
    tally["conditions"] += len(wanted)
    tally["found"] += sum(not indices.isdisjoint(offered) for indices in wanted)
    tally["offered"] += len(offered)


def _found(tally: Mapping[str, int]) -> ConditionsFound:
    answers, conditions, found, offered = (
        tally.get(name, 0) for name in ("answers", "conditions", "found", "offered")
    )
    return ConditionsFound(
        answers, conditions, found, offered, found / max(1, conditions), offered / max(1, answers)
    )


def _run(gold: PathLike, options: ConditionsOptions, through: Through) -> Analysed:
    questions = read(gold)
    if options.pred is not None:
        if options.documents is not None:
            raise UsageError("Errors of predictions are told without the pages: leave out --documents.")
        return analyse_predictions(questions, read_scored(options.pred))
    if options.documents is None:
        return ConditionsAnalysis({"evidences": found_in_evidences(through(questions))})
    return ConditionsAnalysis(found_in_documents(read_documents(options.documents), through(questions)))


ANALYSIS = Analysis(ConditionsOptions, _run)
