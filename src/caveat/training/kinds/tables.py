"""Weights for how probable an interpretation of a question on a table is, fitted to questions with known answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.tables.confidence import WEIGHTS, ConfidenceWeights, features, interpretations
from caveat.answerers.tables.prepared import PreparedTable
from caveat.answerers.tables.question import ParsedQuestion
from caveat.answerers.tables.selection import View
from caveat.answerers.tables.tokens import fold
from caveat.core.errors import InputError
from caveat.core.json_files import read_json_lines, write_json
from caveat.core.records import Table
from caveat.language.quantities import parse_quantity
from caveat.models.calibration import expected_calibration_error, log_loss
from caveat.models.logit import Logit
from caveat.sources.grid import read_table

__all__ = ["TableData", "TablesRecipe", "problems_of", "train_tables"]

Figures = dict[str, dict[str, Any]]

SCORES = "scores.json"
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")


class TableData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions on tables, one table a line.

    `questions` is any set: {"caption", "headers", "rows", "questions": [[question, [answer, …]], …]}. `tatqa` is
    TAT-QA, of which the questions are taken that its tables answer. `tabfact` is TabFact: a true statement with one of
    its cells or numbers asked for.
    """

    path: str
    format: Literal["questions", "tatqa", "tabfact"]
    # The file comes with the package, beside the recipes.
    packaged: bool = False
    # What each question counts.
    weight: float = 1.0
    # At most this many tables, from the beginning; 0: all.
    cap: int = 0
    name: str = ""
    licence: str = "unstated"


class TablesRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit."""

    kind: Literal["tables"]
    data: tuple[TableData, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[TableData, ...] = ()
    # Weights from which the fit starts and near which it stays: what is known from questions that are not in `data`.
    prior: Logit = Logit(0.0, {})
    # Half of this times the squared distance from the prior is added to the loss, which sums over the questions.
    l2: float = 20.0
    # Tables fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5


def problems_of(recipe: TablesRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    for data in (*recipe.data, *recipe.measured):
        if data.weight <= 0 or data.cap < 0:
            yield f"{data.path} needs a weight above 0 and a cap that is not below 0"


class TableQuestion(NamedTuple):
    """A question on a table and its answers; `open` where there may be others too."""

    text: str
    answers: tuple[str, ...]
    open: bool = False


class Candidate(NamedTuple):
    """An interpretation: its features, and whether its answer is right; None where that cannot be told."""

    features: dict[str, float]
    right: bool | None


class Sample(NamedTuple):
    """A question's interpretations, what tells its table from others, and what the question counts."""

    candidates: tuple[Candidate, ...]
    table: str
    weight: float


def train_tables(
    recipe: TablesRecipe, out: Path, *, data_root: Path, note: Callable[[str], None] = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/confidence.json and OUT/scores.json; gives the tables of figures by their titles.

    Beside the new weights' figures stand those of the prior, on the same questions.
    """

    def sampled(data: TableData) -> list[Sample]:
        samples = list(_samples(data, data_root))
        note(f"{data.path}: {len(samples):,} questions")
        return samples

    fitted_to = {data: sampled(data) for data in recipe.data}
    every = [sample for samples in fitted_to.values() for sample in samples]
    figures: dict[str, Figures] = {}
    if recipe.folds:
        fits = [
            _fit([sample for sample in every if _fold(sample.table, recipe.folds) != fold], recipe)
            for fold in range(recipe.folds)
        ]
        for data, samples in fitted_to.items():
            held_out = [fits[_fold(sample.table, recipe.folds)] for sample in samples]
            title = f"{data.path}, by cross-validation in {recipe.folds} parts"
            figures[title] = _compared(samples, recipe.prior, held_out)
    fitted = _fit(every, recipe)
    for data in recipe.measured:
        samples = sampled(data)
        figures[data.path] = _compared(samples, recipe.prior, [fitted] * len(samples))
    out.mkdir(parents=True, exist_ok=True)
    about = {"recipe": msgspec.to_builtins(recipe), "figures": figures}
    write_json(out / WEIGHTS, ConfidenceWeights(about, fitted))
    write_json(out / SCORES, figures)
    return figures


def _samples(data: TableData, root: Path) -> Iterator[Sample]:
    read = {"questions": _read_questions, "tatqa": _read_tatqa, "tabfact": _read_tabfact}[data.format]
    path = Path(str(files("caveat.training") / "recipes")) / data.path if data.packaged else root / data.path
    for table, questions in islice(read(path), data.cap or None):
        prepared = PreparedTable(table)
        name = "\t".join((table.caption, *table.headers, *table.rows[0])) if table.rows else table.caption
        for question in questions:
            view = View(ParsedQuestion(question.text), prepared)
            candidates = tuple(
                Candidate(features(view, found), is_right(found.text, question))
                for found in interpretations(view)
            )
            yield Sample(candidates, name, data.weight)


TablesWithQuestions = Iterator[tuple[Table, list[TableQuestion]]]


class _Questions(msgspec.Struct, frozen=True):
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    questions: tuple[tuple[str, tuple[str, ...]], ...]
    caption: str = ""


def _read_questions(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Questions):
        table = Table(line.headers, line.rows, line.caption)
        yield table, [TableQuestion(text, answers) for text, answers in line.questions]


class _TatqaQuestion(msgspec.Struct, frozen=True):
    question: str
    answer: str | float | tuple[str, ...]
    answer_from: str


class _Tatqa(msgspec.Struct, frozen=True):
    table: tuple[tuple[str, ...], ...]
    questions: tuple[_TatqaQuestion, ...]


def _read_tatqa(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Tatqa):
        if found := read_table(line.table):
            yield (
                found.table,
                [
                    TableQuestion(
                        asked.question,
                        asked.answer if isinstance(asked.answer, tuple) else (str(asked.answer),),
                    )
                    for asked in line.questions
                    if asked.answer_from == "table"
                ],
            )


class _Statement(msgspec.Struct, frozen=True):
    text: str
    label: str


class _Tabfact(msgspec.Struct, frozen=True):
    caption: str
    table: tuple[tuple[str, ...], ...]
    statements: tuple[_Statement, ...]


def _read_tabfact(path: Path) -> TablesWithQuestions:
    for _, line in read_json_lines(path, _Tabfact):
        headers, *rows = (tuple(map(str.strip, row)) for row in line.table)
        table = Table(headers, tuple(rows), line.caption)
        true = [statement.text for statement in line.statements if statement.label == "entailed"]
        yield table, [question for text in true if (question := cloze(text, table))]


def cloze(statement: str, table: Table) -> TableQuestion | None:
    """A true statement as a question: one of its numbers becomes "how many", or one of its cells "which" and the name
    of the cell's column; None where it has neither.
    """
    words = statement.split()
    places: list[tuple[int, int, str]] = []
    for at, word in enumerate(words):
        if _NUMBER.fullmatch(word) and not _YEAR.fullmatch(word):
            before_noun = at + 1 < len(words) and words[at + 1].isalpha()
            places.append((at, at + 1, "how many" if before_noun else "how much"))
    for column, header in enumerate(table.headers):
        for cell in dict.fromkeys(row[column] for row in table.rows if column < len(row)):
            parts = cell.split()
            if header and any(map(str.isalpha, cell)):
                places += [
                    (at, at + len(parts), f"which {header}")
                    for at in range(len(words) - len(parts) + 1)
                    if words[at : at + len(parts)] == parts
                ]
    if not places:
        return None
    # Any of them, always the same one.
    start, end, asked = places[_fold(statement, len(places))]
    text = " ".join((*words[:start], asked, *words[end:], "?"))
    return TableQuestion(text, (" ".join(words[start:end]),), open=asked.startswith("which"))


def is_right(text: str, question: TableQuestion) -> bool | None:
    """Whether an answer is the right one; None if it has other cells beside the one that is known to be right."""
    given, wanted = set(map(_value, text.split("; "))), set(map(_value, question.answers))
    if question.open and wanted < given:
        return None
    return given == wanted


def _value(text: str) -> str | float:
    """What is compared: numbers by their value, whatever their unit and sign of currency, else the folded text."""
    found = parse_quantity(text)
    return round(found.value, 2) if found is not None else " ".join(fold(text).split())


def _fit(samples: Iterable[Sample], recipe: TablesRecipe) -> Logit:
    # Only a run needs it, and a recipe of any kind is read with this module.
    from caveat.training.kinds.judge.yes_no_run import fit_logit

    told = [
        (candidate.features, float(candidate.right), sample.weight)
        for sample in samples
        for candidate in sample.candidates
        if candidate.right is not None
    ]
    if not told:
        raise InputError("No question of the data can be interpreted on its table.")
    found, targets, counts = zip(*told, strict=True)
    return fit_logit(found, targets, counts, recipe.l2, recipe.prior)


def _compared(samples: Sequence[Sample], prior: Logit, fitted: Sequence[Logit]) -> Figures:
    return {
        "prior": _figures(samples, [prior] * len(samples)),
        "fitted": _figures(samples, fitted),
    }


def _figures(samples: Sequence[Sample], logits: Sequence[Logit]) -> dict[str, Any]:
    """The log loss of every interpretation; for the most probable of each question how often it is right, how often it
    is more probable than not and then right, and the expected calibration error.
    """
    every: list[tuple[float, bool]] = []
    best: list[tuple[float, bool]] = []
    for sample, logit in zip(samples, logits, strict=True):
        found = [(logit.probability(some.features), some.right) for some in sample.candidates]
        every += [(probability, right) for probability, right in found if right is not None]
        if found:
            probability, right = max(found, key=lambda pair: pair[0])
            if right is not None:
                best.append((probability, right))
    answered = [right for probability, right in best if probability > 0.5]
    loss = log_loss(*np.array(every, dtype=float).T) if every else 0.0
    error = expected_calibration_error([one for one, _ in best], [right for _, right in best])
    return {
        "questions": len(samples),
        "interpretations": len(every),
        "log_loss": round(loss, 4),
        "calibration_error": round(error, 4),
        "right": 100 * sum(right for _, right in best) / max(1, len(samples)),
        "answered": 100 * len(answered) / max(1, len(samples)),
        "answered_right": 100 * sum(answered) / max(1, len(answered)),
    }


def _fold(text: str, folds: int) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") % folds
