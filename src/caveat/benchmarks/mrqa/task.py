"""MRQA 2019: extractive answers over many domains.

Statistics are the figures of the shared task's Table 1, and how many answers were detected.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from caveat.benchmarks.mrqa import format
from caveat.benchmarks.mrqa.format import MrqaContext, open_file, to_json_line, write
from caveat.benchmarks.mrqa.passages import to_passages
from caveat.benchmarks.shared import extractive_metric
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import SUMMARY, Table, Tables, histogram, mean, summary
from caveat.benchmarks.shared.described_sets import DescribedSets, read_description
from caveat.benchmarks.shared.passage import Passage, TextQuestion
from caveat.benchmarks.shared.passage_task import passage_agreement
from caveat.benchmarks.shared.scores import Scored, first_questions, read_answers
from caveat.benchmarks.task import Analysis, DataFiles, EvaluationOptions, Prediction, Task
from caveat.core.files import PathLike
from caveat.language.words import words


def count(data: PathLike) -> Tables:
    """Contexts, questions, answers and where they stand; tokens are the file's own where it has them."""
    header, contexts = format.open_file(data)
    context_lengths: list[int] = []
    questions_each: list[int] = []
    question_lengths: list[int] = []
    answers_each: list[int] = []
    detected_each: list[int] = []
    spans_each: list[int] = []
    span_lengths: list[int] = []
    for context in contexts:
        context_lengths.append(len(context.tokens or words(context.context)))
        questions_each.append(len(context.questions))
        for question in context.questions:
            question_lengths.append(len(question.tokens or words(question.question)))
            answers_each.append(len(question.answers))
            detected_each.append(sum(bool(detected.places) for detected in question.detected))
            for detected in question.detected:
                if detected.places:
                    spans_each.append(len(detected.places))
                # Without token spans in the file, tokens cannot be counted.
                span_lengths += [place.last - place.first for place in detected.places if place.first >= 0]
    pairs = list(zip(answers_each, detected_each, strict=True))
    named = " ".join(filter(None, (header.dataset, header.split)))
    return Tables(
        "mrqa",
        {
            "contexts": len(context_lengths),
            "questions": len(question_lengths),
            "answers": sum(answers_each),
            "detected_answers": sum(detected_each),
            "spans": sum(spans_each),
            "questions_partly_detected": sum(0 < detected < answers for answers, detected in pairs),
            "questions_without_detected_answer": sum(not detected for _, detected in pairs),
            "mean_question_tokens": mean(question_lengths),
            "mean_context_tokens": mean(context_lengths),
            "longest_context": max(context_lengths, default=None),
        },
        (
            Table(
                f"Lengths in tokens{named and f' ({named})'}",
                SUMMARY,
                (
                    summary("contexts", context_lengths),
                    summary("questions", question_lengths),
                    summary("spans", span_lengths),
                ),
            ),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("questions per context", questions_each),
                    summary("answers per question", answers_each),
                    summary("detected answers per question", detected_each),
                    summary("spans per detected answer", spans_each),
                ),
            ),
        ),
        (
            histogram("Contexts by length", "tokens", context_lengths),
            histogram("Questions by length", "tokens", question_lengths),
            histogram("Spans by length", "tokens", span_lengths),
            histogram("Detected answers by places in the context", "places", spans_each),
        ),
    )


def _score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    return extractive_metric.score(_gold(gold, options), read_answers(pred))


def _score_official(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
    # The published script takes gzipped gold only and prints its messages on standard output; neither is kept.
    scorer = (
        extractive_metric.score_official_skipping
        if options.skip_no_answer
        else extractive_metric.score_official
    )
    return scorer(_gold(gold, options), read_answers(pred))


def _gold(path: PathLike, options: EvaluationOptions) -> dict[str, list[str]]:
    return first_questions(format.read_gold(path), options.first, path)


def _questions(path: PathLike) -> Iterator[TextQuestion]:
    for context in format.read_asked_contexts(path):
        for question in context.qas:
            yield TextQuestion(question.qid, question.question, context.context)


def _prediction() -> Prediction[Any]:
    from caveat.benchmarks.shared.reading_prediction import ReadingTask, reading_prediction

    return reading_prediction(ReadingTask("mrqa", "reader-en", _questions, read_gold=_passages))


def _passages(path: PathLike) -> Iterator[Passage]:
    return to_passages(format.read(path))


def _analysis() -> Analysis[Any]:
    from caveat.benchmarks.shared.grouped_scores import passage_analysis

    return passage_analysis("mrqa", _passages, format.read_gold, extractive_metric.score_answer)


def _floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    from caveat.benchmarks.shared.grouped_scores import passage_floors

    def scored(gold: PathLike, predicted: Mapping[str, str], options: EvaluationOptions) -> Scored:
        return extractive_metric.score(_gold(gold, options), predicted)

    return passage_floors(_passages, scored, may_be_none=False)(gold, options)


def _statistics(files: DataFiles) -> Tables:
    return count(files.data)


def _check(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.mrqa.checks import check

    return check(files.data)


def _agreement(files: Sequence[PathLike]) -> dict[str, object]:
    return passage_agreement([format.read_gold(path) for path in files], extractive_metric.score_answer)


def _sets() -> DescribedSets:
    from importlib.resources import files

    return read_description(files(str(__package__)).joinpath("sets.toml").read_bytes())


TASK = Task(
    name="mrqa",
    summary="MRQA 2019: extractive answers over many domains (English)",
    gold="MRQA's JSON lines",
    predictions="JSON object qid → text",
    read=lambda files: _questions(files.data),
    score=_score,
    score_official=_score_official,
    statistics=_statistics,
    check=_check,
    predict=_prediction,
    agreement=_agreement,
    analyse=_analysis,
    floors=_floors,
    sets=_sets,
    options=frozenset({"first", "skip_no_answer"}),
)


# The shared task's new division of the out-of-domain sets into development and test, no context in both.


class Repartition(msgspec.Struct, frozen=True):
    """How many questions went where."""

    dev: int
    test: int
    left_out: int


def repartition_file(
    path: PathLike,
    dev: PathLike,
    test: PathLike,
    size: int = 1500,
    original_test: PathLike | None = None,
) -> Repartition:
    """Part an MRQA file and write the two parts; what `original_test` has goes into the test part first."""
    header, contexts = open_file(path)
    whole = list(contexts)
    if original_test is None:
        parts = repartition(whole, size)
    else:
        tested = list(open_file(original_test)[1])
        parts = repartition_after_test(tested, whole, size)
        whole = _once([*tested, *whole])
    for part, out, split in zip(parts, (dev, test), ("dev", "test"), strict=True):
        write(out, msgspec.structs.replace(header, split=split), part)
    first, second = map(_count_questions, parts)
    return Repartition(first, second, _count_questions(whole) - first - second)


def repartition(
    contexts: Iterable[MrqaContext], size: int = 1500
) -> tuple[list[MrqaContext], list[MrqaContext]]:
    """Development and test, each filled with whole contexts up to `size` questions, or half each if fewer.

    Contexts are drawn in the order of a hash of their text, so the division is the same for any order of the
    input, on any machine. What is left once both are full is in neither.
    """
    drawn = _groups(contexts)
    total = sum(map(_count_questions, drawn))
    halved = total < 2 * size
    dev, test = _Part(total / 2 if halved else size), _Part(math.inf if halved else size)
    for group in drawn:
        if not dev.full:
            dev.add(group)
        elif not test.full:
            test.add(group)
    return dev.contexts, test.contexts


def repartition_after_test(
    tested: Iterable[MrqaContext], others: Iterable[MrqaContext], size: int = 1500
) -> tuple[list[MrqaContext], list[MrqaContext]]:
    """Development and test, where the test part takes the data set's own test contexts first, then others.

    A context of the original test set is never developed on, nor is another with its text: what of them has no room in
    the test part is in neither. A question that is in both sets counts once. Where there are fewer than two times
    `size`, each part gets half.
    """
    tested = list(tested)
    texts = {context.context for context in tested}
    everything = _groups(_once([*tested, *others]))
    total = sum(map(_count_questions, everything))
    wanted = min(size, total / 2)
    dev, test = _Part(wanted), _Part(wanted)
    # A stable sort: the draw decides among those of the original test set, and among the others.
    for group in sorted(everything, key=lambda group: group[0].context not in texts):
        if not test.full:
            test.add(group)
        elif not dev.full and group[0].context not in texts:
            dev.add(group)
    return dev.contexts, test.contexts


def _once(contexts: Iterable[MrqaContext]) -> list[MrqaContext]:
    """The contexts without the questions that came before, by their ids, and without those left empty by it."""
    seen: set[str] = set()
    kept = []
    for context in contexts:
        questions = tuple(question for question in context.questions if question.qid not in seen)
        seen.update(question.qid for question in questions)
        if questions or not context.questions:
            kept.append(msgspec.structs.replace(context, questions=questions))
    return kept


def _groups(contexts: Iterable[MrqaContext]) -> list[list[MrqaContext]]:
    """The contexts of each text, in the order in which texts are drawn."""
    same_text: dict[str, list[MrqaContext]] = {}
    for context in contexts:
        same_text.setdefault(context.context, []).append(context)
    return [sorted(same_text[text], key=to_json_line) for text in sorted(same_text, key=_draw)]


def _draw(text: str) -> tuple[bytes, str]:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), text


def _count_questions(group: list[MrqaContext]) -> int:
    return sum(len(context.questions) for context in group)


class _Part:
    def __init__(self, size: float) -> None:
        self.size = size
        self.questions = 0
        self.contexts: list[MrqaContext] = []

    @property
    def full(self) -> bool:
        return self.questions >= self.size

    def add(self, group: list[MrqaContext]) -> None:
        self.contexts.extend(group)
        self.questions += _count_questions(group)
