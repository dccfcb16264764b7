"""ConditionalQA: answers with the conditions under which they hold, from government pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from caveat.benchmarks.conditionalqa import format
from caveat.benchmarks.conditionalqa import metric as conditionalqa
from caveat.benchmarks.conditionalqa.format import (
    ConditionalDocument,
    ConditionalQuestion,
    read,
    read_documents,
)
from caveat.benchmarks.shared.agreement import pairwise_agreement
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    ranked,
    shares,
    summary,
)
from caveat.benchmarks.shared.scores import Scored, first_questions
from caveat.benchmarks.task import DataFiles, EvaluationOptions, Task
from caveat.core.files import PathLike
from caveat.core.loading import load

Answers = dict[str, list[tuple[str, tuple[str, ...]]]]


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return conditionalqa.score(_gold(gold, options), _predicted(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return conditionalqa.score_official(_gold(gold, options), _predicted(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> Answers:
    return first_questions(_answers(path), options.first, path)


def _answers(path: PathLike) -> Answers:
    return {question.id: _pairs(question.answers) for question in format.read(path)}


def _predicted(path: PathLike) -> Answers:
    return {prediction.id: _pairs(prediction.answers) for prediction in format.read_predictions(path)}


def _pairs(answers: tuple[format.ConditionalAnswer, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(answer.text, answer.conditions) for answer in answers]


def _floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    return conditionalqa.floors(_gold(gold, options))


def _untried_rules(files: DataFiles) -> Mapping[str, Sequence[str]]:
    from caveat.benchmarks.conditionalqa.format import skipped_rules

    return {"documents": skipped_rules(files.documents)}


def _statistics(files: DataFiles) -> Tables:
    return count(files.data, files.documents)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.conditionalqa.format import check

    return check(files.data, files.documents)


TASK = Task(
    name="conditionalqa",
    summary="ConditionalQA: answers and the conditions under which they hold (English)",
    gold="ConditionalQA's JSON list of questions",
    predictions='JSON list of {"id", "answers": [[text, [condition, …]], …]}',
    read=lambda files: format.read(files.data),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=partial(load, "caveat.benchmarks.conditionalqa.predict:PREDICTION"),
    analyse=partial(load, "caveat.benchmarks.conditionalqa.analysis:ANALYSIS"),
    untried_rules=_untried_rules,
    agreement=pairwise_agreement(_answers, conditionalqa.score),
    floors=_floors,
    published="conditionalqa/published.toml",
    companions=frozenset({"documents"}),
)


_TAG = re.compile(r"<[^<>]*>")
_NAME = re.compile(r"\s*<\s*(\w+)")


def count(data: PathLike, documents: PathLike | None = None) -> Tables:
    """Questions by answer type, conditions and number of answers; lengths are in words between blanks."""
    questions = read(data)
    answerable = [question for question in questions if question.answers]
    types = Counter(map(_answer_type, questions))
    conditional = sum(map(_is_conditional, answerable))
    several = sum(len(question.answers) > 1 for question in answerable)
    conditions = [
        len(answer.conditions) for question in answerable for answer in question.answers if answer.conditions
    ]
    answers = [len(question.answers) for question in answerable]
    evidences = [len(question.evidences) for question in questions]
    scenarios = _lengths(question.scenario for question in questions)
    asked = _lengths(question.question for question in questions)
    spans = _lengths(
        answer.text for question in answerable for answer in question.answers if not _is_yes_no(answer.text)
    )
    deterministic, single = len(answerable) - conditional, len(answerable) - several
    kinds = {
        "answer: yes/no": types["yes/no"],
        "answer: extractive": types["extractive"],
        "answer: none": types["unanswerable"],
        # The paper divides the answerable questions alone by conditions and by number of answers.
        "deterministic": deterministic,
        "conditional": conditional,
        "one answer": single,
        "several answers": several,
    }
    counted = Tables(
        "conditionalqa",
        {
            "questions": len(questions),
            "yes_no": types["yes/no"],
            "extractive": types["extractive"],
            "unanswerable": types["unanswerable"],
            "deterministic": deterministic,
            "conditional": conditional,
            "single_answer": single,
            "several_answers": several,
            "answers": sum(answers),
            "conditions": sum(conditions),
            "urls": len({question.url for question in questions}),
        },
        (
            Table("Questions by kind", ("", "questions", "%"), shares(kinds.items(), len(questions))),
            _breakdown(questions),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("answers per answerable question", answers),
                    summary("conditions per conditional answer", conditions),
                    summary("evidences per question", evidences),
                ),
            ),
            Table(
                "Lengths in words",
                SUMMARY,
                (
                    summary("scenarios", scenarios),
                    summary("questions", asked),
                    summary("extractive answers", spans),
                ),
            ),
        ),
        (
            Histogram("Questions by kind", "", kinds),
            histogram("Conditional answers by number of conditions", "conditions", conditions),
            histogram("Questions by number of evidences", "evidences", evidences),
            histogram("Scenarios by length", "words", scenarios),
        ),
    )
    if documents is None:
        return counted
    return _with_documents(counted, questions, read_documents(documents))


def _breakdown(questions: Sequence[ConditionalQuestion]) -> Table:
    """Appendix A: the answerable questions by type of answer, conditions and number of answers at once."""
    counts = Counter(
        (_answer_type(question), _is_conditional(question), len(question.answers) > 1)
        for question in questions
        if question.answers
    )
    rows = [
        (
            f"{type}, {'conditional' if conditional else 'deterministic'}",
            counts[type, conditional, False],
            several,
        )
        for type in ("yes/no", "extractive")
        for conditional in (False, True)
        for several in [counts[type, conditional, True]]
    ]
    return Table(
        "Answerable questions by kind of answer and of condition",
        ("", "one answer", "several answers"),
        tuple(rows),
    )


def _answer_type(question: ConditionalQuestion) -> str:
    """The published scorer's groups: one answer that is exactly "yes" or "no" makes a yes/no question."""
    if not question.answers:
        return "unanswerable"
    return "yes/no" if any(_is_yes_no(answer.text) for answer in question.answers) else "extractive"


def _is_yes_no(text: str) -> bool:
    return text in ("yes", "no")


def _is_conditional(question: ConditionalQuestion) -> bool:
    return any(answer.conditions for answer in question.answers)


def _lengths(texts: Iterable[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def _with_documents(
    counted: Tables, questions: Sequence[ConditionalQuestion], documents: Sequence[ConditionalDocument]
) -> Tables:
    known = {document.url for document in documents}
    tags = Counter(_tag(element) for document in documents for element in document.contents)
    elements = [len(document.contents) for document in documents]
    lengths = [sum(_lengths(map(_text, document.contents))) for document in documents]
    return Tables(
        counted.task,
        {
            **counted.counts,
            "documents": len(documents),
            "elements": sum(elements),
            "questions_without_document": sum(question.url not in known for question in questions),
        },
        (
            *counted.tables,
            Table(
                "Documents",
                SUMMARY,
                (summary("elements per document", elements), summary("words per document", lengths)),
            ),
            Table("Elements by tag", ("", "elements", "%"), shares(ranked(tags), sum(elements))),
        ),
        (
            *counted.histograms,
            histogram("Documents by length", "words", lengths),
            Histogram("Elements by tag", "", dict(ranked(tags))),
        ),
    )


def _tag(element: str) -> str:
    match = _NAME.match(element)
    return match[1].lower() if match else "without tag"


def _text(element: str) -> str:
    # A blank for each tag, so that the cells of a table row do not become one word.
    return _TAG.sub(" ", element)
