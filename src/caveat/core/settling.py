"""Settling answers: what is left of them once a condition's question is answered, and what to ask next.

It works on the records alone. The conditions of an answer are put back into `core.logic`, where the same question
is the same fact, settled there, and written down again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from caveat.core.answers import AllOf, Answer, AnyOf, Condition, Requirement
from caveat.core.errors import InputError
from caveat.core.logic import (
    FAILS,
    HOLDS,
    All,
    Any,
    Atom,
    Expression,
    Not,
    most_decisive,
    settle_all,
    simplify,
)


def question_of(condition: Condition) -> str:
    """What is asked for a condition: its question, or else its words with a question mark."""
    return condition.question or f"{condition.text.rstrip(' .。；;，,')}?"


def expression_of(answer: Answer) -> Expression:
    """What must hold for the answer; the atoms' elements are the numbers of its conditions."""

    def expression(part: Requirement) -> Expression:
        if isinstance(part, int):
            condition = answer.conditions[part]
            atom = Atom(condition.text, condition.question, part)
            return atom if condition.wanted else Not(atom)
        return (All if isinstance(part, AllOf) else Any)(tuple(map(expression, part.parts)))

    whole = AllOf(tuple(range(len(answer.conditions)))) if answer.requires is None else answer.requires
    return simplify(expression(whole))


def with_requirement(
    answer: Answer, expression: Expression, condition_of: Callable[[Atom], Condition]
) -> Answer:
    """The answer under an expression, a Not taken inside to the `wanted` of single conditions."""
    kept: dict[Condition, int] = {}

    def requirement(part: Expression, wanted: bool) -> Requirement:
        if isinstance(part, Atom):
            condition = msgspec.structs.replace(condition_of(part), wanted=wanted)
            return kept.setdefault(condition, len(kept))
        if isinstance(part, Not):
            return requirement(part.part, not wanted)
        parts = tuple(requirement(inner, wanted) for inner in part.parts)
        return AllOf(parts) if isinstance(part, All) == wanted else AnyOf(parts)

    whole = requirement(simplify(expression), True)
    plain = whole in (0, AllOf(tuple(range(len(kept)))))
    return msgspec.structs.replace(answer, conditions=tuple(kept), requires=None if plain else whole)


def open_conditions(answers: Iterable[Answer]) -> tuple[Condition, ...]:
    """The conditions that are open in any of the answers, each question once, the most decisive first.

    The first is the one to ask; the others follow as they would if nobody knew the answers to those before.
    """
    expressions: list[Expression] = []
    conditions: dict[str, Condition] = {}
    for answer in _every(answers):
        expressions.append(expression_of(answer))
        for condition in answer.conditions:
            conditions.setdefault(condition.fact, condition)
    found: list[Condition] = []
    while (atom := most_decisive(*expressions)) is not None:
        found.append(conditions[atom.fact])
        expressions = [_without(expression, atom.fact) for expression in expressions]
    return tuple(found)


def settle(
    answers: Sequence[Answer],
    unanswerable: float,
    condition: Condition | str,
    answer: bool,
    *,
    together: bool,
) -> tuple[tuple[Answer, ...], float]:
    """The answers, and the probability of none, once the condition's question is answered: see `Reply.settle`."""
    fact = condition.casefold() if isinstance(condition, str) else condition.fact
    if all(each.fact != fact for given in _every(answers) for each in given.conditions):
        name = condition if isinstance(condition, str) else condition.question or condition.text
        raise InputError(f"no open condition of the reply asks {name!r}")
    firm = [each for each in answers if not each.otherwise]
    left = [found for each in firm if (found := _settled(each, {fact: answer})) is not None]
    spare = [each for each in answers if each.otherwise]
    if any(not each.conditions for each in left) and not together:
        spare = []  # one of the others holds, whatever is open still
    elif not left:
        spare = [msgspec.structs.replace(each, otherwise=False) for each in spare]
    kept = [*left, *spare]
    if together or not kept:
        return tuple(kept), unanswerable if kept else 1.0
    # What is gone was one of the alternatives: the others share its probability as they share the rest.
    rest = 1.0 - (sum(each.score for each in answers) - sum(each.score for each in kept))
    share = 1.0 / rest if rest > 1e-9 else 1.0
    kept = [msgspec.structs.replace(each, score=min(1.0, each.score * share)) for each in kept]
    kept.sort(key=lambda each: -each.score)
    none = min(1.0, unanswerable * share)
    # Who answers a question gets one of the answers that are left: it was answered, and still is.
    was_answered = unanswerable <= max(each.score for each in answers)
    return tuple(kept), min(none, kept[0].score) if was_answered else none


def _settled(answer: Answer, known: Mapping[str, bool]) -> Answer | None:
    """The answer with what is left of its conditions, and of its parts'; None where it cannot hold."""
    expression = expression_of(answer)
    left = settle_all(expression, known)
    if left == FAILS:
        return None
    parts = tuple(found for part in answer.parts if (found := _settled(part, known)) is not None)
    if answer.parts and not parts and any(part.conditions for part in answer.parts) and not answer.conditions:
        return None  # nothing of what the answer is made of holds
    answer = msgspec.structs.replace(answer, parts=parts)
    if left == expression:
        return answer
    if left == HOLDS:
        return msgspec.structs.replace(answer, conditions=(), requires=None)
    return with_requirement(answer, left, lambda atom: answer.conditions[atom.element])


def _without(expression: Expression, fact: str) -> Expression:
    """The expression as far as it does not ask for this."""
    if isinstance(expression, Atom):
        return HOLDS if expression.fact == fact else expression
    if isinstance(expression, Not):
        part = _without(expression.part, fact)
        return HOLDS if part == HOLDS else Not(part)
    parts = tuple(left for part in expression.parts if (left := _without(part, fact)) != HOLDS)
    return type(expression)(parts) if parts else HOLDS


def _every(answers: Iterable[Answer]) -> Iterator[Answer]:
    for answer in answers:
        yield answer
        yield from _every(answer.parts)
