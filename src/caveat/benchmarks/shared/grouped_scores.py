"""The scores of predictions by what questions are like: their type, length, where the answer stands, common words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from caveat.benchmarks.shared.count_tables import Cell, Table, mean
from caveat.benchmarks.task import Shown
from caveat.core.files import PathLike
from caveat.language.bm25 import bm25
from caveat.language.question_types import QUESTION_TYPES
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
    found = [terms(text) for text in texts]
    asked = list(dict.fromkeys(terms(question)))
    if not found or not asked:
        return [0.0] * len(found)
    counts = np.array([[own.count(term) for term in asked] for own in found], np.float64)
    lengths = np.array([len(own) for own in found], np.intp)
    return [float(value) for value in bm25(counts, lengths)]
