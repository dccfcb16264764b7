"""What a scenario settles of a condition; whoever judges it: words alone, or a trained model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from caveat.answerers.documents.conditions.entailment import judge
from caveat.core.expression import Expression, atoms_of
from caveat.core.settle import settle_all
from caveat.models.judge import Verdict, premise_of

__all__ = ["Judging", "WordsJudge", "settled_by"]

# A question is settled where the judge is at least so sure: who is asked once too often is not told a wrong answer.
SURE = 0.7


class Judging(Protocol):
    """What gives verdicts on pairs of a premise and a statement, as `caveat.models.judge.Judge` does."""

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        ...


class WordsJudge:
    """Verdicts from words and quantities alone.

    When it decides it is right four times in five, as measured on ShARC (docs/conditions.md).
    """

    def judge(self, pairs: Iterable[tuple[str, str]]) -> list[Verdict]:
        """The verdict on each pair, in order."""
        sure, unsure = Verdict(0.8, 0.05, 0.15), Verdict(0.05, 0.8, 0.15)
        verdicts = {"entailed": sure, "contradicted": unsure, "open": Verdict(0.15, 0.15, 0.7)}
        return [verdicts[judge(premise, statement)] for premise, statement in pairs]


def settled_by(expression: Expression, question: str, scenario: str, judging: Judging) -> Expression:
    """What is left of an expression once the judge has settled what the asker has said."""
    if not scenario.strip():
        return expression
    atoms = atoms_of(expression)
    # By words alone a question would settle what it asks for; a trained judge reads both.
    premise = scenario if isinstance(judging, WordsJudge) else premise_of(question, scenario)
    verdicts = judging.judge([(premise, atom.question or atom.text) for atom in atoms])
    known = {
        atom.fact: verdict.entailed > verdict.contradicted
        for atom, verdict in zip(atoms, verdicts, strict=True)
        if max(verdict.entailed, verdict.contradicted) >= SURE
    }
    return settle_all(expression, known)
