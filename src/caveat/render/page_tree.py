"""The answers of a reply as a tree: conditions over their answers, coarse answers over fine ones, all with labels.

A label says where a span of the text hangs in the tree, so that the relations can be read in the text alone:
conditions are A, B, C …, answers 1, 2, 3 …, the fine answers under 2 are 2.1, 2.2 …, an answer under condition A
is A→2, and 2* is what else shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Literal

import msgspec

from caveat.core.records import Answer, Condition, Document, Place, Reply, Table, Triple
from caveat.render.reply import branches_of, is_around, logic_in_words
from caveat.render.words import Words, words_of

__all__ = ["KINDS", "AnswerTree", "Branch", "CellMark", "Kind", "Mark", "Node", "answer_tree"]

Kind = Literal["condition", "coarse", "fine", "plain", "evidence"]
KINDS: tuple[Kind, ...] = ("condition", "coarse", "fine", "plain", "evidence")

# Alternatives less probable than this are put aside.
_WORTH_SHOWING = 0.01


class Mark(msgspec.Struct, frozen=True):
    """A span of a document that the tree speaks of; `node` is the first node that does."""

    number: int
    kind: Kind
    start: int
    end: int
    label: str
    node: int


class CellMark(msgspec.Struct, frozen=True):
    """The cells of a table that an answer stands in, or that show it."""

    number: int
    kind: Kind
    label: str
    node: int
    answer: Answer


class Node(msgspec.Struct, frozen=True):
    """A condition or an answer in the tree; `heads` are the marks of what it hangs on.

    `operation` is what was done with a table, None for an answer from elsewhere.
    """

    number: int
    kind: Kind
    label: str
    text: str
    mark: int | None = None
    heads: tuple[int, ...] = ()
    score: float | None = None
    place: Place | None = None
    evidence: tuple[int, ...] = ()
    branches: tuple[Branch, ...] = ()
    operation: str | None = None
    triples: tuple[Triple, ...] = ()


class Branch(msgspec.Struct, frozen=True):
    """Conditions, or none, and the answers that hold under them."""

    conditions: tuple[Node, ...]
    answers: tuple[Node, ...]
    # How the conditions belong together, by their labels ("A and (B or not C)"), where not all of them must hold.
    logic: str = ""


class AnswerTree(msgspec.Struct, frozen=True):
    """The branches, those of improbable alternatives, and the marks by the name of their document, in text order.

    `cells` are the marks in tables, by the name of the table.
    """

    branches: tuple[Branch, ...]
    improbable: tuple[Branch, ...]
    marks: dict[str, tuple[Mark, ...]]
    cells: dict[str, tuple[CellMark, ...]]


def answer_tree(
    reply: Reply, documents: Mapping[str, Document], tables: Mapping[str, Table] | None = None
) -> AnswerTree:
    """The tree of a reply; a place that is not in the documents or tables has no mark.

    Answers that hold together stand in the order of the text under their conditions, the unconditional ones
    first. Alternatives stay most probable first, and those below 1 % are put aside.
    """
    drawing = _Drawing(documents, tables or {}, reply.together, words_of(reply.question.spoken))
    if reply.together:
        return drawing.finish(drawing.branches(reply.answers), ())
    shown = [answer for answer in reply.answers if answer.score >= _WORTH_SHOWING]
    # Most probable first, so what is left is the end.
    branches = drawing.branches(shown)
    return drawing.finish(branches, drawing.branches(reply.answers[len(shown) :]))


class _Drawing:
    """Numbers, letters and marks as they are given out."""

    def __init__(
        self,
        documents: Mapping[str, Document],
        tables: Mapping[str, Table],
        together: bool,
        words: Words,
    ) -> None:
        self.documents = documents
        self.tables = tables
        self.together = together
        self.words = words
        self.nodes = 0
        self.answers = 0
        self.letters: dict[tuple[str, int | None], str] = {}
        self.marks: dict[tuple[str, Kind, int, int], int] = {}
        self.cells: dict[int, tuple[str, Kind, Answer]] = {}
        # By mark: the labels of the nodes that speak of it, and the first of these nodes.
        self.labels: dict[int, list[str]] = {}
        self.first_nodes: dict[int, int] = {}

    def branches(
        self, answers: Iterable[Answer], head: int | None = None, prefix: str = ""
    ) -> tuple[Branch, ...]:
        """The answers by their conditions; under a coarse answer they are its parts."""
        kind: Kind | None = "fine" if prefix else None
        branches = []
        count = 0
        for conditions, group in self._grouped(answers):
            answers_of = list(group)
            over = tuple(self._condition(condition) for condition in conditions)
            heads = [node.mark for node in over if node.mark is not None] + ([] if head is None else [head])
            under = []
            for answer in answers_of:
                if prefix:
                    count += 1
                    label = f"{prefix}.{count}"
                else:
                    self.answers += 1
                    label = str(self.answers)
                under.append(self._answer(answer, kind, label, over, tuple(heads)))
            branches.append(Branch(over, tuple(under), _logic(over, answers_of[0], self.words)))
        return tuple(branches)

    def _grouped(self, answers: Iterable[Answer]) -> Iterator[tuple[tuple[Condition, ...], Iterable[Answer]]]:
        if self.together:
            for branch in branches_of(answers, self.documents):
                yield branch.conditions, branch.answers
        else:
            for _, group in groupby(answers, key=lambda answer: (answer.conditions, answer.requires)):
                same = list(group)
                yield same[0].conditions, same

    def _condition(self, condition: Condition) -> Node:
        mark = self._mark("condition", condition.place)
        letter = self.letters.setdefault((condition.text, mark), _letter(len(self.letters)))
        number = self._node(mark, letter)
        return Node(number, "condition", letter, condition.text, mark, place=condition.place)

    def _answer(
        self, answer: Answer, kind: Kind | None, label: str, over: tuple[Node, ...], heads: tuple[int, ...]
    ) -> Node:
        kind = kind or ("coarse" if answer.parts else "plain")
        mark = self._cells(kind, answer) or self._mark(kind, answer.place)
        letters = ",".join(node.label for node in over)
        number = self._node(mark, f"{letters}→{label}" if letters else label)
        text = self.words.answer(answer)
        if answer.otherwise:
            text = self.words.with_otherwise.format(text)
        evidence = []
        for place in answer.evidence:
            shows = None if is_around(place, answer.place) else self._mark("evidence", place)
            if shows is not None and shows not in evidence:
                evidence.append(shows)
                self._name(shows, number, f"{label}*")
        return Node(
            number,
            kind,
            label,
            text,
            mark,
            heads,
            answer.score,
            answer.place,
            tuple(evidence),
            self.branches(answer.parts, mark, label),
            answer.cells.operation if answer.cells is not None else None,
            answer.triples,
        )

    def _node(self, mark: int | None, label: str) -> int:
        self.nodes += 1
        if mark is not None:
            self._name(mark, self.nodes, label)
        return self.nodes

    def _name(self, mark: int, node: int, label: str) -> None:
        self.first_nodes.setdefault(mark, node)
        names = self.labels.setdefault(mark, [])
        if label not in names:
            names.append(label)

    def _mark(self, kind: Kind, place: Place | None) -> int | None:
        if place is None or place.start is None or place.end is None:
            return None
        document = self.documents.get(place.source)
        if document is None or not 0 <= place.start < place.end <= len(document.text):
            return None
        if document.text[place.start : place.end].isspace():  # nothing that could be seen
            return None
        return self.marks.setdefault((place.source, kind, place.start, place.end), self._next())

    def _cells(self, kind: Kind, answer: Answer) -> int | None:
        if answer.cells is None or answer.place is None or answer.place.source not in self.tables:
            return None
        number = self._next()
        self.cells[number] = answer.place.source, kind, answer
        return number

    def _next(self) -> int:
        return len(self.marks) + len(self.cells) + 1

    def finish(self, branches: tuple[Branch, ...], improbable: tuple[Branch, ...]) -> AnswerTree:
        marks: dict[str, list[Mark]] = {}
        for (source, kind, start, end), number in self.marks.items():
            label = " ".join(self.labels[number])
            marks.setdefault(source, []).append(
                Mark(number, kind, start, end, label, self.first_nodes[number])
            )
        # Of marks that begin together the widest first: it is what the others stand in.
        in_order = {
            source: tuple(sorted(found, key=lambda mark: (mark.start, -mark.end, KINDS.index(mark.kind))))
            for source in self.documents
            if (found := marks.get(source))
        }
        cells: dict[str, list[CellMark]] = {}
        for number, (source, kind, answer) in self.cells.items():
            label = " ".join(self.labels[number])
            cells.setdefault(source, []).append(
                CellMark(number, kind, label, self.first_nodes[number], answer)
            )
        return AnswerTree(
            branches, improbable, in_order, {source: tuple(found) for source, found in cells.items()}
        )


def _letter(number: int) -> str:
    """A to Z, then AA, AB …"""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _logic(over: tuple[Node, ...], answer: Answer, words: Words) -> str:
    """The requirement of an answer in the labels of its conditions; nothing where all of them must hold."""
    if answer.requires is None and all(condition.wanted for condition in answer.conditions):
        return ""

    def name_of(number: int) -> str:
        label = over[number].label
        return label if answer.conditions[number].wanted else words.negated[0].format(label)

    return logic_in_words(answer, name_of, words.joints, words.brackets)
