"""A reply and its sources become the tree that is drawn: `caveat.render.tree` has its records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import asdict

from caveat.answerers.tables.answerer import answer_cells
from caveat.core.answers import AllOf, Answer, AnyOf, Cells, Condition, Place, Requirement
from caveat.core.records import Document, Reply, Table
from caveat.render.quotes import found_passage, passages_of, quote_around, quote_of, span_in
from caveat.render.tree import (
    KINDS,
    WORTH_SHOWING,
    AnswerNode,
    AnswerTree,
    Branch,
    CellMark,
    ConditionNode,
    Evidence,
    Group,
    Kind,
    Mark,
    NotAnswered,
    Piece,
    ReplyWithTree,
    ShownRows,
    conclusion_of,
    labelled,
)
from caveat.sources.gather import ReadSource

_MOST_ROWS = 5
_MOST_COLUMNS = 6


class ShownSources(NamedTuple):
    """Texts and tables by name, and the names of files that are not texts alone."""

    documents: dict[str, Document]
    tables: dict[str, Table]
    others: frozenset[str]


def shown_sources(read: Iterable[ReadSource]) -> ShownSources:
    """What was read, by the names that the places of a reply give."""
    several = list(read)
    documents = {each.name: each.source for each in several if isinstance(each.source, Document)}
    tables = {each.source.name: each.source for each in several if isinstance(each.source, Table)}
    return ShownSources(documents, tables, frozenset(each.name for each in several).difference(documents))


def with_tree(
    reply: Reply,
    documents: Mapping[str, Document],
    tables: Mapping[str, Table] | None = None,
    others: Collection[str] = (),
) -> ReplyWithTree:
    """The reply with its tree."""
    tree = answer_tree(reply, documents, tables, others)
    return ReplyWithTree(**asdict(reply), tree=tree)


def answer_tree(
    reply: Reply,
    documents: Mapping[str, Document],
    tables: Mapping[str, Table] | None = None,
    others: Collection[str] = (),
) -> AnswerTree:
    """The tree of a reply; a place that is not in the documents or tables has no mark.

    Answers that hold together stand in the order of the text under their conditions, the unconditional ones first.
    Alternatives stay most probable first, a branch each, and those below 1 % are put aside. `others` are the names of
    sources that are not texts.
    """
    builder = _TreeBuilder(documents, tables or {}, reply.together)
    # Most probable first, so what is improbable is the end.
    shown = sum(reply.together or answer.score >= WORTH_SHOWING for answer in reply.answers)
    branches = builder.branches(reply.answers[:shown])
    improbable = builder.branches(reply.answers[shown:])
    none = NotAnswered(
        reply.unanswerable, not reply.answered, len({*documents, *others}), texts_only=not others
    )
    return AnswerTree(
        none,
        reply.together,
        branches,
        improbable,
        passages_of(reply.answers, documents) if reply.together else (),
        labelled(builder.marks_in_order(), branches, improbable),
        labelled(builder.cells, branches, improbable),
        conclusion_of(none, reply.together, branches),
        tuple(map(found_passage, reply.passages)),
    )


def in_reading_order(answers: Iterable[Answer], sources: Iterable[str] = ()) -> list[list[Answer]]:
    """The answers by their conditions, in the order of the text: unconditional ones first, then a list a condition.

    `sources` are the names of the documents in their order; what has no place among them comes last.
    """
    order = list(sources)
    groups: dict[tuple[tuple[Condition, ...], Requirement | None], list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: _position(answer.place, order)):
        groups.setdefault((answer.conditions, answer.requires), []).append(answer)

    def position(key: tuple[tuple[Condition, ...], Requirement | None]) -> tuple[bool, int, int]:
        conditions, _ = key
        return bool(conditions), *_position(conditions[0].place if conditions else None, order)

    return [groups[key] for key in sorted(groups, key=position)]


def _position(place: Place | None, order: Sequence[str]) -> tuple[int, int]:
    if place is None or place.source not in order:
        return len(order), (place.start or 0) if place else 0
    return order.index(place.source), place.start or 0


def checklist(answer: Answer) -> tuple[Group, ...]:
    """How the conditions of an answer are shown: those that must hold, then, as "unless", those that must not."""
    if not answer.conditions:
        return ()
    whole = _all_of(answer) if answer.requires is None else answer.requires
    parts = whole.parts if isinstance(whole, AllOf) else (whole,)
    unless = [part for part in parts if isinstance(part, int) and not answer.conditions[part].wanted]
    wanted = [part for part in parts if part not in unless]
    groups = []
    if len(wanted) == 1 and isinstance(wanted[0], AnyOf):
        groups.append(Group("if any", tuple(map(_part, wanted[0].parts))))
    elif wanted:
        groups.append(Group("if all" if len(wanted) > 1 else "if", tuple(map(_part, wanted))))
    if unless:
        groups.append(Group("unless any" if len(unless) > 1 else "unless", tuple(unless)))
    return tuple(groups)


def _part(required: Requirement) -> int | Group:
    if isinstance(required, int):
        return required
    return Group("all" if isinstance(required, AllOf) else "any", tuple(map(_part, required.parts)))


class _TreeBuilder:
    """Numbers, letters and marks as they are given out."""

    def __init__(
        self, documents: Mapping[str, Document], tables: Mapping[str, Table], together: bool
    ) -> None:
        self.documents = documents
        self.tables = tables
        self.together = together
        self.nodes = 0
        self.answers = 0
        self.letters: dict[tuple[str, int | None], str] = {}
        self.numbers: dict[tuple[str, Kind, int, int], int] = {}
        self.cells: dict[str, list[CellMark]] = {}
        self.cell_marks = 0

    def branches(
        self, answers: Iterable[Answer], head: int | None = None, prefix: str = ""
    ) -> tuple[Branch, ...]:
        """The answers by their conditions; under a coarse answer they are its parts."""
        groups = (
            in_reading_order(answers, self.documents) if self.together else [[answer] for answer in answers]
        )
        branches = []
        count = 0
        for group in groups:
            first = group[0]
            over = tuple(self._condition(condition, first) for condition in first.conditions)
            heads = [node.mark for node in over if node.mark is not None] + ([] if head is None else [head])
            under = []
            for answer in group:
                if prefix:
                    count += 1
                    label = f"{prefix}.{count}"
                else:
                    self.answers += 1
                    label = str(self.answers)
                under.append(self._answer(answer, label, tuple(heads), fine=bool(prefix)))
            branches.append(Branch(tuple(under), over, checklist(first), _requires(first)))
        return tuple(branches)

    def _condition(self, condition: Condition, answer: Answer) -> ConditionNode:
        mark = self._mark("condition", condition.place)
        label = self.letters.setdefault((condition.text, mark), _letter(len(self.letters)))
        headings = () if condition.place is None else condition.place.headings
        # What stands under the same headings as the answer need not say so.
        if any(place and place.headings == headings for place in (answer.place, *answer.evidence[:1])):
            headings = ()
        self.nodes += 1
        return ConditionNode(
            *(self.nodes, label, condition.text, condition.question, condition.wanted),
            place=condition.place,
            headings=headings,
            mark=mark,
        )

    def _answer(self, answer: Answer, label: str, heads: tuple[int, ...], *, fine: bool) -> AnswerNode:
        kind: Kind = "fine" if fine else "coarse" if answer.parts else "plain"
        mark = self._cells(kind, answer) or self._mark(kind, answer.place)
        self.nodes += 1
        number = self.nodes
        place = answer.place
        # Of tables that are answers themselves only the first shows its rows.
        rows = None if answer.cells is None else _rows(answer, answer.cells, first=fine or label == "1")
        return AnswerNode(
            *(number, kind, label, answer.text, answer.score),
            verdict="yes" if answer.kind == "yes" else "no" if answer.kind == "no" else None,
            otherwise=answer.otherwise,
            place=place,
            quote=None if place is None else quote_around(self.documents.get(place.source), place),
            mark=mark,
            heads=heads,
            evidence=self._evidence(answer),
            table=rows,
            triples=answer.triples,
            branches=self.branches(answer.parts, mark, label),
        )

    def _evidence(self, answer: Answer) -> tuple[Evidence, ...]:
        """What shows an answer elsewhere, with the answer marked if its words stand there."""
        words = "" if answer.kind in ("yes", "no") else answer.text
        found = []
        marked: set[int | None] = set()
        for place in answer.evidence:
            if _is_around(place, answer.place):
                continue
            mark = self._mark("evidence", place)
            shown = quote_of(self.documents.get(place.source), place, words)
            found.append(Evidence(place, shown, None if mark in marked else mark))
            marked.add(mark)
        return tuple(found)

    def _mark(self, kind: Kind, place: Place | None) -> int | None:
        if place is None:
            return None
        document = self.documents.get(place.source)
        span = span_in(document, place)
        if document is None or span is None or not document.text[slice(*span)].strip():
            return None  # nothing that could be seen
        return self.numbers.setdefault((place.source, kind, *span), self._next())

    def _cells(self, kind: Kind, answer: Answer) -> int | None:
        cells = answer.cells
        if cells is None or answer.place is None or answer.place.source not in self.tables:
            return None
        number = self._next()
        self.cell_marks += 1
        answers: list[tuple[int, int]] = []
        used: list[tuple[int, int]] = []
        shows: list[tuple[int, int]] = []
        if cells.kind != "table" and any(map(any, cells.texts)):
            own = set(answer_cells(answer))
            for place, row in enumerate(cells.rows[: len(cells.texts)]):
                for at, column in enumerate(cells.columns):
                    # The answer's own column comes first.
                    others = used if cells.kind == "computed" and at == 0 else shows
                    (answers if (place, at) in own else others).append((row, column))
        rows = () if answers or used or shows else cells.rows
        mark = CellMark(number, kind, tuple(answers), tuple(used), tuple(shows), cells.columns, rows)
        self.cells.setdefault(answer.place.source, []).append(mark)
        return number

    def _next(self) -> int:
        return len(self.numbers) + self.cell_marks + 1

    def marks_in_order(self) -> dict[str, list[Mark]]:
        marks: dict[str, list[Mark]] = {}
        for (source, kind, start, end), number in self.numbers.items():
            marks.setdefault(source, []).append(Mark(number, kind, start, end))
        # Of marks that begin together the widest first: it is what the others stand in.
        return {
            source: sorted(marks[source], key=lambda mark: (mark.start, -mark.end, KINDS.index(mark.kind)))
            for source in self.documents
            if source in marks
        }


def _requires(answer: Answer) -> Requirement | None:
    """What an answer requires; None where simply all of its conditions must hold."""
    if answer.requires is None and all(condition.wanted for condition in answer.conditions):
        return None
    return _all_of(answer) if answer.requires is None else answer.requires


def _all_of(answer: Answer) -> Requirement:
    return AllOf(tuple(range(len(answer.conditions))))


def _rows(answer: Answer, cells: Cells, *, first: bool) -> ShownRows:
    """What was done with a table, and the rows that it was done with; a table alone has rows only as `first` answer."""
    if not cells.texts or (cells.kind == "table" and not first):
        return ShownRows(cells.operation)
    # The most important columns come first; they are shown in the table's own order.
    order = sorted(range(len(cells.columns))[:_MOST_COLUMNS], key=cells.columns.__getitem__)
    own = set(answer_cells(answer))
    rows = tuple(
        tuple(Piece(row[column], (number, column) in own) for column in order)
        for number, row in enumerate(cells.texts[:_MOST_ROWS])
    )
    return ShownRows(
        cells.operation, tuple(cells.names[column] for column in order), rows, len(cells.rows) - len(rows)
    )


def _is_around(evidence: Place, place: Place | None) -> bool:
    """Whether evidence is nothing new: it is around the answer's own place."""
    if place is None or evidence.source != place.source:
        return False
    if evidence.start is None or evidence.end is None or place.start is None or place.end is None:
        return evidence == place
    return evidence.start <= place.start and place.end <= evidence.end


def _letter(number: int) -> str:
    """A to Z, then AA, AB …"""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
