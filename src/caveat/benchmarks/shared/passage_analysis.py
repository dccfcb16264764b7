"""Scores on questions over passages by kinds of questions, and what trivial systems score there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from caveat.benchmarks.shared.grouped_scores import (
    GroupedScores,
    JudgedQuestion,
    PredictionOptions,
    binned,
    by_bm25,
    grouped,
    in_quarters,
    overlap,
    terms,
)
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, questions_of
from caveat.benchmarks.shared.scores import Scored, read_answers
from caveat.benchmarks.task import Analysis, EvaluationOptions, Floors, Through
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.language.question_types import question_type
from caveat.language.sentences import sentences

AnswerScorer = Callable[[str, Sequence[str]], tuple[float, float]]
_ANSWER_LENGTHS, _PASSAGE_LENGTHS = (2, 3, 5, 10, 20), (100, 200, 400, 800)
Read = Callable[[PathLike], Iterable[Passage]]
Golds = Callable[[PathLike], Mapping[str, Sequence[str]]]


def passage_analysis(task: str, read: Read, golds: Golds, score: AnswerScorer) -> Analysis[PredictionOptions]:
    """The analysis of a task whose predictions are one text an id."""

    def run(gold: PathLike, options: PredictionOptions, through: Through) -> GroupedScores:
        if options.pred is None:
            raise UsageError(f"{task} analyses predictions: --pred names their file.")
        wanted, predicted = golds(gold), read_answers(options.pred)
        judged = [
            judge(passage, question, wanted[question.id], predicted.get(question.id), score)
            for passage, question in through(questions_of(read(gold)))
        ]
        return grouped(judged, sum(id not in predicted for id in wanted))

    return Analysis(PredictionOptions, run)


def judge(
    passage: Passage,
    question: PassageQuestion,
    golds: Sequence[str],
    prediction: str | None,
    score: AnswerScorer,
) -> JudgedQuestion:
    """The scores of a question, its type and lengths, where its answer stands and what it shares with that sentence."""
    exact, f1 = (0.0, 0.0) if prediction is None else score(prediction, golds)
    divisions = {
        "question type": question_type(question.text),
        "passage length, words": binned(len(terms(passage.text)), _PASSAGE_LENGTHS),
    }
    first = next((span for answer in question.answers for span in answer if span.text), None)
    if first is None:
        divisions["answer length, words"] = "no answer"
    else:
        divisions["answer length, words"] = binned(len(terms(first.text)), _ANSWER_LENGTHS)
        start = passage.text.find(first.text) if first.start is None else first.start
        if 0 <= start < len(passage.text):
            divisions["place of the answer in the passage"] = in_quarters(start / len(passage.text))
            around = next((part for part in sentences(passage.text) if part[0] <= start < part[1]), None)
            if around is not None:
                shared = overlap(question.text, passage.text[around[0] : around[1]])
                divisions["words of the question in the answer's sentence"] = in_quarters(shared)
    return JudgedQuestion({"exact match": exact, "f1": f1}, divisions)


def passage_floors(
    read: Read,
    score: Callable[[PathLike, Mapping[str, str], EvaluationOptions], Scored],
    may_be_none: bool,
) -> Floors:
    """The first sentence, the sentence that fits best by BM25 and, where questions may have none, never an answer."""

    def floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
        asked = list(questions_of(read(gold)))
        systems = {
            "first_sentence": {question.id: first_sentence(passage.text) for passage, question in asked},
            "sentence_by_bm25": dict(_best_sentences(asked)),
        }
        if may_be_none:
            systems["never_answer"] = {question.id: "" for _, question in asked}
        return {name: score(gold, predicted, options) for name, predicted in systems.items()}

    return floors


def first_sentence(text: str) -> str:
    """The first sentence of a text."""
    return next((text[start:end] for start, end in sentences(text)), "")


def _best_sentences(asked: Iterable[tuple[Passage, PassageQuestion]]) -> Iterator[tuple[str, str]]:
    texts: list[str] = []
    of: Passage | None = None
    for passage, question in asked:
        if passage is not of:
            of, texts = passage, [passage.text[start:end] for start, end in sentences(passage.text)]
        scores = by_bm25(question.text, texts)
        best = max(range(len(texts)), key=scores.__getitem__, default=None)
        yield question.id, "" if best is None else texts[best]
