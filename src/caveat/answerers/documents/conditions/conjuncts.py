"""Whole clauses joined by "and", "or" and "but", taken apart: each can be asked for alone."""

from __future__ import annotations

import re

from caveat.answerers.documents.conditions.clause import ADVERBS, Clause, bare, parse_clause
from caveat.answerers.documents.conditions.verbs import verbs

__all__ = ["JOINT", "SUBJECT", "split_clauses"]

JOINT = re.compile(
    r",?\s+(?P<joint>and|or|but)\s+(?:(?:if|when|that|either|both|also|then)\s+)*", re.IGNORECASE
)
SUBJECT = re.compile(
    r"(?:you|your|they|their|it|he|she|the|there|one|both|all|this|someone|another|any|an?)\b|you['’]",
    re.IGNORECASE,
)
_VERB_GOES_ON = re.compile(
    r"(?:have|has|had|are|is|were|was|do not|does not|did not|don['’]t|doesn['’]t|didn['’]t|cannot|can|will)\s",
    re.IGNORECASE,
)
_OPEN = frozenset("in on at for to from with of by about into than as and or not".split())  # noqa: SIM905
# Verbs that are nouns as often: "you get money and support".
_ALSO_NOUNS = frozenset(
    "benefit care change charge check claim contact control cost cover damage deal deposit drink email end export "  # noqa: SIM905
    "farm feed file form fund grant guarantee help import increase issue land lease limit list name need offer order "
    "permit phone plan plant play post present process promise record refund release rent repair report request "
    "return review score share sign smoke state stay stop store study supply support tax test trade train transfer "
    "transport travel trust update use value visit vote walk waste wish work".split()
)


def split_clauses(text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """A condition cut where whole clauses are joined: "and" or "or", and each part with the subject it shares.

    "you rent your home and you’re on a low income" has two parts, "you’re single or divorced" one. A part that
    lacks its subject gets that of the part before ("you live there and have a key"): the third of a triple.
    """
    cuts: list[tuple[int, int, str, str]] = []
    start, subject = 0, ""
    for joint in JOINT.finditer(text) if parse_clause(text) is not None else ():
        if text.count("(", 0, joint.start()) != text.count(")", 0, joint.start()):
            continue
        left, right = text[start : joint.start()].strip(), text[joint.end() :]
        clause = parse_clause(f"{subject} {left}" if subject and not SUBJECT.match(left) else left)
        if clause is None or not _is_complete(clause.rest):
            continue
        if SUBJECT.match(right) and parse_clause(right) is not None:
            cuts.append((joint.start(), joint.end(), joint["joint"].lower(), ""))
        elif _goes_on(clause, right, joint["joint"].lower()):
            cuts.append((joint.start(), joint.end(), joint["joint"].lower(), clause.subject))
        else:
            continue
        start, subject = joint.end(), clause.subject
    joints = {joint if joint == "or" else "and" for _, _, joint, _ in cuts}
    if len(joints) > 1:
        # Mixed: "or" is the looser one, so the parts with "and" between them stay together.
        cuts = [cut for cut in cuts if cut[2] == "or" and not cut[3]]
        joints = {"or"}
    parts, at, shared = [], 0, ""
    for left_end, right_start, _, subject in cuts:
        parts.append((at, left_end, shared))
        at, shared = right_start, subject
    parts.append((at, len(text), shared))
    return (joints.pop() if joints else "and"), parts


def _is_complete(rest: tuple[str, ...]) -> bool:
    """Whether a clause has its object: not "you live in (and pay rent for a house)", "you live (and work there)"."""
    return bool(rest) and bare(rest[-1]) not in _OPEN


def _goes_on(clause: Clause, right: str, joint: str) -> bool:
    """Whether the words go on with a verb of the same subject: "… and have a key", "… but do not live there"."""
    words = [word for word in right.split()[:4] if bare(word) not in ADVERBS]
    if not words:
        return False
    if _VERB_GOES_ON.match(" ".join(words) + " "):
        return True
    word, known = bare(words[0]), verbs()
    if joint == "or" or word in _ALSO_NOUNS:
        return False
    if clause.subject.lower() in ("you", "they", "we"):
        return word in known.bases and clause.verb not in ("can", "could", "will", "would", "did")
    return word in known.third_persons and clause.verb in known.third_persons and word[:-1] not in _ALSO_NOUNS
