"""The answers of a reply as a tree, which the terminal, the pages and other programs draw as it is.

It is the same in every language: a branch has its conditions, as a checklist, over its answers, and coarse answers
stand over fine ones. A label says where a span of a text belongs in the tree, so that the relations can be read in the
text alone: conditions are A, B, C …, answers 1, 2, 3 …, the fine answers under 2 are 2.1, 2.2 …, an answer under
condition A is A→2, and 2* is what else shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec
from msgspec.structs import replace

from caveat.core.answers import AllOf, Answer, AnyOf, Place, Requirement, Triple
from caveat.core.certainty import Certainty, certainty_of
from caveat.core.records import Reply

Kind = Literal["condition", "coarse", "fine", "plain", "evidence"]
KINDS: tuple[Kind, ...] = ("condition", "coarse", "fine", "plain", "evidence")
Cell = tuple[int, int]

# Alternatives less probable than this are put aside.
WORTH_SHOWING = 0.01


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """A span of a document that the tree speaks of; `node` is the first node that does.

    A faint one belongs to improbable alternatives alone.
    """

    number: int
    kind: Kind
    start: int
    end: int
    label: str = ""
    node: int = 0
    faint: bool = False


class CellMark(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the tree speaks of in a table: cells by row and column.

    They are the answer, were used to compute it, or show it.

    Where the answer is the whole table, or no row shows it, there are none, and `rows` are the best of the table.
    `columns` are all that matter, the most important first.
    """

    number: int
    kind: Kind
    answers: tuple[Cell, ...] = ()
    used: tuple[Cell, ...] = ()
    shows: tuple[Cell, ...] = ()
    columns: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    label: str = ""
    node: int = 0
    faint: bool = False

    @property
    def whole(self) -> bool:
        """Whether the mark is on the table as a whole."""
        return not (self.answers or self.used or self.shows)


class Piece(msgspec.Struct, frozen=True, omit_defaults=True):
    """Some text, and whether it is to be seen at once."""

    text: str
    marked: bool = False


class Quote(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sentence in pieces; `more` tells whether it says more than what is marked in it."""

    pieces: tuple[Piece, ...]
    more: bool = False


class ConditionNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """A condition: what is asked for it, or else its text, and what the asker has said to that.

    It is moot where it no longer matters. `headings` are those over its place, unless the answer stands under them too.
    """

    number: int
    label: str
    text: str
    question: str = ""
    wanted: bool = True
    state: Literal["open", "yes", "no", "moot"] = "open"
    place: Place | None = None
    headings: tuple[str, ...] = ()
    mark: int | None = None

    @property
    def fact(self) -> str:
        """What is asked for, as that of a `Condition`."""
        return (self.question or self.text).casefold()


class Group(msgspec.Struct, frozen=True):
    """Conditions that belong together, by their numbers in the branch, and groups in the group.

    What is under "unless" must not hold; elsewhere a condition that is not wanted has to be answered with no.
    """

    how: Literal["if", "if all", "if any", "all", "any", "unless", "unless any"]
    parts: tuple[int | Group, ...]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What shows an answer elsewhere than in its own place; one that was marked before for this answer has no mark."""

    place: Place
    quote: Quote | None = None
    mark: int | None = None


class ShownRows(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was done with a table, nothing where it is the answer itself, and the first rows that show it."""

    operation: str = ""
    names: tuple[str, ...] = ()
    rows: tuple[tuple[Piece, ...], ...] = ()
    more: int = 0


class AnswerNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer, what shows it, and the fine answers under it; `heads` are the marks of what it depends on."""

    number: int
    kind: Kind
    label: str
    text: str
    score: float
    verdict: Literal["yes", "no"] | None = None
    otherwise: bool = False
    place: Place | None = None
    quote: Quote | None = None
    mark: int | None = None
    heads: tuple[int, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    table: ShownRows | None = None
    triples: tuple[Triple, ...] = ()
    branches: tuple[Branch, ...] = ()


class Branch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Conditions, or none, and the answers that hold under them.

    `checklist` is how the conditions are shown; `requires` is the same in the order of the source, None where simply
    all of them must hold. The conditions are met where what the asker said leaves none of them open.
    """

    answers: tuple[AnswerNode, ...]
    conditions: tuple[ConditionNode, ...] = ()
    checklist: tuple[Group, ...] = ()
    requires: Requirement | None = None
    met: bool = False


class Passage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The sentences under some headings of a source that show answers which hold together."""

    place: Place
    quotes: tuple[Quote, ...] = ()


class NotAnswered(msgspec.Struct, frozen=True, omit_defaults=True):
    """How probable it is that none of so many sources answers, and whether that is more probable than any answer."""

    score: float
    first: bool
    sources: int = 0
    texts_only: bool = False


class Conclusion(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reply comes to, for its first line: an answer, several that hold together, nothing sure, or none.

    `text` is the best answer's, `node` its number in the tree. It is `conditional` where conditions are still open. The
    score of "none" is that of there being no answer. `further` answers stand behind it, improbable ones not counted.
    """

    kind: Literal["answer", "together", "unsure", "none"]
    score: float
    certainty: Certainty
    text: str = ""
    verdict: Literal["yes", "no"] | None = None
    node: int = 0
    conditional: bool = False
    further: int = 0


class FoundPassage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage that may help where nothing is sure: what of it has most of the question, and where it stands."""

    place: Place
    quote: Quote


class AnswerTree(msgspec.Struct, frozen=True, omit_defaults=True):
    """The branches, those of improbable alternatives, and the marks by the name of their document, in text order.

    `cells` are the marks in tables, by the name of the table. `passages` are there where the answers hold together.
    `found` are passages as a search gives them, where nothing answers or nothing is sure.
    """

    not_answered: NotAnswered
    together: bool = False
    branches: tuple[Branch, ...] = ()
    improbable: tuple[Branch, ...] = ()
    passages: tuple[Passage, ...] = ()
    marks: dict[str, tuple[Mark, ...]] = msgspec.field(default_factory=dict)
    cells: dict[str, tuple[CellMark, ...]] = msgspec.field(default_factory=dict)
    conclusion: Conclusion | None = None
    found: tuple[FoundPassage, ...] = ()


class ReplyWithTree(Reply, frozen=True, omit_defaults=True):
    """A reply with its tree, for programs that show it."""

    tree: AnswerTree | None = None


AnyMark = TypeVar("AnyMark", Mark, CellMark)


def labelled(
    marks: Mapping[str, Iterable[AnyMark]], branches: Iterable[Branch], improbable: Iterable[Branch]
) -> dict[str, tuple[AnyMark, ...]]:
    """The marks with the labels of the nodes that speak of them; one of which none does is gone."""
    labels: dict[int, dict[str, int]] = {}
    for number, node, label in _labels(branches):
        labels.setdefault(number, {}).setdefault(label, node)
    clear = set(labels)
    for number, node, label in _labels(improbable):
        labels.setdefault(number, {}).setdefault(label, node)
    found = {
        source: tuple(
            replace(
                mark,
                label=" ".join(labels[mark.number]),
                node=next(iter(labels[mark.number].values())),
                faint=mark.number not in clear,
            )
            for mark in several
            if mark.number in labels
        )
        for source, several in marks.items()
    }
    return {source: several for source, several in found.items() if several}


def _labels(branches: Iterable[Branch]) -> Iterator[tuple[int, int, str]]:
    """Marks, the nodes that speak of them, and what these call them."""
    for branch in branches:
        for condition in branch.conditions:
            if condition.mark is not None:
                yield condition.mark, condition.number, condition.label
        letters = ",".join(condition.label for condition in branch.conditions)
        for answer in branch.answers:
            if answer.mark is not None:
                yield answer.mark, answer.number, f"{letters}→{answer.label}" if letters else answer.label
            for evidence in answer.evidence:
                if evidence.mark is not None:
                    yield evidence.mark, answer.number, f"{answer.label}*"
            yield from _labels(answer.branches)


def logic_in_words(
    branch: Branch, names: Sequence[str], joints: tuple[str, str], brackets: str, negated: str
) -> str:
    """How the conditions of a branch belong together: "A and (B or not C)", by their names.

    `joints` are the words for and and or, `brackets` is what stands around a part, `negated` around what must not hold.
    """

    def said(part: Requirement, inside: bool) -> str:
        if isinstance(part, int):
            return names[part] if branch.conditions[part].wanted else negated.format(names[part])
        words = joints[isinstance(part, AnyOf)].join(said(each, True) for each in part.parts)
        return brackets.format(words) if inside and len(part.parts) > 1 else words

    return said(AllOf(tuple(range(len(names)))) if branch.requires is None else branch.requires, False)


def conclusion_of(none: NotAnswered, together: bool, branches: Sequence[Branch]) -> Conclusion:
    """What the branches of a tree come to."""
    nodes = [answer for branch in branches for answer in branch.answers]
    if none.first or not nodes:
        return Conclusion("none", none.score, certainty_of(none.score), further=len(nodes))
    best = max(nodes, key=lambda node: node.score)
    branch = next(each for each in branches if best in each.answers)
    certainty = certainty_of(best.score)
    kind: Literal["answer", "together", "unsure"] = (
        "unsure" if certainty == "unsure" else "together" if together and len(nodes) > 1 else "answer"
    )
    conditional = bool(branch.conditions) and not branch.met
    further = len(nodes) if kind == "unsure" else 0 if kind == "together" else len(nodes) - 1
    return Conclusion(kind, best.score, certainty, best.text, best.verdict, best.number, conditional, further)


def settled_tree(tree: AnswerTree, reply: Reply, fact: str, answer: bool) -> AnswerTree:
    """What is left of a tree once a fact is settled; `reply` is what is left of its reply.

    Labels stay, and so do the conditions of the answers that are left: each tells what has become of it.
    """
    left = _left((*tree.branches, *tree.improbable), reply.answers, fact, "yes" if answer else "no")

    def is_shown(branch: Branch) -> bool:
        return reply.together or any(each.score >= WORTH_SHOWING for each in branch.answers)

    branches = tuple(filter(is_shown, left))
    improbable = tuple(branch for branch in left if not is_shown(branch))
    above = {Place(place.source, headings=place.headings) for place in _places(left)}
    none = replace(tree.not_answered, score=reply.unanswerable, first=not reply.answered)
    return replace(
        tree,
        not_answered=none,
        conclusion=conclusion_of(none, tree.together, branches),
        branches=branches,
        improbable=improbable,
        passages=tuple(passage for passage in tree.passages if passage.place in above),
        marks=labelled(tree.marks, branches, improbable),
        cells=labelled(tree.cells, branches, improbable),
    )


def _left(
    branches: Iterable[Branch], answers: Iterable[Answer], fact: str, said: Literal["yes", "no"]
) -> tuple[Branch, ...]:
    by_words: dict[tuple[str, Place | None], list[Answer]] = {}
    for answer in sorted(answers, key=lambda answer: -len(answer.conditions)):
        by_words.setdefault((answer.text, answer.place), []).append(answer)
    kept = []
    for branch in branches:
        facts = {condition.fact for condition in branch.conditions}
        nodes = []
        still_open: set[str] = set()
        for node in branch.answers:
            same = by_words.get((node.text, node.place), [])
            # Of answers with the same words and place the one that most of these conditions are left of.
            found = next((each for each in same if _facts(each) <= facts), None)
            if found is None:
                continue
            same.remove(found)
            still_open = _facts(found)
            parts = _left(node.branches, found.parts, fact, said)
            nodes.append(replace(node, score=found.score, otherwise=found.otherwise, branches=parts))
        if nodes:
            conditions = tuple(_told(each, fact, said, still_open) for each in branch.conditions)
            met = bool(conditions) and not still_open
            kept.append(replace(branch, answers=tuple(nodes), conditions=conditions, met=met))
    return tuple(kept)


def _facts(answer: Answer) -> set[str]:
    return {condition.fact for condition in answer.conditions}


def _told(
    condition: ConditionNode, fact: str, said: Literal["yes", "no"], still_open: set[str]
) -> ConditionNode:
    if condition.fact == fact:
        return replace(condition, state=said)
    if condition.state in ("yes", "no"):
        return condition
    return replace(condition, state="open" if condition.fact in still_open else "moot")


def _places(branches: Iterable[Branch]) -> Iterator[Place]:
    for branch in branches:
        yield from (condition.place for condition in branch.conditions if condition.place is not None)
        for answer in branch.answers:
            if answer.place is not None:
                yield answer.place
            yield from (evidence.place for evidence in answer.evidence)
            yield from _places(answer.branches)
