"""ShARC as data to count, and to compare the questions and judgements of the rules with.

Counted are utterances, the rule trees they belong to, and what the right turn is.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from caveat.benchmarks.sharc.format import read
from caveat.benchmarks.shared.count_tables import (
    SUMMARY,
    Histogram,
    Table,
    Tables,
    histogram,
    shares,
    summary,
)
from caveat.benchmarks.task import Analysis, DataSet
from caveat.core.files import PathLike

__all__ = ["SHARC", "count"]

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
    from caveat.benchmarks.sharc.analysis import ANALYSIS

    return ANALYSIS


SHARC = DataSet("sharc", count, analyse=_analysis)
