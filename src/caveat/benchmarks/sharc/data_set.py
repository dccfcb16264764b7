"""ShARC: yes/no questions that a rule text answers once a dialogue has asked for the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from caveat.answerers.documents.conditions.entailment import Judgement, judge
from caveat.answerers.documents.conditions.rules import rules_of
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    shares,
    summary,
)
from caveat.benchmarks.task import Analysis, DataSet, Shown, Through
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.core.logic import atoms_of
from caveat.language.normalise import squad_tokens
from caveat.sources.markdown import parse_markdown


class FollowUp(msgspec.Struct, frozen=True):
    """A question back to the asker, and the asker's Yes or No."""

    question: str
    answer: str


class SharcUtterance(msgspec.Struct, frozen=True):
    """A point in a dialogue; `evidence` are follow-up questions that the scenario already answers.

    The answer is Yes, No, Irrelevant, or the next follow-up question; it is empty in test files.
    """

    utterance_id: str
    tree_id: str
    source_url: str
    snippet: str
    question: str
    scenario: str
    history: tuple[FollowUp, ...] = ()
    evidence: tuple[FollowUp, ...] = ()
    answer: str = ""


class _FollowUp(msgspec.Struct):
    follow_up_question: str = ""
    follow_up_answer: str = ""
    # One entry of the published file is spelt so.
    followup_question: str = ""
    followup_answer: str = ""


class _Utterance(msgspec.Struct):
    utterance_id: str
    tree_id: str
    source_url: str
    snippet: str
    question: str
    scenario: str
    history: list[_FollowUp] = []
    evidence: list[_FollowUp] = []
    answer: str = ""


def read(path: PathLike) -> list[SharcUtterance]:
    """The utterances of a ShARC file."""
    return [
        SharcUtterance(
            line.utterance_id,
            line.tree_id,
            line.source_url,
            line.snippet,
            line.question,
            line.scenario,
            _follow_ups(line.history, path, line.utterance_id),
            _follow_ups(line.evidence, path, line.utterance_id),
            line.answer,
        )
        for line in read_json(path, list[_Utterance])
    ]


def _follow_ups(raw: list[_FollowUp], path: PathLike, id: str) -> tuple[FollowUp, ...]:
    found = []
    for item in raw:
        question = item.follow_up_question or item.followup_question
        if not question:
            raise InputError("a follow-up without follow_up_question", path=path, id=id)
        found.append(FollowUp(question, item.follow_up_answer or item.followup_answer))
    return tuple(found)


# The answer is one of these words, or else the next question to ask; in test files it is empty.
_WORDS = ("Yes", "No", "Irrelevant")
_MORE, _NONE = "follow-up question", "not given"


def count(data: PathLike) -> Tables:
    """Utterances, trees and answers; lengths are in words between blanks."""
    utterances = read(data)
    found = Counter(_answer(utterance.answer) for utterance in utterances)
    answers = {name: found[name] for name in (*_WORDS, _MORE, _NONE) if name != _NONE or found[name]}
    history = [len(utterance.history) for utterance in utterances]
    evidence = [len(utterance.evidence) for utterance in utterances]
    # A tree's utterances share their rule text: each text counts once.
    snippets = [len(text.split()) for text in dict.fromkeys(utterance.snippet for utterance in utterances)]
    scenarios = [len(words) for utterance in utterances if (words := utterance.scenario.split())]
    questions = [len(utterance.question.split()) for utterance in utterances]
    return Tables(
        "sharc",
        {
            "utterances": len(utterances),
            "trees": len({utterance.tree_id for utterance in utterances}),
            "sources": len({utterance.source_url for utterance in utterances}),
            "snippets": len(snippets),
            "with_scenario": len(scenarios),
            "with_history": sum(number > 0 for number in history),
            "with_evidence": sum(number > 0 for number in evidence),
        },
        (
            Table("Answers", ("", "utterances", "%"), shares(answers.items(), len(utterances))),
            Table(
                "How many of each",
                SUMMARY,
                (
                    summary("earlier turns per utterance", history),
                    summary("turns the scenario answers", evidence),
                ),
            ),
            Table(
                "Lengths in words",
                SUMMARY,
                (
                    summary("rule texts", snippets),
                    summary("questions", questions),
                    summary("scenarios, where there is one", scenarios),
                ),
            ),
        ),
        (
            Histogram("Answers", "", answers),
            histogram("Utterances by earlier turns", "turns", history),
            histogram("Rule texts by length", "words", snippets),
            histogram("Scenarios by length", "words", scenarios),
        ),
    )


def _answer(text: str) -> str:
    return text if text in _WORDS else _MORE if text else _NONE


def _analysis() -> Analysis[Any]:
    return ANALYSIS


SHARC = DataSet("sharc", count, analyse=_analysis)


_NEAR = 0.8
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")


class SharcOptions(msgspec.Struct, frozen=True):
    """There are none."""


class QuestionAgreement(msgspec.Struct, frozen=True):
    """How the questions agree with those of annotators: shares of theirs that ours equal or nearly equal (F1 ≥ 0.8).

    `mean_f1` is that of our nearest question; the `_where_asked` figures leave out texts that give us no question.
    """

    texts: int
    questions: int
    equal: float
    near: float
    mean_f1: float
    asked: int
    near_where_asked: float
    mean_f1_where_asked: float


class JudgementAgreement(msgspec.Struct, frozen=True):
    """Judgements beside the annotators': accuracy, that of always "open", precision and recall of each."""

    pairs: int
    accuracy: float
    always_open: float
    precision: dict[Judgement, float]
    recall: dict[Judgement, float]


class SharcAnalysis(msgspec.Struct, frozen=True):
    """The follow-up questions beside the annotators', and the judgements of scenarios beside theirs."""

    follow_up: QuestionAgreement
    judge: JudgementAgreement

    def shown(self) -> Shown:
        """The figures of both."""
        return Shown(
            {
                "Follow-up questions": msgspec.structs.asdict(self.follow_up),
                "Judgements of scenarios": msgspec.structs.asdict(self.judge),
            }
        )


def question_agreement(utterances: Iterable[SharcUtterance]) -> QuestionAgreement:
    """Our questions on each rule text beside the annotators'; of theirs that nearly equal each other one counts."""
    texts: dict[str, dict[str, None]] = {}
    for utterance in utterances:
        theirs = texts.setdefault(utterance.snippet, {})
        asked = [follow_up.question for follow_up in (*utterance.history, *utterance.evidence)]
        theirs.update(dict.fromkeys((*asked, *_next_question(utterance))))
    best: list[tuple[float, bool]] = []
    for text, questions in texts.items():
        rules = rules_of(parse_markdown(text))
        ours = [atom.question for rule in rules for atom in atoms_of(rule.condition)]
        for group in _groups(list(questions)):
            best.append((max((_f1(a, b) for a in ours for b in group), default=0.0), bool(ours)))
    scores = [score for score, _ in best]
    where_asked = [score for score, asked in best if asked]
    return QuestionAgreement(
        len(texts),
        len(scores),
        _share(score == 1.0 for score in scores),
        _share(score >= _NEAR for score in scores),
        _share(scores),
        len(where_asked),
        _share(score >= _NEAR for score in where_asked),
        _share(where_asked),
    )


def _groups(questions: Sequence[str]) -> list[list[str]]:
    """Questions that differ in a slip of the pen only are one."""
    groups: list[list[str]] = []
    for question in questions:
        same = next((group for group in groups if _f1(question, group[0]) >= _NEAR), None)
        if same is None:
            groups.append([question])
        else:
            same.append(question)
    return groups


def judgement_agreement(utterances: Iterable[SharcUtterance]) -> JudgementAgreement:
    """Each question that the scenario answers by the annotators, and each that was asked back all the same (open)."""
    gold: dict[tuple[str, str], Judgement] = {}
    for utterance in utterances:
        if not utterance.scenario.strip():
            continue
        for evidence in utterance.evidence:
            label: Judgement = "entailed" if evidence.answer == "Yes" else "contradicted"
            gold[utterance.scenario, evidence.question] = label
        asked = [follow_up.question for follow_up in utterance.history]
        for question in (*asked, *_next_question(utterance)):
            gold.setdefault((utterance.scenario, question), "open")
    counted = Counter((label, judge(scenario, question)) for (scenario, question), label in gold.items())
    kinds: tuple[Judgement, ...] = ("entailed", "contradicted", "open")
    right = {kind: counted[kind, kind] for kind in kinds}
    said = {kind: sum(counted[other, kind] for other in kinds) for kind in kinds}
    meant = {kind: sum(counted[kind, other] for other in kinds) for kind in kinds}
    pairs = max(1, len(gold))
    return JudgementAgreement(
        len(gold),
        sum(right.values()) / pairs,
        meant["open"] / pairs,
        {kind: right[kind] / max(1, said[kind]) for kind in kinds},
        {kind: right[kind] / max(1, meant[kind]) for kind in kinds},
    )


def _next_question(utterance: SharcUtterance) -> tuple[str, ...]:
    return (utterance.answer,) if utterance.answer not in ("", "Yes", "No", "Irrelevant") else ()


def _f1(left: str, right: str) -> float:
    ours, theirs = squad_tokens(left.translate(_STRAIGHT)), squad_tokens(right.translate(_STRAIGHT))
    same = (Counter(ours) & Counter(theirs)).total()
    return 2 * same / (len(ours) + len(theirs)) if same else 0.0


def _share(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def _run(gold: PathLike, options: SharcOptions, through: Through) -> SharcAnalysis:
    utterances = read(gold)
    return SharcAnalysis(question_agreement(through(utterances)), judgement_agreement(utterances))


ANALYSIS = Analysis(SharcOptions, _run)
