"""ShARC: yes/no questions that a rule text answers once a dialogue has asked for the facts."""

from __future__ import annotations

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json


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
