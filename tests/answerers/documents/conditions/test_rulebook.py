"""What governs an element, settled step by step as an asker would."""

from __future__ import annotations

from collections.abc import Iterator

from caveat.answerers.documents.conditions.entailment import settle_by_scenario
from caveat.answerers.documents.conditions.rules import Rulebook
from caveat.core.logic import All, Atom, Expression, Not, atoms_of, most_decisive, settle, simplify, status
from caveat.core.records import Document
from caveat.sources.html import parse_html

DOCUMENT = parse_html(
    """<title>Garden grant</title><main><h1>Garden grant</h1>
    <p>You can get £300 a year.</p>
    <h2>Who can get it</h2>
    <p>You can get the grant if all of the following apply:</p>
    <ul><li>you’re over 18</li><li>you rent your home</li>
    <li>your garden is either:<ul><li>bigger than a tennis court</li><li>shared with a neighbour</li></ul></li></ul>
    <p>You cannot get the grant if you’ve had one before, unless you’ve moved since.</p>
    <h3>If you keep bees</h3>
    <p>You must have a hive.</p>
    <h2>How to apply</h2>
    <p>Write to the office.</p></main>"""
)


def index(document: Document, text: str) -> int:
    return next(number for number, element in enumerate(document.elements) if element.text.startswith(text))


def atom(expression: Expression, question: str) -> Atom:
    return next(atom for atom in atoms_of(expression) if atom.question == question)


def governing(document: Document, element: int) -> Expression | None:
    return Rulebook(document).governing(element)


def lines(expression: Expression) -> list[str]:
    """The questions with the answers that are wanted; all of them, but where "any of" stands one of those under it."""
    return list(_lines(simplify(expression), "", True))


def _lines(expression: Expression, indent: str, wanted: bool) -> Iterator[str]:
    if isinstance(expression, Atom):
        yield f"{indent}{expression.question} {'yes' if wanted else 'no'}"
    elif isinstance(expression, Not):
        yield from _lines(expression.part, indent, not wanted)
    else:
        every = isinstance(expression, All) == wanted
        if indent or not every:
            yield indent + ("all of" if every else "any of")
            indent += "  "
        for part in expression.parts:
            yield from _lines(part, indent, wanted)


def test_an_answer_needs_all_that_binds_over_it_and_under_it() -> None:
    found = governing(DOCUMENT, index(DOCUMENT, "You can get £300"))
    assert found is not None
    assert lines(found) == [
        "Are you over 18? yes",
        "Do you rent your home? yes",
        "any of",
        "  Is your garden bigger than a tennis court? yes",
        "  Is your garden shared with a neighbour? yes",
        "any of",
        "  Have you had one before? no",
        "  Have you moved since? yes",
        "any of",
        "  Do you keep bees? no",
        "  Do you have a hive? yes",
    ]


def test_each_element_has_its_own() -> None:
    book = Rulebook(DOCUMENT)
    # Beside the section, nothing of it governs.
    assert book.governing(index(DOCUMENT, "Write to the office")) is None
    # A denial needs what it says, and nothing else.
    denial = book.governing(index(DOCUMENT, "You cannot get"))
    assert denial is not None
    assert lines(denial) == ["Have you had one before? yes", "Have you moved since? no"]
    # Under a heading that is a case, the case is a condition.
    hive = book.said_of(index(DOCUMENT, "You must have a hive"))
    assert hive is not None
    assert lines(hive) == ["Do you keep bees? yes", "Do you have a hive? yes"]


def test_an_if_in_another_sentence_is_said_of_what_it_speaks_of() -> None:
    document = parse_html(
        "<main><h1>Solar panels</h1><p>Panels cost £5,000. You get a grant of £900 if you own your home. "
        "It is paid in May if you apply by March. They last 25 years.</p></main>"
    )
    book, element = Rulebook(document), index(document, "Panels cost")
    own, paid = "Do you own your home? yes", "Do you apply by March? yes"

    def said_at(text: str) -> list[str]:
        found = book.said_of(element, document.text.index(text))
        return [] if found is None else lines(found)

    # "It" goes on about the sentence before it; of what stands behind an "if" that "if" does not speak.
    assert said_at("£5,000") == []
    assert said_at("£900") == [own, paid]
    assert said_at("May") == [paid]
    assert said_at("25 years") == []
    # What the condition itself says holds without it.
    assert said_at("March") == []
    everything = book.said_of(element)
    assert everything is not None
    assert lines(everything) == [own, paid]


def test_an_asker_settles_it() -> None:
    left = governing(DOCUMENT, index(DOCUMENT, "You can get £300"))
    assert left is not None
    left = settle_by_scenario(left, "I am 34 and I rent my home. I do not keep bees.")
    assert lines(left) == [
        "any of",
        "  Is your garden bigger than a tennis court? yes",
        "  Is your garden shared with a neighbour? yes",
        "any of",
        "  Have you had one before? no",
        "  Have you moved since? yes",
    ]
    first = most_decisive(left)
    assert first is not None
    left = settle(left, atom(left, "Is your garden shared with a neighbour?"), True)
    left = settle(left, atom(left, "Have you had one before?"), True)
    assert lines(left) == ["Have you moved since? yes"]
    assert status(left) == "open"
    assert status(settle(left, atom(left, "Have you moved since?"), True)) == "holds"
    assert status(settle(left, atom(left, "Have you moved since?"), False)) == "fails"


def test_a_page_without_rules_or_headings() -> None:
    document = parse_html("<p>It rains.</p><p>You must be well.</p><p>It snows.</p>")
    assert governing(document, 0) == governing(document, 2) != None  # noqa: E711
    assert governing(parse_html("<p>It rains.</p>"), 0) is None


def test_of_a_sentence_only_its_own_demands_count() -> None:
    document = parse_html(
        "<p>Hours that you work more never expire. You need to be approved by your manager beforehand. "
        "You are paid if you leave early.</p>"
    )
    book = Rulebook(document)
    text = document.text
    assert book.said_of(0, text.index("never")) is None
    paid = book.said_of(0, text.index("are paid"))
    assert paid is not None
    assert lines(paid) == ["Do you leave early? yes"]
