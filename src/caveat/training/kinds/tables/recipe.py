"""The recipe of the weights for questions on tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from caveat.models.logit import Logit

__all__ = ["ListData", "TableData", "TablesRecipe", "problems_of"]


class TableData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions on tables, one table a line.

    `questions` is any set: {"caption", "headers", "rows", "questions": [[question, [answer, …]], …]}. `tatqa` is
    TAT-QA, of which the questions are taken that its tables answer. `tabfact` is TabFact: a true statement with one of
    its cells or numbers asked for. `files` is a folder of files with questions, of which one `part` is taken
    (`caveat.benchmarks.table_questions`). `wikitablequestions` is WikiTableQuestions' own file; its tables stand in
    another, as NLPCC's table ranking has them.
    """

    path: str
    format: Literal["questions", "tatqa", "tabfact", "wikitablequestions", "files"]
    tables: str = ""
    part: Literal["development", "held-out"] = "development"
    # The file comes with the package, beside the recipes.
    packaged: bool = False
    # What each question counts.
    weight: float = 1.0
    # At most this many tables, of WikiTableQuestions this many questions, from the beginning; 0: all.
    cap: int = 0
    name: str = ""
    licence: str = "unstated"


class ListData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Lists of candidate tables in the format of NLPCC's table ranking; `tables` is the file that ids point into."""

    path: str
    tables: str = ""
    # At most this many lists, drawn by the seed.
    cap: int = 600
    # Each list is taken in each of these sizes: the right table, and others drawn by lot.
    sizes: tuple[int, ...] = (2, 3, 5, 20)
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
    l2: float = 1.0
    # What tells which table a question is about, and whether any of them; never fitted to: `measured_lists`.
    lists: tuple[ListData, ...] = ()
    measured_lists: tuple[ListData, ...] = ()
    # The share of questions that are taken to be asked of the right tables.
    answerable: float = 0.75
    seed: int = 1
    # Tables fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5


def problems_of(recipe: TablesRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.lists:
        yield "a recipe needs at least one file of lists"
    if not 0 < recipe.answerable < 1:
        yield f"answerable is a share between 0 and 1, got {recipe.answerable}"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    for data in (*recipe.data, *recipe.measured):
        if data.weight <= 0 or data.cap < 0:
            yield f"{data.path} needs a weight above 0 and a cap that is not below 0"
        if (data.format == "wikitablequestions") != bool(data.tables):
            yield f"{data.path}: tables are named for the format wikitablequestions, and for no other"
    for lists in (*recipe.lists, *recipe.measured_lists):
        if lists.cap < 1 or not lists.sizes or min(lists.sizes) < 2:
            yield f"{lists.path} needs a cap above 0 and sizes of at least 2"
