"""The tree of a reply: what it holds, its JSON, and what is left of it once something is known."""

from __future__ import annotations

from caveat.core.answers import AllOf, Answer, AnyOf, Cells, Condition, Place, Requirement
from caveat.core.records import Question, Reply, Table, from_json, to_json
from caveat.render.answer_tree import answer_tree, with_tree
from caveat.render.tree import AnswerTree, Branch, Group, Piece, ReplyWithTree, settled_tree
from caveat.sources.plain_text import parse_plain_text

RULES = parse_plain_text("You pay 40 euros if you row. You pay 25 euros if you swim. Guests pay nothing.")
ROW, SWIM = Condition("you row", question="Do you row?"), Condition("you swim", question="Do you swim?")
SMOKE = Condition("you smoke", question="Do you smoke?", wanted=False)


def place(words: str) -> Place:
    start = RULES.text.index(words)
    return Place("rules.txt", start, start + len(words))


def marked(condition: Condition) -> Condition:
    return Condition(condition.text, place(condition.text), condition.question, condition.wanted)


def fees(*, together: bool = False) -> Reply:
    answers = (
        Answer("40 euros", "span", 0.5, place("40 euros"), (marked(ROW),)),
        Answer("25 euros", "span", 0.4, place("25 euros"), (marked(SWIM),), (place("Guests pay nothing."),)),
        Answer("nothing", "span", 0.001, place("nothing")),
    )
    return Reply(Question("What do I pay?"), answers, 0.05, together=together)


def settled(tree: AnswerTree, reply: Reply, condition: Condition, answer: bool) -> tuple[AnswerTree, Reply]:
    left = reply.settle(condition, answer)
    return settled_tree(tree, left, condition.fact, answer), left


def labels(tree: AnswerTree) -> dict[str, str]:
    """The label of each span that is marked."""
    return {RULES.text[mark.start : mark.end]: mark.label for mark in tree.marks.get("rules.txt", ())}


def checklist(requires: Requirement | None, *conditions: Condition) -> tuple[Group, ...]:
    answer = Answer("yes", "yes", 0.5, conditions=conditions, requires=requires)
    return answer_tree(Reply(Question("Can I?"), (answer,)), {}).branches[0].checklist


def test_an_answer_has_its_sentence_its_mark_and_its_evidence() -> None:
    tree = answer_tree(fees(), {"rules.txt": RULES})
    second = tree.branches[1].answers[0]
    assert second.quote is not None
    assert second.quote.pieces == (
        Piece("You pay "),
        Piece("25 euros", True),
        Piece(" if you swim."),
    )
    assert [evidence.place for evidence in second.evidence] == [place("Guests pay nothing.")]
    assert labels(tree) == {
        "40 euros": "A→1",
        "you row": "A",
        "25 euros": "B→2",
        "you swim": "B",
        "Guests pay nothing.": "2*",
        "nothing": "3",
    }
    assert [mark.label for mark in tree.marks["rules.txt"] if mark.faint] == ["3"]
    assert not tree.not_answered.first


def test_conditions_are_in_groups() -> None:
    assert checklist(None, ROW) == (Group("if", (0,)),)
    assert checklist(None, ROW, SMOKE, SWIM) == (Group("if all", (0, 2)), Group("unless", (1,)))
    assert checklist(AnyOf((0, 1)), ROW, SWIM) == (Group("if any", (0, 1)),)
    assert checklist(AllOf((0, AnyOf((1, 2)))), ROW, SWIM, SMOKE) == (
        Group("if all", (0, Group("any", (1, 2)))),
    )
    assert checklist(None, SMOKE, Condition("you drink", wanted=False)) == (Group("unless any", (0, 1)),)


def test_what_is_left_keeps_its_labels_and_says_what_became_of_its_conditions() -> None:
    reply = fees()
    tree, reply = settled(answer_tree(reply, {"rules.txt": RULES}), reply, ROW, False)
    (branch,) = tree.branches
    assert [node.label for node in branch.answers] == ["2"]
    assert branch.conditions[0].state == "open"
    assert not branch.met
    assert branch.answers[0].score == reply.answers[0].score
    assert labels(tree).keys() == {"25 euros", "you swim", "Guests pay nothing.", "nothing"}
    tree, reply = settled(tree, reply, SWIM, True)
    (branch,) = tree.branches
    assert (branch.met, branch.conditions[0].state) == (True, "yes")


def test_what_no_longer_matters_is_moot() -> None:
    answer = Answer("yes", "yes", 0.6, conditions=(ROW, SWIM, SMOKE), requires=AllOf((AnyOf((0, 1)), 2)))
    reply = Reply(Question("Can I?"), (answer, Answer("no", "no", 0.3, otherwise=True)), 0.1)
    tree, reply = settled(answer_tree(reply, {}), reply, ROW, True)
    assert [condition.state for condition in tree.branches[0].conditions] == ["yes", "moot", "open"]
    tree, reply = settled(tree, reply, SMOKE, True)
    (branch,) = tree.branches
    assert [(node.text, node.otherwise) for node in branch.answers] == [("no", False)]


def test_answers_in_one_place_are_told_apart_by_their_conditions() -> None:
    answers = tuple(Answer("pay", "span", 0.5, place("pay"), (each,)) for each in (ROW, SWIM))
    reply = Reply(Question("What?"), answers, together=True)
    tree = answer_tree(reply, {"rules.txt": RULES})
    for condition, label in ((ROW, "2"), (SWIM, "1")):
        left, _ = settled(tree, reply, condition, False)
        (branch,) = left.branches
        assert [node.label for node in branch.answers] == [label]


def test_answers_that_hold_together_come_with_their_sentences() -> None:
    tree = answer_tree(fees(together=True), {"rules.txt": RULES})
    (passage,) = tree.passages
    texts = ["".join(piece.text for piece in quote.pieces) for quote in passage.quotes]
    assert texts == ["You pay 40 euros if you row.", "You pay 25 euros if you swim.", "Guests pay nothing."]
    assert [bool(branch.conditions) for branch in tree.branches] == [False, True, True]
    assert tree.improbable == ()


def test_cells_that_are_the_answer_and_cells_that_it_was_computed_from() -> None:
    table = Table(("town", "people"), (("Aville", "120"), ("Betown", "75")), id="towns")

    def mark(text: str, cells: Cells) -> tuple[object, ...]:
        reply = Reply(Question("?"), (Answer(text, "table", 0.9, Place("towns"), cells=cells),))
        (found,) = answer_tree(reply, {}, {"towns": table}).cells["towns"]
        return found.answers, found.used, found.shows, found.whole

    one = Cells("cell", (1, 0), (1,), ("people", "town"), (("75", "Betown"),))
    assert mark("75", one) == (((1, 1),), (), ((1, 0),), False)
    total = Cells("computed", (1,), (0, 1), ("people",), (("120",), ("75",)))
    assert mark("195", total) == ((), ((0, 1), (1, 1)), (), False)
    assert mark("towns", Cells("table", (0,), (0,), ("town",), (("Aville",),))) == ((), (), (), True)


def test_the_tree_is_json_and_a_reply_with_it_is_a_reply() -> None:
    reply = fees(together=True)
    told = with_tree(reply, {"rules.txt": RULES})
    assert from_json(to_json(told), ReplyWithTree) == told
    assert from_json(to_json(told), Reply) == reply
    assert all(isinstance(branch, Branch) for branch in told.tree.branches) if told.tree else False
