"""The logic of short pages: all of, any of, none of, unless, except, only, nested, with the questions they raise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.conditions.rules import rules_of
from caveat.answerers.documents.conditions.statement import Rule
from caveat.core.logic import All, Atom, Expression, Not, atoms_of
from caveat.core.records import from_json, to_json
from caveat.sources.markdown import parse_markdown

Shape = object


def shape(expression: Expression) -> Shape:
    """An expression as plain words: a question, ("not", …), ("all", …) or ("any", …)."""
    if isinstance(expression, Atom):
        return expression.question
    if isinstance(expression, Not):
        return ("not", shape(expression.part))
    return ("all" if isinstance(expression, All) else "any", *map(shape, expression.parts))


def rules(text: str) -> tuple[Rule, ...]:
    return rules_of(parse_markdown(text))


def only(text: str) -> Rule:
    found = rules(text)
    assert len(found) == 1, found
    return found[0]


def items(introduction: str, *items: str) -> str:
    return "\n".join((introduction, "", *(f"- {item}" for item in items)))


SINGLE = [
    ("You can row if you have a boat.", "Do you have a boat?"),
    ("If you have a boat, you can row.", "Do you have a boat?"),
    ("If you have a boat you can row.", "Do you have a boat?"),
    ("You can row as long as you have a boat.", "Do you have a boat?"),
    ("You can row provided you have a boat.", "Do you have a boat?"),
    ("You can only row when you have a boat.", "Do you have a boat?"),
    ("You can row unless you have a cold.", ("not", "Do you have a cold?")),
    ("You can row, except if you have a cold.", ("not", "Do you have a cold?")),
    ("You can row (unless you have a cold).", ("not", "Do you have a cold?")),
    ("You can row if you do not have a cold.", ("not", "Do you have a cold?")),
    ("You must be over 18.", "Are you over 18?"),
    ("To row, you must not be under 18.", ("not", "Are you under 18?")),
    ("You need to have a ticket.", "Do you have a ticket?"),
    ("You can row if you own a boat and you are well.", ("all", "Do you own a boat?", "Are you well?")),
    ("You can row if you own a boat and have a key.", ("all", "Do you own a boat?", "Do you have a key?")),
    ("You can row if you own a boat or you rent one.", ("any", "Do you own a boat?", "Do you rent one?")),
    ("You can row if you are single or widowed.", "Are you single or widowed?"),
    (
        "You can row if you own a boat, unless it leaks.",
        ("all", "Do you own a boat?", ("not", "Does it leak?")),
    ),
    (
        "If you own a boat, you can row if you are well.",
        ("all", "Do you own a boat?", "Are you well?"),
    ),
    (
        "You must be a member unless you are a guest.",
        ("any", "Are you a guest?", "Are you a member?"),
    ),
    (
        "You must be well, and your boat must be dry.",
        ("all", "Are you well?", "Is your boat dry?"),
    ),
    ("In Brookshire, you can row on Sundays.", "Are you in Brookshire?"),
    ("For a long boat you must have two oars.", None),
]


@pytest.mark.parametrize(("sentence", "expected"), SINGLE)
def test_a_sentence_has_its_condition(sentence: str, expected: Shape) -> None:
    if expected is None:
        expected = ("any", ("not", "Is this for a long boat?"), "Do you have two oars?")
    assert shape(only(sentence).condition) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "You can row even if you have a cold.",
        "Check if you can row.",
        "Ask us if necessary.",
        "You can row when it is warm.",
        "The boats are provided by the club.",
        "You must tell the club.",
        "Your landlord must give you a key.",
        "It does not matter if you have a cold.",
        "You may have to pay.",
        "Contact us if you’re not sure.",
        "A boat is a boat.",
    ],
)
def test_other_sentences_have_none(sentence: str) -> None:
    assert rules(sentence) == ()


def test_the_consequence_is_known_with_its_place() -> None:
    document = parse_markdown("It rains. If you have a boat, you cannot stay here.")
    (rule,) = rules_of(document)
    assert (rule.kind, rule.element, rule.denies, rule.binds) == ("if", 0, True, True)
    assert rule.consequence == document.text[rule.start : rule.end] == "you cannot stay here."
    (atom,) = atoms_of(rule.condition)
    assert atom.text == document.text[atom.start : atom.end] == "you have a boat"


def test_only_if_binds_and_if_does_not() -> None:
    assert only("You can only row if you have a boat.").binds
    assert only("You can row only if you have a boat.").binds
    assert not only("You can row if you have a boat.").binds


LISTS = [
    ("You can row if all of the following apply:", "all"),
    ("You can row if both of these apply:", "all"),
    ("You can row if any of the following apply:", "any"),
    ("You can row if either:", "any"),
    ("You can row if one of the following applies:", "any"),
    ("You can row if at least one of these is true:", "any"),
    ("All of the following must apply:", "all"),
    ("One of the following must apply:", "any"),
    ("You qualify if:", "all"),
    ("You will not be charged if:", "all"),
    ("You may be charged if:", "any"),
    ("You cannot row if:", "any"),
]


@pytest.mark.parametrize(("introduction", "kind"), LISTS)
def test_a_list_is_all_or_any_of_its_items(introduction: str, kind: str) -> None:
    rule = only(items(introduction, "you are well", "it rains"))
    assert shape(rule.condition) == (kind, "Are you well?", "Does it rain?")
    assert rule.governs == (0, 1, 2)
    assert [atom.element for atom in atoms_of(rule.condition)] == [1, 2]


def test_none_of_and_unless_lists_deny() -> None:
    cold, wet = "Are you cold?", "Are you wet?"
    none = ("not", ("any", cold, wet))
    listed = ("you’re cold", "you’re wet")
    assert shape(only(items("You can row if none of the following apply:", *listed)).condition) == none
    assert shape(only(items("You can row unless any of these apply:", *listed)).condition) == none
    assert shape(only(items("You can row unless you are:", "cold", "wet")).condition) == none
    assert shape(only(items("You can row except if you’re:", "cold", "wet")).condition) == none
    assert shape(only(items("You can row if you’re not:", "cold", "wet")).condition) == (
        "all",
        ("not", cold),
        ("not", wet),
    )


def test_the_ends_of_the_items_say_it() -> None:
    first, last = "Are you well?", "Do you own a boat?"
    assert shape(only(items("You can row if:", "you are well; and", "you own a boat")).condition) == (
        "all",
        first,
        last,
    )
    assert shape(only(items("You qualify if:", "you are well, or", "you own a boat")).condition) == (
        "any",
        first,
        last,
    )


def test_what_must_be_is_all_of_it() -> None:
    rule = only(items("To join the club, you must:", "be over 18", "live in Brookshire", "not smoke"))
    assert (rule.kind, rule.binds, rule.consequence) == ("must", True, "join the club")
    assert shape(rule.condition) == (
        "all",
        "Are you over 18?",
        "Do you live in Brookshire?",
        ("not", "Do you smoke?"),
    )
    either = only(items("You must be either:", "a member", "a guest"))
    assert shape(either.condition) == ("any", "Are you a member?", "Are you a guest?")


def test_steps_are_no_conditions() -> None:
    assert rules(items("You must:", "tell the club", "send a photo")) == ()
    assert rules(items("You must include:", "your name", "your address")) == ()
    assert rules(items("Follow these steps if you own a boat:", "Wash it.", "Dry it.")) != ()
    assert (
        shape(only(items("Follow these steps if you own a boat:", "Wash it.")).condition)
        == "Do you own a boat?"
    )


def test_an_item_has_conditions_of_its_own() -> None:
    rule = only(
        items(
            "You will not get a boat if:",
            "your savings are over £500 - unless you row every day",
            "you’re a guest (unless you’re also a member)",
            "you own a boat and it floats",
        )
    )
    assert rule.denies
    assert shape(rule.condition) == (
        "any",
        ("all", "Are your savings over £500?", ("not", "Do you row every day?")),
        ("all", "Are you a guest?", ("not", "Are you a member?")),
        ("all", "Do you own a boat?", "Does it float?"),
    )
    demand = only(items("You must:", "be well", "have a key, if you row at night"))
    assert shape(demand.condition) == (
        "all",
        "Are you well?",
        ("any", ("not", "Do you row at night?"), "Do you have a key?"),
    )


def test_what_stands_before_the_list_is_a_condition_too() -> None:
    rule = only(items("You may row if you’re 17 and either:", "a member", "a guest of one"))
    assert shape(rule.condition) == (
        "all",
        "Are you 17?",
        ("any", "Are you a member?", "Are you a guest of one?"),
    )
    caused = only(items("You can claim if you are ill because either:", "you fell in", "you drank from it"))
    assert shape(caused.condition) == (
        "all",
        "Are you ill?",
        ("any", "Did you fall in?", "Did you drink from it?"),
    )


def test_lists_stand_in_lists() -> None:
    text = (
        "You can row if all of the following apply:\n\n- you are well\n- your boat is either:\n"
        "  - new\n  - dry and both:\n    - painted\n    - named\n- you have a key\n"
    )
    rule = only(text)
    assert shape(rule.condition) == (
        "all",
        "Are you well?",
        (
            "any",
            "Is your boat new?",
            ("all", "Is your boat dry?", "Is your boat painted?", "Is your boat named?"),
        ),
        "Do you have a key?",
    )
    assert rule.governs == (0, 1, 2, 3, 4, 5, 6, 7)


def test_consequences_in_a_list_share_its_condition() -> None:
    rule = only(items("If you own a boat, you can get:", "a mooring", "two oars"))
    assert shape(rule.condition) == "Do you own a boat?"
    assert rule.governs == (0, 1, 2)
    # Items may add their own.
    first, second = rules(items("You can get up to:", "£5 if you row", "£9 if you sail"))
    assert (shape(first.condition), first.consequence, first.governs) == ("Do you row?", "£5", (1,))
    assert (shape(second.condition), second.consequence, second.governs) == ("Do you sail?", "£9", (2,))


def test_items_that_say_for_which_case_they_are() -> None:
    first, second = rules(items("Write to:", "the club for long boats", "the council for others"))
    assert (shape(first.condition), first.consequence) == ("Is this for long boats?", "the club")
    assert (shape(second.condition), second.consequence) == ("Is this for others?", "the council")


def test_lists_of_what_is_out_and_of_all_that_is_in() -> None:
    out = only(items("You cannot claim for:", "oars", "ropes"))
    assert (out.denies, out.binds) == (True, True)
    assert shape(out.condition) == ("any", "Do you claim for oars?", "Do you claim for ropes?")
    within = only(items("You can only claim for:", "oars", "ropes"))
    assert (within.denies, within.binds) == (False, True)
    assert shape(within.condition) == shape(out.condition)


def test_another_way_joins_the_one_before() -> None:
    first, second = rules("You must be a member.\n\nYou may also qualify if you are a guest.\n")
    assert shape(first.condition) == ("any", "Are you a member?", "Are you a guest?")
    assert shape(second.condition) == "Are you a guest?"
    # Under another heading it is about something else.
    first, _ = rules("You must be a member.\n\n# Guests\n\nYou may also qualify if you are a guest.\n")
    assert shape(first.condition) == "Are you a member?"


def test_what_a_short_denial_leaves_out_is_the_demand_before() -> None:
    first, second = rules("You must have a key. You need a guide if you do not.")
    assert shape(first.condition) == "Do you have a key?"
    assert shape(second.condition) == ("not", "Do you have a key?")


def test_headings_and_rows_are_cases() -> None:
    heading, row, other = rules(
        "## If you row at night\n\nBring a lamp.\n\n| Age | Fee |\n| --- | --- |\n| 5 | £1 |\n| 6 | £2 |"
    )
    assert (heading.kind, shape(heading.condition)) == ("heading", "Do you row at night?")
    assert heading.governs == (1, 2, 3, 4)
    assert (row.kind, row.consequence, row.governs) == ("row", "£1", (3,))
    assert shape(row.condition) == 'Does this apply: "Age: 5"?'
    assert other.consequence == "£2"


def test_a_heading_of_one_word_is_no_case() -> None:
    assert rules("# If\n\nBring a lamp.") == ()


def test_rules_go_to_json_and_back() -> None:
    rule = only("You can row if you own a boat, unless it leaks.")
    assert from_json(to_json(rule), Rule) == rule


WORDS = (
    "you", "You", "your", "can", "cannot", "must", "if", "If", "unless", "only", "all of the following", "either:",
    "and", "or", "not", "have", "own", "a boat", "(", ")", ",", ".", ":", "-", "\n", "\n\n- ", "\n  - ", "\n\n# ",
)  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_every_atom_is_the_text_where_it_says_it_stands(text: str) -> None:
    document = parse_markdown(text)
    for rule in rules_of(document):
        assert set(rule.governs) <= set(range(len(document.elements)))
        for atom in atoms_of(rule.condition):
            element = document.elements[atom.element]
            assert atom.text == document.text[atom.start : atom.end]
            assert element.start <= atom.start <= atom.end <= element.end
            assert atom.question.endswith("?")
