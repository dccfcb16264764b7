"""Settling: one by one in any order is the same as all at once, and no simplification changes the truth."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.core.logic import (
    FAILS,
    HOLDS,
    All,
    Any,
    Atom,
    Expression,
    Not,
    atoms_of,
    elements_of,
    evaluate,
    most_decisive,
    settle,
    settle_all,
    simplify,
    status,
)
from caveat.core.records import from_json, to_json

A, B, C, D = (Atom(name, f"Is it {name}?", number) for number, name in enumerate("abcd"))

EXPRESSIONS = st.recursive(
    st.sampled_from((A, B, C, D, HOLDS, FAILS)),
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(All, st.lists(inner, max_size=4).map(tuple)),
        st.builds(Any, st.lists(inner, max_size=4).map(tuple)),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS, st.permutations((A, B, C, D)), st.lists(st.booleans(), min_size=4, max_size=4))
def test_settled_one_by_one_is_evaluated_at_once(
    expression: Expression, order: list[Atom], answers: list[bool]
) -> None:
    known = {atom.fact: answer for atom, answer in zip(order, answers, strict=True)}
    left = expression
    for atom in order:
        left = settle(left, atom, known[atom.fact])
    assert status(left) == ("holds" if evaluate(expression, known) else "fails")
    assert left in (HOLDS, FAILS)


@given(EXPRESSIONS)
def test_simplifying_never_changes_the_truth(expression: Expression) -> None:
    simple = simplify(expression)
    for answers in product((True, False), repeat=4):
        known = {atom.fact: answer for atom, answer in zip((A, B, C, D), answers, strict=True)}
        assert evaluate(simple, known) == evaluate(expression, known)
    assert simplify(simple) == simple
    assert set(atoms_of(simple)) <= set(atoms_of(expression))


@given(EXPRESSIONS, st.sampled_from((A, B, C, D)), st.booleans())
def test_what_is_settled_is_not_asked_again(expression: Expression, atom: Atom, answer: bool) -> None:
    assert atom not in atoms_of(settle(expression, atom, answer))


@pytest.mark.parametrize(
    ("expression", "simple"),
    [
        (All((A, All((B, A)))), All((A, B))),
        (Any((A, Not(A))), HOLDS),
        (All((Not(Not(A)), HOLDS)), A),
        (All((A, Any((B, HOLDS)))), A),
        (Not(All(())), FAILS),
        (Any((All((A, B)), FAILS)), All((A, B))),
    ],
)
def test_simple_forms(expression: Expression, simple: Expression) -> None:
    assert simplify(expression) == simple


def test_the_same_question_in_two_places_is_settled_in_both() -> None:
    here, there = Atom("you rent", "Do you rent?", 3), Atom("you do not rent", "Do you rent?", 9)
    expression = All((here, Any((Not(there), A))))
    assert settle(expression, there, True) == A
    assert settle(expression, there, False) == FAILS
    assert elements_of(expression) == (0, 3, 9)
    assert atoms_of(expression) == (here, A)


def brute_force(*expressions: Expression) -> set[str]:
    """The facts whose answer leaves the fewest atoms open on average."""
    left = {
        atom.fact: sum(
            len(atoms_of(settle(each, atom, answer))) for each in expressions for answer in (True, False)
        )
        for expression in expressions
        for atom in atoms_of(simplify(expression))
    }
    return {fact for fact, count in left.items() if count == min(left.values())}


@given(st.lists(EXPRESSIONS, min_size=1, max_size=3))
def test_the_most_decisive_atom_leaves_the_fewest_open(expressions: list[Expression]) -> None:
    expressions = [simplify(expression) for expression in expressions]
    found = most_decisive(*expressions)
    assert (found is None) == all(status(expression) != "open" for expression in expressions)
    if found is not None:
        assert found.fact in brute_force(*expressions)


def test_one_no_settles_all_of_and_one_yes_any_of() -> None:
    # c decides the whole with a no; a and b only with both.
    assert most_decisive(All((Any((A, B)), C))) == C
    assert most_decisive(Any((All((A, B)), C))) == C
    assert most_decisive(A, All((A, B))) == A
    assert most_decisive(HOLDS) is None


def test_large_trees_are_asked_by_their_shape() -> None:
    many = tuple(Atom(f"part {n}", f"Is it part {n}?") for n in range(60))
    gate = Atom("the gate", "Is the gate open?")
    expression = All((Any(many), gate))
    assert most_decisive(expression) == gate
    assert brute_force(expression) == {gate.fact}
    assert most_decisive(Any((All(many), gate))) == gate
    assert most_decisive(Not(Any((All(many), Not(gate))))) == gate


def test_expressions_go_to_json_and_back() -> None:
    expression = All((A, Not(Any((B, C)))))
    assert from_json(to_json(expression), All) == expression
    assert settle_all(expression, {A.fact: True, B.fact: True}) == FAILS
