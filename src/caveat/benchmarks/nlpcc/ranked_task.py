"""Scores on ranked candidates by kinds of questions, and what trivial rankings score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from caveat.benchmarks.nlpcc import dbqa_format, metric, tbqa_format
from caveat.benchmarks.nlpcc.candidates import CandidateGroup, Pair, groups, read_scores, runs
from caveat.benchmarks.shared.checks import Finding
from caveat.benchmarks.shared.count_tables import SUMMARY, Table, Tables, histogram, summary
from caveat.benchmarks.shared.grouped_scores import (
    GroupedScores,
    JudgedQuestion,
    PredictionOptions,
    binned,
    by_bm25,
    grouped,
    in_quarters,
    overlap,
)
from caveat.benchmarks.shared.scores import Scored
from caveat.benchmarks.task import Analysis, DataFiles, EvaluationOptions, Floors, Scorer, Task, Through
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike, read_rows
from caveat.core.loading import load
from caveat.core.records import Table as Grid
from caveat.language.question_types import question_type

Text = Callable[[Any], str]
_CANDIDATES, _LENGTHS = (5, 10, 20, 50), (20, 40, 80)


def ranked_analysis(
    task: str, read: Callable[[PathLike], Iterable[Any]], text: Text
) -> Analysis[PredictionOptions]:
    """The analysis of a task whose predictions are one score a line; `text` is what a candidate says."""

    def run(gold: PathLike, options: PredictionOptions, through: Through) -> GroupedScores:
        if options.pred is None:
            raise UsageError(f"{task} analyses predictions: --pred names their file.")
        found = list(groups(read(gold)))
        scores = read_scores(options.pred, sum(len(group.pairs) for group in found))
        return grouped([_judge(group, scores, text) for group in through(found)])

    return Analysis(PredictionOptions, run)


def _judge(group: CandidateGroup[Any], scores: list[float], text: Text) -> JudgedQuestion:
    labels = [bool(pair.label) for pair in group.pairs]
    ((_, measures),) = [
        (one["id"], one) for one in metric.score([("", labels)], [scores[at] for at in group.indices]).details
    ]
    divisions = {
        "question type": question_type(group.question),
        "number of candidates": binned(len(labels), _CANDIDATES),
    }
    right = next((place for place, label in enumerate(labels) if label), None)
    if right is None:
        divisions["length of the right candidate, characters"] = "none is right"
    else:
        said = text(group.pairs[right])
        divisions["length of the right candidate, characters"] = binned(len(said), _LENGTHS)
        divisions["place of the right candidate"] = in_quarters(right / len(labels))
        divisions["words of the question in the right candidate"] = in_quarters(overlap(group.question, said))
    return JudgedQuestion(
        {
            name: measures[key] / 100
            for name, key in (("MRR", "mrr"), ("MAP", "map"), ("accuracy@1", "accuracy@1"))
        },
        divisions,
    )


def ranked_floors(read: Callable[[PathLike], Iterable[Any]], text: Text) -> Floors:
    """Candidates in the order of the file, and by BM25 with the rarity of words among a question's candidates."""

    def floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
        found = list(islice(groups(read(gold)), options.first))
        if any(pair.label is None for group in found for pair in group.pairs):
            raise InputError("the data has no labels (0/1), so there is nothing to score against", path=gold)
        labelled = [(group.question, [bool(pair.label) for pair in group.pairs]) for group in found]
        in_order = [-float(place) for _, labels in labelled for place in range(len(labels))]
        fitting = [
            value
            for group in found
            for value in by_bm25(group.question, (text(pair) for pair in group.pairs))
        ]
        return {"file_order": metric.score(labelled, in_order), "bm25": metric.score(labelled, fitting)}

    return floors


def _scorer(read: Callable[[PathLike], Iterable[Any]], rank: metric.Ranker) -> Scorer:
    def score(gold: PathLike, pred: PathLike, options: EvaluationOptions) -> Scored:
        return metric.score_ranked(read(gold), gold, pred, options.first, rank, options.at)

    return score


def _count_dbqa(files: DataFiles) -> Tables:
    return count_dbqa(files.data)


def _count_tbqa(files: DataFiles) -> Tables:
    return count_tbqa(files.data, files.tables)


def _check_dbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked_checks import check_dbqa

    return check_dbqa(files.data)


def _check_tbqa(files: DataFiles) -> Iterator[Finding]:
    from caveat.benchmarks.nlpcc.ranked_checks import check_tbqa

    return check_tbqa(files.data, files.tables)


def _said_by_table(pair: Any) -> str:
    """A table's caption, headers and cells, or its id where the file names tables by id."""
    if not isinstance(pair, tbqa_format.TbqaPair):
        return str(pair.table)
    rows = (pair.table.headers, *pair.table.rows)
    return " ".join((pair.table.caption, *(cell for row in rows for cell in row)))


def _tables_or_ids(path: PathLike) -> Iterator[Any]:
    return tbqa_format.read_candidates(path) if _names_tables(path) else tbqa_format.read(path)


def _dbqa_analysis() -> Analysis[Any]:
    return ranked_analysis("nlpcc-dbqa", dbqa_format.read, lambda pair: str(pair.sentence))


def _tbqa_analysis() -> Analysis[Any]:
    return ranked_analysis("nlpcc-tbqa", _tables_or_ids, _said_by_table)


def _dbqa_floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    return ranked_floors(dbqa_format.read, lambda pair: str(pair.sentence))(gold, options)


def _tbqa_floors(gold: PathLike, options: EvaluationOptions) -> dict[str, Scored]:
    return ranked_floors(_tables_or_ids, _said_by_table)(gold, options)


DBQA = Task(
    name="nlpcc-dbqa",
    summary="NLPCC DBQA: which sentence answers the question (Chinese)",
    gold="question, sentence and 0/1, tab-separated",
    predictions="one score a line, as many lines as the data",
    read=lambda files: groups(dbqa_format.read(files.data)),
    score=_scorer(dbqa_format.read, metric.score),
    score_official=_scorer(dbqa_format.read, metric.score_official),
    statistics=_count_dbqa,
    check=_check_dbqa,
    predict=lambda: load("caveat.benchmarks.nlpcc.ranked_predict:PREDICTIONS")["nlpcc-dbqa"],
    analyse=_dbqa_analysis,
    floors=_dbqa_floors,
    options=frozenset({"first", "at"}),
)
TBQA = Task(
    name="nlpcc-tbqa",
    summary="NLPCC TBQA: which table answers the question (English)",
    gold="0/1, question, caption, headers and cells (or a table id), tab-separated",
    predictions="one score a line, as many lines as the data",
    read=lambda files: groups(tbqa_format.read(files.data, files.tables)),
    score=_scorer(tbqa_format.read_candidates, metric.score),
    score_official=_scorer(tbqa_format.read_candidates, metric.score_official),
    statistics=_count_tbqa,
    check=_check_tbqa,
    predict=lambda: load("caveat.benchmarks.nlpcc.ranked_predict:PREDICTIONS")["nlpcc-tbqa"],
    analyse=_tbqa_analysis,
    floors=_tbqa_floors,
    options=frozenset({"first", "at"}),
    companions=frozenset({"tables"}),
)


def count_dbqa(data: PathLike) -> Tables:
    """Questions and pairs; where the file has no labels, what hangs on them is None."""
    question_lengths: list[int] = []
    sentence_lengths: list[int] = []
    candidates_each: list[int] = []
    right_each: list[int] = []
    repeated = questions_with_repeated = contradicting = 0
    labelled = True
    texts: set[str] = set()
    # The files have no ids: neighbouring lines with the same text are a question. The task's scorer makes one
    # question of all lines with that text, wherever they stand; `question_texts` is what it counts.
    for group in runs(dbqa_format.read(data)):
        texts.add(group.question)
        question_lengths.append(len(group.question))
        candidates_each.append(len(group.pairs))
        labels: dict[str, set[int | None]] = {}
        right = 0
        for pair in group.pairs:
            sentence_lengths.append(len(pair.sentence))
            labels.setdefault(pair.sentence, set()).add(pair.label)
            labelled = labelled and pair.label is not None
            right += pair.label == 1
        right_each.append(right)
        repeated += len(group.pairs) - len(labels)
        questions_with_repeated += len(labels) < len(group.pairs)
        contradicting += sum(len(given) > 1 for given in labels.values())
    per_question = [summary("candidates per question", candidates_each)]
    histograms = [
        histogram("Questions by number of candidates", "candidates", candidates_each),
        histogram("Candidates by length", "characters", sentence_lengths),
    ]
    if labelled:
        per_question.append(summary("right candidates per question", right_each))
        histograms.insert(1, histogram("Questions by number of right candidates", "candidates", right_each))
    return Tables(
        "nlpcc-dbqa",
        {
            "questions": len(question_lengths),
            "question_texts": len(texts),
            "pairs": len(sentence_lengths),
            "positives": sum(right_each) if labelled else None,
            "questions_without_positive": right_each.count(0) if labelled else None,
            "repeated_candidates": repeated,
            "questions_with_repeated_candidates": questions_with_repeated,
            "candidates_with_contradicting_labels": contradicting if labelled else None,
        },
        (
            Table("How many of each", SUMMARY, tuple(per_question)),
            Table(
                "Lengths in characters",
                SUMMARY,
                (summary("questions", question_lengths), summary("candidates", sentence_lengths)),
            ),
        ),
        tuple(histograms),
    )


def count_tbqa(data: PathLike, tables: PathLike | None = None) -> Tables:
    """Questions, pairs and tables; `tables` is the file that ids point into, without it ids are counted."""
    if tables is not None or not _names_tables(data):
        pairs = list(tbqa_format.read(data, tables))
        return _count(pairs, list({pair.table.id or pair.table: pair.table for pair in pairs}.values()))
    candidates = list(tbqa_format.read_candidates(data))
    return _count(candidates, None, len({candidate.table for candidate in candidates}))


def _names_tables(data: PathLike) -> bool:
    """Whether a file names its tables by id; standard input cannot be looked at twice."""
    return str(data) != "-" and any(len(row) <= 3 for _, row in islice(read_rows(data), 1))


def _count(pairs: Iterable[Pair], grids: list[Grid] | None, named: int = 0) -> Tables:
    question_lengths: list[int] = []
    candidates_each: list[int] = []
    right_each: list[int] = []
    labelled = True
    texts: set[str] = set()
    # As in DBQA: the scorer counts `question_texts`, since it joins all lines with the same question text.
    for group in runs(pairs):
        texts.add(group.question)
        question_lengths.append(len(group.question))
        candidates_each.append(len(group.pairs))
        right_each.append(sum(pair.label == 1 for pair in group.pairs))
        labelled = labelled and all(pair.label is not None for pair in group.pairs)
    counts: dict[str, int | float | None] = {
        "questions": len(question_lengths),
        "question_texts": len(texts),
        "pairs": sum(candidates_each),
        "positives": sum(right_each) if labelled else None,
        "questions_without_positive": right_each.count(0) if labelled else None,
        "tables": named if grids is None else len(grids),
    }
    each = [summary("candidates per question", candidates_each)]
    histograms = [histogram("Questions by number of candidates", "tables", candidates_each)]
    if labelled:
        each.append(summary("right candidates per question", right_each))
    each.append(summary("characters per question", question_lengths))
    if grids is not None:
        counts |= _faults(grids)
        rows, columns = [len(grid.rows) for grid in grids], [len(grid.headers) for grid in grids]
        each += [summary("rows per table", rows), summary("columns per table", columns)]
        histograms += [
            histogram("Tables by rows", "rows", rows),
            histogram("Tables by columns", "columns", columns),
        ]
    return Tables("nlpcc-tbqa", counts, (Table("How many of each", SUMMARY, tuple(each)),), tuple(histograms))


def _faults(grids: list[Grid]) -> dict[str, int]:
    return {
        "tables_without_caption": sum(not grid.caption for grid in grids),
        "tables_without_rows": sum(not grid.rows for grid in grids),
        "ragged_tables": sum(any(len(row) != len(grid.headers) for row in grid.rows) for grid in grids),
    }
