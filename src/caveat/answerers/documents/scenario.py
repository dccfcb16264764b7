"""What a scenario settles of a condition, by words alone or by a trained judge; and answers under what is left."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import Protocol

from caveat.answerers.documents.conditions.entailment import contradicts_itself, judge
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.places import place_in
from caveat.core.logic import FAILS, HOLDS, Atom, Expression, atoms_of, settle_all, simplify
from caveat.core.records import Answer, AnswerKind, Condition, Place, Question, Reply
from caveat.core.settling import with_requirement
from caveat.models.judge import Verdict

__all__ = ["Judging", "ScenarioJudge", "WordsJudge", "left_open", "settled_by", "sided", "under"]

# A question is settled where the judge is at least so sure: who is asked once too often is not told a wrong answer.
SURE = 0.7


class Judging(Protocol):
    """What gives verdicts on pairs of what is judged and the text it is judged by, as `caveat.models.judge.Judge`."""

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        ...


_VERDICTS = {
    "entailed": Verdict(0.8, 0.05, 0.15),
    "contradicted": Verdict(0.05, 0.8, 0.15),
    "open": Verdict(0.15, 0.15, 0.7),
}


class WordsJudge:
    """Verdicts from words and quantities alone.

    When it decides it is right four times in five, as measured on ShARC (docs/conditions.md).
    """

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        return [_VERDICTS[judge(text, judged)] for judged, text in pairs]


class ScenarioJudge:
    """Verdicts of a trained judge where quantities and words alone do not decide: those decide more safely."""

    def __init__(self, trained: Judging) -> None:
        self._trained = trained

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        given = list(pairs)
        plain = [judge(text, judged) for judged, text in given]
        left = [
            known == "open" and not contradicts_itself(text, judged)
            for (judged, text), known in zip(given, plain, strict=True)
        ]
        read = iter(self._trained.judge(compress(given, left)))
        return [
            next(read) if is_left else _VERDICTS[known] for is_left, known in zip(left, plain, strict=True)
        ]


def settled_by(expression: Expression, question: Question, judging: Judging) -> Expression:
    """What is left of an expression once the judge has settled what the asker has said."""
    scenario = question.scenario
    if not scenario.strip():
        return expression
    atoms = atoms_of(expression)
    verdicts = judging.judge([(atom.question or atom.text, scenario) for atom in atoms])
    known = {
        atom.fact: verdict.entailed > verdict.contradicted
        for atom, verdict in zip(atoms, verdicts, strict=True)
        if max(verdict.entailed, verdict.contradicted) >= SURE
    }
    return settle_all(expression, known)


def left_open(condition: Expression | None, question: Question, judging: Judging) -> Expression:
    """What the asker still has to say of a condition: `HOLDS` where there is none or it is met, `FAILS` where not."""
    return HOLDS if condition is None else simplify(settled_by(condition, question, judging))


def sided(
    question: Question,
    page: Page,
    condition: Expression,
    *,
    yes: float,
    known: float,
    says_yes: bool,
    evidence: tuple[Place, ...],
) -> Reply:
    """Yes and no, the one that is said first and under what is left open; they share that the page speaks to it.

    `yes` is how probable yes is where the page does, `known` how probable that is.
    """
    if condition == FAILS:
        # What the answer rests on does not hold for the asker: that turns it.
        says_yes, condition = not says_yes, HOLDS
    kinds: tuple[AnswerKind, AnswerKind] = ("yes", "no") if says_yes else ("no", "yes")
    first = under(page, Answer(kinds[0], kinds[0], known * max(yes, 1 - yes), evidence=evidence), condition)
    other = Answer(kinds[1], kinds[1], known - first.score, otherwise=bool(first.conditions))
    return Reply(question, (first, other), 1 - known)


def under(page: Page, answer: Answer, condition: Expression) -> Answer:
    """The answer under what is left open."""
    if condition in (HOLDS, FAILS):
        return answer
    document = page.document

    def as_condition(atom: Atom) -> Condition:
        return Condition(atom.text, place_in(document, atom.start, atom.end), atom.question)

    return with_requirement(answer, condition, as_condition)
