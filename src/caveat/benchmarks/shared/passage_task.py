"""What the tasks over passages (SQuAD, SQuAD 2.0, CMRC 2018) have in common; each gives its reader and its metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from caveat.benchmarks.shared.agreement import human_performance
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    shares,
    summary,
)
from caveat.benchmarks.shared.passage import (
    GoldSpan,
    Passage,
    PassageQuestion,
    gold_texts,
    questions_of,
    text_questions,
)
from caveat.benchmarks.shared.scores import Scored, first_questions, read_answers
from caveat.benchmarks.task import Analysis, DataFiles, EvaluationOptions, Prediction, Scorer, Task
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.language.words import segments_with_offsets, words

AnswerScorer = Callable[[str, Sequence[str]], tuple[float, float]]
PassageScorer = Callable[[Mapping[str, Sequence[str]], Mapping[str, str], EvaluationOptions], Scored]


def passage_task(
    *,
    name: str,
    summary: str,
    gold: str,
    read: Callable[[PathLike], Iterable[Passage]],
    score: PassageScorer,
    score_official: PassageScorer,
    score_answer: AnswerScorer,
    check: Callable[[PathLike], Iterator[Finding]],
    model: str,
    may_be_none: bool = False,
    options: frozenset[str] = frozenset({"first"}),
    published: str = "",
) -> Task:
    """A task whose data is passages and whose predictions are one text an id.

    `model` is the embedded reader that fits it; in a task whose questions may have no answer, that may be its answer.
    """

    def scorer(metric: PassageScorer) -> Scorer:
        def score_files(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
            golds = first_questions(gold_answers(read(gold)), options.first, gold)
            return metric(golds, read_answers(pred), options)

        return score_files

    def prediction() -> Prediction[Any]:
        from caveat.benchmarks.shared.reading_prediction import ReadingTask, reading_prediction

        return reading_prediction(
            ReadingTask(name, model, lambda data: text_questions(read(data)), may_be_none, read)
        )

    def analysis() -> Analysis[Any]:
        from caveat.benchmarks.shared.grouped_scores import passage_analysis

        return passage_analysis(name, read, lambda path: gold_answers(read(path)), score_answer)

    def floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
        from caveat.benchmarks.shared.grouped_scores import passage_floors

        def scored(gold: PathLike, predicted: Mapping[str, str], options: EvaluationOptions) -> Scored:
            return score(first_questions(gold_answers(read(gold)), options.first, gold), predicted, options)

        return passage_floors(read, scored, may_be_none)(gold, options)

    def statistics(files: DataFiles) -> Tables:
        return count_passages(name, read(files.data))

    def agreement(files: Sequence[PathLike]) -> dict[str, object]:
        return passage_agreement([gold_answers(read(path)) for path in files], score_answer)

    return Task(
        name=name,
        summary=summary,
        gold=gold,
        predictions="JSON object id → text",
        read=lambda files: text_questions(read(files.data)),
        score=scorer(score),
        score_official=scorer(score_official),
        statistics=statistics,
        check=lambda files: check(files.data),
        predict=prediction,
        agreement=agreement,
        analyse=analysis,
        floors=floors,
        published=published,
        may_be_none=may_be_none,
        options=options,
    )


def gold_answers(passages: Iterable[Passage]) -> dict[str, list[str]]:
    """Id → gold strings; a repeated id counts once and its last question wins, as in the published scripts."""
    return {question.id: gold_texts(question) for _, question in questions_of(passages)}


def passage_agreement(files: Sequence[dict[str, list[str]]], score_answer: AnswerScorer) -> dict[str, object]:
    """Each annotator's answer against the others': of one file's several golds, or of one file an annotator."""
    if len(files) == 1:
        gold = files[0]
    else:
        shared = [id for id in files[0] if all(id in other for other in files[1:])]
        if not shared:
            raise CaveatError("The files have no question in common.")
        gold = {id: [(file[id] or [""])[0] for file in files] for id in shared}
    found = human_performance(gold, score_answer)
    if not found.questions:
        raise CaveatError(
            "No question has more than one answer: give a file with several annotations, or one file an annotator."
        )
    return {
        "exact_match": found.exact_match,
        "f1": found.f1,
        "annotators": found.annotators,
        "questions": found.questions,
        "left_out": found.left_out,
    }


_KINDS = ("one span", "several spans", "yes or no", "unanswerable")


def count_passages(task: str, passages: Iterable[Passage]) -> Tables:
    """The passages, questions and answers of a file, their lengths in tokens, and offsets that are wrong."""
    articles: set[int] = set()
    passage_lengths: list[int] = []
    questions_each: list[int] = []
    question_lengths: list[int] = []
    answers_each: list[int] = []
    span_lengths: list[int] = []
    kinds: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for passage in passages:
        articles.add(passage.article)
        passage_lengths.append(_length(passage.text))
        questions_each.append(len(passage.questions))
        for question in passage.questions:
            question_lengths.append(_length(question.text))
            kinds[_kind(question, passage.text)] += 1
            if question.answerable:
                answers_each.append(sum(any(span.text for span in answer) for answer in question.answers))
            for span in _spans(question):
                if not _is_yes_no(span, passage.text):
                    span_lengths.append(_length(span.text))
                    faults.update(_faults(span, passage.text))
    return Tables(
        task,
        {
            "articles": len(articles),
            "passages": len(passage_lengths),
            "questions": len(question_lengths),
            "answers": sum(answers_each),
            "unanswerable": kinds["unanswerable"],
            "yes_no": kinds["yes or no"],
            "multi_span": kinds["several spans"],
            "without_offset": faults["without offset"],
            "wrong_offsets": faults["wrong offset"],
            "answers_not_found": faults["not found"],
        },
        (
            Table(
                "Lengths in tokens",
                SUMMARY,
                (
                    summary("passages", passage_lengths),
                    summary("questions", question_lengths),
                    summary("answer spans", span_lengths),
                ),
            ),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("questions per passage", questions_each),
                    summary("answers per answerable question", answers_each),
                ),
            ),
            Table(
                "Questions by kind of answer",
                ("", "questions", "%"),
                shares(((kind, kinds[kind]) for kind in _KINDS), len(question_lengths)),
            ),
        ),
        (
            histogram("Passages by length", "tokens", passage_lengths),
            histogram("Questions by length", "tokens", question_lengths),
            histogram("Answer spans by length", "tokens", span_lengths),
            Histogram("Questions by kind of answer", "", {kind: kinds[kind] for kind in _KINDS}),
        ),
    )


def _length(text: str) -> int:
    """Tokens: words, and in Chinese each ideograph, which gives lengths near to the paper's."""
    # ASCII has no ideographs to set apart: the words alone are the same, and cost half.
    return len(words(text) if text.isascii() else segments_with_offsets(text))


def _spans(question: PassageQuestion) -> list[GoldSpan]:
    # An empty text is how CAIL and DuReader say "no answer".
    return [span for answer in question.answers for span in answer if span.text]


def _kind(question: PassageQuestion, text: str) -> str:
    if not question.answerable:
        return "unanswerable"
    if any(_is_yes_no(span, text) for span in _spans(question)):
        return "yes or no"
    if any(len(answer) > 1 for answer in question.answers):
        return "several spans"
    return "one span"


def _is_yes_no(span: GoldSpan, text: str) -> bool:
    """Whether an answer judges, not quotes: "yes" or "no" that does not stand where its offset says."""
    return span.text.casefold() in ("yes", "no") and not _is_at_its_offset(span, text)


def _is_at_its_offset(span: GoldSpan, text: str) -> bool:
    return span.start is not None and span.start >= 0 and text.startswith(span.text, span.start)


def _faults(span: GoldSpan, text: str) -> list[str]:
    if _is_at_its_offset(span, text):
        return []
    offset = "without offset" if span.start is None else "wrong offset"
    return [offset] if span.text in text else [offset, "not found"]
