"""The scores of predictions by what questions are like: their type, length, where the answer stands, common words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from caveat.benchmarks.shared.count_tables import Cell, Table, mean
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, questions_of
from caveat.benchmarks.shared.scores import Scored, read_answers
from caveat.benchmarks.task import Analysis, EvaluationOptions, Floors, Shown, Through
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.language.question_types import QUESTION_TYPES, question_type
from caveat.language.sentences import sentences
from caveat.language.words import segments_with_offsets


class PredictionOptions(msgspec.Struct, frozen=True):
    """The predictions, in the task's submission format."""

    pred: PathLike | None = None


class JudgedQuestion(msgspec.Struct, frozen=True):
    """A question's scores (0–1), and its place in each division: its type, say, or the length of its answer."""

    scores: Mapping[str, float]
    divisions: Mapping[str, str]


class Group(msgspec.Struct, frozen=True):
    """Questions that are alike, and their scores (0–100)."""

    group: str
    questions: int
    scores: dict[str, float | None]


class GroupedScores(msgspec.Struct, frozen=True):
    """Division → its groups, those of one division together being all questions that it can tell apart."""

    questions: int
    missing: int
    groups: dict[str, tuple[Group, ...]]

    def shown(self) -> Shown:
        """A table a division."""
        tables = []
        for division, groups in self.groups.items():
            measures = tuple(groups[0].scores) if groups else ()
            rows: tuple[tuple[Cell, ...], ...] = tuple(
                (group.group, group.questions, *group.scores.values()) for group in groups
            )
            tables.append(Table(f"By {division}", ("", "questions", *measures), rows))
        missing = f"no prediction for {self.missing:,} of the questions: counted as wrong."
        return Shown({}, tuple(tables), (missing,) if self.missing else ())


def grouped(judged: Sequence[JudgedQuestion], missing: int = 0) -> GroupedScores:
    """The mean scores of each group; groups in the order of their names, question types in their own."""
    divisions = list(dict.fromkeys(name for one in judged for name in one.divisions))
    groups: dict[str, tuple[Group, ...]] = {}
    for division in divisions:
        members: dict[str, list[JudgedQuestion]] = {}
        for one in judged:
            if division in one.divisions:
                members.setdefault(one.divisions[division], []).append(one)
        groups[division] = tuple(_group(name, members[name]) for name in sorted(members, key=_order))
    return GroupedScores(len(judged), missing, groups)


def _order(name: str) -> tuple[int, int, str]:
    if name in QUESTION_TYPES:
        return 0, QUESTION_TYPES.index(name), name
    digits = name.partition("–")[0].rstrip("+ %")
    return 1, int(digits) if digits.isdecimal() else 0, name


def _group(name: str, members: Sequence[JudgedQuestion]) -> Group:
    measures = dict.fromkeys(measure for one in members for measure in one.scores)
    scores: dict[str, float | None] = {}
    for measure in measures:
        found = mean(one.scores[measure] for one in members)
        scores[measure] = None if found is None else 100 * found
    return Group(name, len(members), scores)


def binned(value: int, edges: Sequence[int]) -> str:
    """The bin of a count: `0–4` and `5–9` with the edges 5 and 10, then `10+`."""
    below = 0
    for edge in edges:
        if value < edge:
            return f"{below}–{edge - 1}" if edge - 1 > below else f"{below}"
        below = edge
    return f"{below}+"


def in_quarters(share: float) -> str:
    """The quarter of a share from 0 to 1: `0–25 %` to `75–100 %`."""
    quarter = min(3, int(4 * share))
    return f"{25 * quarter}–{25 * quarter + 25} %"


def terms(text: str) -> list[str]:
    """The words of a text, in Chinese its characters, without marks and case."""
    return [token for token, _ in segments_with_offsets(text.casefold()) if any(map(str.isalnum, token))]


def overlap(question: str, text: str) -> float:
    """The share of a question's distinct words that a text has."""
    asked = set(terms(question))
    return len(asked & set(terms(text))) / len(asked) if asked else 0.0


def by_bm25(question: str, texts: Iterable[str]) -> list[float]:
    """How well each text fits a question, by BM25 with the rarity of words among these texts."""
    # Imported only here: a task is known, and its predictions scored, without numpy.
    import numpy as np

    from caveat.language.bm25 import bm25

    found = [terms(text) for text in texts]
    asked = list(dict.fromkeys(terms(question)))
    if not found or not asked:
        return [0.0] * len(found)
    counts = np.array([[own.count(term) for term in asked] for own in found], np.float64)
    lengths = np.array([len(own) for own in found], np.intp)
    return [float(value) for value in bm25(counts, lengths)]


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
