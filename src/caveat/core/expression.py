"""Conditions as logic: all of, any of, not, and the questions at the leaves."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

__all__ = ["FAILS", "HOLDS", "All", "Any", "Atom", "Expression", "Not", "atoms_of", "elements_of"]


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
