"""Conditions as logic: all of, any of, not, questions at the leaves; what is left once some are answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

Status = Literal["holds", "fails", "open"]

# Trying every atom both ways takes the square of their number.
_FEW = 24


class Atom(msgspec.Struct, frozen=True, tag="atom", omit_defaults=True):
    """A yes/no question to the asker, and the words of the document that raise it.

    It is true where the answer is yes. The words may deny ("you do not smoke" raises "Do you smoke?"): then the
    atom stands in a Not. `element` is the index of the document's element, `start:end` the place in its text.
    """

    text: str
    question: str = ""
    element: int = -1
    start: int = -1
    end: int = -1

    @property
    def fact(self) -> str:
        """What is asked for; two atoms that ask for the same are settled together."""
        return (self.question or self.text).casefold()


class All(msgspec.Struct, frozen=True, tag="all"):
    """Holds where every part does; without parts it holds."""

    parts: tuple[Expression, ...] = ()


class Any(msgspec.Struct, frozen=True, tag="any"):
    """Holds where one of the parts does; without parts it fails."""

    parts: tuple[Expression, ...] = ()


class Not(msgspec.Struct, frozen=True, tag="not"):
    """Holds where its part fails."""

    part: Expression


Expression = Atom | All | Any | Not

HOLDS, FAILS = All(), Any()


def atoms_of(expression: Expression) -> tuple[Atom, ...]:
    """The atoms in the order in which they stand, of those that ask for the same only the first."""
    return tuple({atom.fact: atom for atom in reversed(list(_leaves(expression)))}.values())[::-1]


def elements_of(expression: Expression) -> tuple[int, ...]:
    """The elements of the document that the atoms stand in, each once, in the document's order."""
    return tuple(sorted({atom.element for atom in _leaves(expression) if atom.element >= 0}))


def _leaves(expression: Expression) -> Iterator[Atom]:
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, Atom):
            yield part
        elif isinstance(part, Not):
            stack.append(part.part)
        else:
            stack += reversed(part.parts)


def settle(expression: Expression, atom: Atom, answer: bool) -> Expression:
    """What is left once the atom's question is answered, here and wherever the same is asked."""
    return settle_all(expression, {atom.fact: answer})


def settle_all(expression: Expression, answers: Mapping[str, bool]) -> Expression:
    """What is left once these facts are known; a fact is `Atom.fact`."""
    if isinstance(expression, Atom):
        known = answers.get(expression.fact)
        return expression if known is None else HOLDS if known else FAILS
    if isinstance(expression, Not):
        return _not(settle_all(expression.part, answers))
    return _joined(type(expression), tuple(settle_all(part, answers) for part in expression.parts))


def simplify(expression: Expression) -> Expression:
    """The same truth in fewer words: no All in an All, no part twice, no double Not, no constants inside."""
    return settle_all(expression, {})


def _not(part: Expression) -> Expression:
    if isinstance(part, Not):
        return part.part
    return FAILS if part == HOLDS else HOLDS if part == FAILS else Not(part)


def _joined(kind: type[All] | type[Any], parts: tuple[Expression, ...]) -> Expression:
    """The parts joined; each is simple already."""
    neutral, final = (HOLDS, FAILS) if kind is All else (FAILS, HOLDS)
    # By what they ask: the same question raised in two places is one part. A dict keeps the order.
    kept: dict[object, Expression] = {}
    for part in parts:
        if part == final:
            return final
        if part == neutral:
            continue
        for inner in part.parts if isinstance(part, kind) else (part,):
            kept.setdefault(_sense(inner), inner)
    for part in kept.values():
        if isinstance(part, Not) and _sense(part.part) in kept:
            return final
    return next(iter(kept.values())) if len(kept) == 1 else kind(tuple(kept.values()))


def _sense(expression: Expression) -> object:
    if isinstance(expression, Atom):
        return expression.fact
    if isinstance(expression, Not):
        return Not, _sense(expression.part)
    return type(expression), tuple(map(_sense, expression.parts))


def status(expression: Expression) -> Status:
    """Whether the expression holds, fails, or is open still."""
    simple = simplify(expression)
    return "holds" if simple == HOLDS else "fails" if simple == FAILS else "open"


def evaluate(expression: Expression, answers: Mapping[str, bool]) -> bool:
    """The truth where every fact is known."""
    if isinstance(expression, Atom):
        return answers[expression.fact]
    if isinstance(expression, Not):
        return not evaluate(expression.part, answers)
    return (all if isinstance(expression, All) else any)(evaluate(part, answers) for part in expression.parts)


def most_decisive(*expressions: Expression) -> Atom | None:
    """The atom whose answer leaves the fewest atoms open, yes and no being equally likely; None if none is open.

    Several expressions are those of several answers: what one question settles in all of them counts. With more
    than 24 atoms the same is computed from the shape of the trees, exactly unless a question stands in them twice.
    """
    simple = [simplify(expression) for expression in expressions]
    found = {atom.fact: atom for expression in reversed(simple) for atom in reversed(atoms_of(expression))}
    candidates = list(found.values())[::-1]
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    if len(candidates) <= _FEW:
        return min(candidates, key=lambda atom: _left_open(simple, atom))
    settled: dict[str, int] = {}
    for expression in simple:
        _count_settled(expression, settled)
    return max(candidates, key=lambda atom: settled[atom.fact])


def _left_open(expressions: list[Expression], atom: Atom) -> int:
    return sum(
        len(atoms_of(settle(expression, atom, answer)))
        for expression in expressions
        for answer in (True, False)
    )


def _count_settled(expression: Expression, settled: dict[str, int], above: tuple[int, int] = (0, 0)) -> None:
    """Adds up, for each fact, how many atoms a yes and a no take away.

    `above` is how many atoms go if this part comes out true, and if it comes out false: all of those of the
    highest part that is decided by it, or only those of this part where that is 0.
    """
    if isinstance(expression, Atom):
        settled[expression.fact] = settled.get(expression.fact, 0) + sum(max(1, gone) for gone in above)
        return
    if isinstance(expression, Not):
        _count_settled(expression.part, settled, (above[1], above[0]))
        return
    size = len(atoms_of(expression))
    if_true, if_false = above
    # A part that is true decides an Any, and with it what that decides; of an All it takes only itself away.
    inside = (max(size, if_true), 0) if isinstance(expression, Any) else (0, max(size, if_false))
    for part in expression.parts:
        _count_settled(part, settled, inside)
