"""What a scenario settles of a condition, by words alone or by a trained judge; and answers under what is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from caveat.answerers.documents.conditions.entailment import contradicts_itself, excerpt, judge
from caveat.answerers.documents.page import Page
from caveat.answerers.documents.spans import place_in
from caveat.core.answers import Answer, AnswerKind, Condition, Place
from caveat.core.logic import FAILS, HOLDS, Atom, Expression, atoms_of, settle_all, simplify
from caveat.core.records import Question, Reply
from caveat.core.settling import with_requirement
from caveat.models.judge import Verdict

# A question is settled where the judge is at least so sure: who is asked once too often is not told a wrong answer.
SURE = 0.7
# A model reads as many characters of what the asker said for all the conditions of a question together; beyond them it
# reads, for each condition, only the sentences that share most words with it, of so many characters.
_CHARACTERS, _EXCERPT = 60_000, 600


class Judging(Protocol):
    """What gives verdicts on pairs, of what is judged and the text it is judged by unless it says otherwise."""

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


class PremiseFirst:
    """A judge, which takes a premise and a statement, given what is judged and the text it is judged by."""

    def __init__(self, judge: Judging) -> None:
        self._judge = judge

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        return self._judge.judge((text, judged) for judged, text in pairs)


class ScenarioJudge:
    """Verdicts of a trained judge where quantities and words alone do not decide: those decide more safely.

    One is made for each question. It judges the same pair once, and how much the model reads grows with the number
    of conditions and with the length of what the asker said, not with their product.
    """

    def __init__(self, trained: Judging) -> None:
        self._trained = trained
        self._known: dict[tuple[str, str], Verdict] = {}
        self._characters_left = _CHARACTERS

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        given = list(pairs)
        unread: list[tuple[str, str]] = []
        for judged, text in dict.fromkeys(given):
            if (judged, text) in self._known:
                continue
            known = judge(text, judged)
            if known == "open" and not contradicts_itself(text, judged):
                unread.append((judged, text))
            else:
                self._known[judged, text] = _VERDICTS[known]
        self._known.update(zip(unread, self._trained.judge(self._shortened(unread)), strict=True))
        return [self._known[pair] for pair in given]

    def _shortened(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """The pairs with as much of their texts as there is room for."""
        if not pairs:
            return []
        room = max(_EXCERPT, self._characters_left // len(pairs))
        shortened = [
            (judged, text if len(text) <= room else excerpt(text, judged, room)) for judged, text in pairs
        ]
        self._characters_left = max(0, self._characters_left - sum(len(text) for _, text in shortened))
        return shortened


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
    no: float,
    none: float,
    evidence: tuple[Place, ...],
) -> Reply:
    """Yes and no, the more probable first and under what is left open, and how probable none is."""
    first_kind: AnswerKind = "yes" if yes >= no else "no"
    other_kind: AnswerKind = "no" if yes >= no else "yes"
    first = under(page, Answer(first_kind, first_kind, max(yes, no), evidence=evidence), condition)
    other = Answer(other_kind, other_kind, min(yes, no), otherwise=bool(first.conditions))
    return Reply(question, (first, other), none)


def under(page: Page, answer: Answer, condition: Expression) -> Answer:
    """The answer under what is left open."""
    if condition in (HOLDS, FAILS):
        return answer
    document = page.document

    def as_condition(atom: Atom) -> Condition:
        return Condition(atom.text, place_in(document, atom.start, atom.end), atom.question)

    return with_requirement(answer, condition, as_condition)
