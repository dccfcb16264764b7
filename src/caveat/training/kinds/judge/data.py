"""Statements to judge by what an asker has said: so, not so, or open; from ShARC's dialogues and ConditionalQA.

ShARC says it itself: a follow-up question whose answer the annotators found in the scenario is settled, one that was
asked all the same is open. ConditionalQA says it through its answers. What is listed as a condition of an answer is
open; what the other evidences require then follows from the answer: of a rule that leads to it, all that must hold
holds. A question that is answered with yes or no is a statement of its own kind: its evidences are the text, yes is
"so", no is "not so", and evidences of other questions say neither.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from caveat.answerers.documents.conditions.entailment import Judgement
from caveat.answerers.documents.conditions.rules import rules_of
from caveat.answerers.documents.conditions.statement import Rule
from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, ConditionalQuestion, page_document
from caveat.benchmarks.sharc import data_set as sharc
from caveat.benchmarks.sharc.data_set import SharcUtterance
from caveat.core.logic import All, Any, Atom, Expression, Not
from caveat.models.judge import premise_of, yes_no_premise
from caveat.training.kinds.judge.judgements import JudgementFormat, Label, read_pairs
from caveat.training.sampling import fold_of

Purpose = Literal["condition", "answer"]
StatementFormat = Literal["sharc", "conditionalqa"] | JudgementFormat

_MOST_DISTRACTORS = 3


class JudgeDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file with statements to judge, and how much of it an epoch takes."""

    path: str
    format: StatementFormat
    # Passes over the set in an epoch: 2 takes each statement twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Judgements of texts: the share of statements that are asked as questions, and how many pairs with a text of
    # another example come to each pair.
    asked: float = 0.0
    foreign: float = 0.0
    # Texts that are asked about by their own words: those whose path has one of these are left out.
    without: tuple[str, ...] = ()
    # Whether the recipe's fold is kept out of training and measured on.
    held_out: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"


class Statement(msgspec.Struct, frozen=True):
    """A statement, by which premise it is judged, and how; `source` is the rule text or page that it belongs to.

    `scenario` is what stands in the premise without question and mark.
    """

    premise: str
    statement: str
    label: Label
    purpose: Purpose
    source: str
    scenario: str = ""

    def fold(self, folds: int) -> int:
        """The fold of its source."""
        return fold_of(self.source, folds)


def read_statements(
    format: StatementFormat,
    path: Path,
    seed: int,
    *,
    asked: float = 0.0,
    foreign: float = 0.0,
    without: tuple[str, ...] = (),
) -> list[Statement]:
    """All statements of a file; the seed draws those that belong to other questions."""
    if format == "sharc":
        return sharc_statements(sharc.read(path))
    if format == "conditionalqa":
        return conditionalqa_statements(conditionalqa.read(path), seed)
    pairs = read_pairs(format, path, seed, asked=asked, foreign=foreign, without=without)
    return [Statement(pair.judged, pair.text, pair.label, "answer", pair.source) for pair in pairs]


def sharc_statements(utterances: Iterable[SharcUtterance]) -> list[Statement]:
    """Every follow-up question to a scenario once: settled by it, or asked back all the same."""
    settled: dict[tuple[str, str, str], Judgement] = {}
    asked: dict[tuple[str, str, str], str] = {}
    for utterance in utterances:
        if not utterance.scenario.strip():
            continue
        place = utterance.snippet, utterance.scenario
        for evidence in utterance.evidence:
            yes = evidence.answer.strip().casefold() == "yes"
            settled[*place, evidence.question] = "entailed" if yes else "contradicted"
        again = () if utterance.answer in ("", "Yes", "No", "Irrelevant") else (utterance.answer,)
        for question in (*(each.question for each in (*utterance.evidence, *utterance.history)), *again):
            asked.setdefault((*place, question), utterance.question)
    return [
        Statement(premise_of(question, key[1]), key[2], settled.get(key, "open"), "condition", key[0], key[1])
        for key, question in asked.items()
    ]


def conditionalqa_statements(questions: Sequence[ConditionalQuestion], seed: int) -> list[Statement]:
    """The conditions of every question and, where it is answered with yes or no, its evidences as a text."""
    draw = random.Random(f"statements {seed}")
    by_page: dict[str, list[ConditionalQuestion]] = {}
    for question in questions:
        by_page.setdefault(question.url, []).append(question)
    found: list[Statement] = []
    for question in questions:
        conditions = list(_conditions(question))
        others = [other for other in by_page[question.url] if other is not question]
        elsewhere = draw.choice(questions)
        found += conditions
        # What another page asks for is open, however much the asker has said.
        if conditions and elsewhere.url != question.url and (asked := list(_conditions(elsewhere))):
            found.append(
                msgspec.structs.replace(conditions[0], statement=draw.choice(asked).statement, label="open")
            )
        found += _yes_no(question, others, elsewhere, draw)
    return found


def _conditions(question: ConditionalQuestion) -> Iterator[Statement]:
    """Each atom of the evidences' rules once, as its question and in the words of the page."""
    wanted = {condition for answer in question.answers for condition in answer.conditions}
    page = page_document(ConditionalDocument("", question.url, question.evidences))
    open_elements = {at for at, text in enumerate(question.evidences) if text in wanted}
    rules = rules_of(page)
    judged: dict[str, Judgement] = {}
    for rule in rules:
        for atom, holds in _implied(rule.condition, _follows(rule, question), open_elements):
            judged.setdefault(atom.question or atom.text, "entailed" if holds else "contradicted")
    read = set()
    for rule in rules:
        for atom in _atoms(rule.condition):
            if atom.element in open_elements:
                read.add(atom.element)
                judged[atom.question or atom.text] = "open"
    # A condition in which no rule was read stands for itself.
    for at in sorted(open_elements - read):
        judged.setdefault(page.elements[at].text, "open")
    premise = premise_of(question.question, question.scenario)
    for statement, label in judged.items():
        if statement.strip():
            yield Statement(premise, statement, label, "condition", question.url, question.scenario)


def _follows(rule: Rule, question: ConditionalQuestion) -> bool | None:
    """Whether the condition of a rule must hold, or must fail, for the answers to be what they are."""
    texts = {answer.text for answer in question.answers}
    if texts == {"yes"} or texts == {"no"}:
        return (texts == {"yes"}) != rule.denies
    # Of a rule that leads to a span its case holds; a demand or a denial beside it may be of another matter.
    spans = bool(texts) and not texts & {"yes", "no"}
    return True if spans and rule.kind != "must" and not rule.denies else None


def _implied(
    expression: Expression, holds: bool | None, open_elements: set[int]
) -> Iterator[tuple[Atom, bool]]:
    """The atoms whose truth follows from that of the whole; an alternative that is open leaves the others open."""
    if holds is None:
        return
    if isinstance(expression, Atom):
        if expression.element not in open_elements:
            yield expression, holds
    elif isinstance(expression, Not):
        yield from _implied(expression.part, not holds, open_elements)
    elif len(expression.parts) == 1 or isinstance(expression, All if holds else Any):
        for part in expression.parts:
            yield from _implied(part, holds, open_elements)


def _atoms(expression: Expression) -> Iterator[Atom]:
    if isinstance(expression, Atom):
        yield expression
    elif isinstance(expression, Not):
        yield from _atoms(expression.part)
    else:
        for part in expression.parts:
            yield from _atoms(part)


def _yes_no(
    question: ConditionalQuestion,
    others: Sequence[ConditionalQuestion],
    elsewhere: ConditionalQuestion,
    draw: random.Random,
) -> Iterator[Statement]:
    """The evidences alone, among distractors of the same page, and evidences that are not the question's."""
    texts = {answer.text for answer in question.answers}
    if len(texts) != 1 or not texts <= {"yes", "no"} or not question.evidences:
        return
    label: Judgement = "entailed" if texts == {"yes"} else "contradicted"
    own = list(dict.fromkeys(question.evidences))
    yield _text(question, own, label)
    near = list(dict.fromkeys(text for other in others for text in other.evidences if text not in own))
    if near:
        among = own + draw.sample(near, min(len(near), _MOST_DISTRACTORS))
        draw.shuffle(among)
        yield _text(question, among, label)
    aside = [other for other in others if other.evidences and not set(other.evidences) & set(own)]
    if aside:
        yield _text(question, draw.choice(aside).evidences, "open")
    elif elsewhere.url != question.url and elsewhere.evidences:
        yield _text(question, elsewhere.evidences, "open")


def _text(question: ConditionalQuestion, evidences: Sequence[str], label: Judgement) -> Statement:
    page = page_document(ConditionalDocument("", question.url, tuple(evidences)))
    return Statement(
        yes_no_premise(question.question, question.scenario),
        " ".join(element.text for element in page.elements),
        label,
        "answer",
        question.url,
        question.scenario,
    )
