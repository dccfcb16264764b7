"""How the parts of a sentence are joined: "if" and "unless", "and" and "or", condition and consequence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from caveat.language.packs.en import PACK
from caveat.language.packs.en.clause import Clause, bare, is_verb_phrase, parse_clause
from caveat.language.packs.en.vocabulary import verbs, vocabulary

_CONNECTIVE = re.compile(
    r"\b(?P<joint>(?:and|or|but)\s+)?(?P<only>only\s+)?(?:"
    r"(?P<unless>(?:not|except|other than|apart from)\s+(?:if|when|where|in cases? where)|unless"
    r"|except(?:\s+for)?)"
    r"|(?P<if>if(?:\s+and\s+only\s+if)?|when(?:ever)?|once|after|provided(?:\s+that)?|providing(?:\s+that)?"
    r"|(?:as|so)\s+long\s+as|on\s+condition\s+that|in\s+cases?\s+where|depending\s+on(?:\s+(?:if|whether))?)"
    r")\b[,:]?\s*",
    re.IGNORECASE,
)
# "even if" states no condition, and what is asked, checked or told with "if" and "when" is a question.
_NOT_AFTER = re.compile(
    r"\b(?:even|as|what|including|(?<!further )check|know|asks?|asked|see|out|sure|unsure|decides?|wonder|confirm"
    r"|shows?|explain|considers?|considering|depends? on|depend|tells? you|told|about|says?|of|and|or|just|the|time"
    r"|date)\s*$",
    re.IGNORECASE,
)
# "if necessary", "if not", "if you’re not sure": nothing that the asker could be asked.
_NOT_BEFORE = re.compile(
    r"to\b|not\b\s*(?:[.,;:)]|$)|so\b|any\b(?! (?:of|one))|necessary|possible|applicable|appropriate|needed|required"
    r"|relevant|again\b|you(?:['’]re| are) (?:not |un)sure",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_CAN = re.compile(r"\bcan\b", re.IGNORECASE)
_PERFECT = re.compile(
    r"[^,;.]{0,60}?(?:['’]s|['’]ve|\bhas|\bhave) (?:been|ended|finished|reached)\b", re.IGNORECASE
)
# How many characters before a connective are looked at.
_NEAR = 40

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
Sense = Literal["main", "if", "unless"]
# Where the consequence begins after a condition in front: "If you’re disabled you can apply".
_CONSEQUENCE = re.compile(
    r"\s(?=(?:you|they|he|she|it|we|there|(?:your|the|their|this|these|any|an?)\s+"
    r"(?:(?!you\b|they\b|he\b|she\b|it\b|we\b)[\w’'-]+\s+){1,4}?)"
    r"(?:\s*(?:can|may|might|could|must|will|should|cannot|needs? to|ha(?:ve|s) to"
    r"|do(?:es)? not (?:need|have|get|pay|qualify))\b|['’]ll\b))",
    re.IGNORECASE,
)
_BEFORE_A_FRONTED = re.compile(
    r"[\s(]*(?:(?:but|and|or|also|usually|normally|otherwise|however|for example|generally|in some circumstances)"
    r"[,\s]+)*",
    re.IGNORECASE,
)
_MONTHS = "|".join(map(str.title, PACK.months))
# "For a fixed-term tenancy your landlord can …", "In Scotland, …": said of that case alone.
_RESTRICTION = re.compile(
    r"\s*(?P<words>For (?!the|each|every|this|these|example|instance|more|further|information|help|advice|most|some"
    rf"|\w+ purposes|\d)|In (?!{_MONTHS})"
    r"(?:the )?(?=[A-Z]))"
)
_LONGEST_RESTRICTION = 120
_ASIDE = re.compile(r"\s[-–—]\s")
_ASIDE_BEGINS = re.compile(r"(?:you|this|these|those|it|they|the letter|but|see|find out)\b", re.IGNORECASE)
_AROUND = " ,;-–—("


class Connective(NamedTuple):
    """Where a connective stands, whether it excepts ("unless"), has "only" with it, or "and" or "or" before it."""

    start: int
    end: int
    excepts: bool
    only: bool
    joint: str


def connectives(sentence: str, start: int = 0) -> Iterator[Connective]:
    """The connectives of a sentence from `start` on, in order."""
    for match in _CONNECTIVE.finditer(sentence, start):
        if _makes_condition(sentence, match):
            joint = (match["joint"] or "").strip().lower()
            yield Connective(*match.span(), bool(match["unless"]), bool(match["only"]), joint)


def _makes_condition(sentence: str, match: re.Match[str]) -> bool:
    word = (match["if"] or match["unless"]).lower()
    after = sentence[match.end() :]
    near = sentence[max(0, match.start() - _NEAR) : match.start()]
    if _NOT_BEFORE.match(after):
        return False
    if not match["joint"] and _NOT_AFTER.search(near) and not word.startswith(("depending", "unless")):
        return False
    opens_list = sentence.rstrip().endswith(":")
    if word.startswith("when") or word == "once":
        # They mostly give a time; they restrict after "only", and before a list of cases.
        only = match["only"] or _ONLY.search(sentence, 0, match.start())
        restricts = only or (match.start() > 0 and opens_list)
        return bool(restricts) and (not after or _is_clause(after))
    if word == "after":
        # "You can claim after it has been open for a year", not "after you apply".
        return _CAN.search(sentence, 0, match.start()) is not None and _PERFECT.match(after) is not None
    if word in ("provided", "providing"):
        return _is_clause(after)  # not "provided by the council"
    return bool(after.strip()) or opens_list


def _is_clause(text: str) -> bool:
    return parse_clause(re.split(r"[,;:.()]", text, maxsplit=1)[0]) is not None


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
        elif _continues_with_verb(clause, right, joint["joint"].lower()):
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
    english = vocabulary()
    return bool(rest) and bare(rest[-1]) not in english.want_an_object


def _continues_with_verb(clause: Clause, right: str, joint: str) -> bool:
    """Whether the words go on with a verb of the same subject: "… and have a key", "… but do not live there"."""
    english = vocabulary()
    words = [word for word in right.split()[:4] if bare(word) not in english.adverbs]
    if not words:
        return False
    if _VERB_GOES_ON.match(" ".join(words) + " "):
        return True
    word, known = bare(words[0]), verbs()
    if joint == "or" or word in english.verbs_and_nouns:
        return False
    if clause.subject.lower() in ("you", "they", "we"):
        return word in known.bases and clause.verb not in ("can", "could", "will", "would", "did")
    return (
        word in known.third_persons
        and clause.verb in known.third_persons
        and word[:-1] not in english.verbs_and_nouns
    )


class Segment(NamedTuple):
    """A part of a sentence, as a span of it; `joint` is the "and" or "or" before its connective."""

    sense: Sense
    start: int
    end: int
    only: bool = False
    joint: str = ""


def segments(sentence: str) -> list[Segment]:
    """The parts of a sentence, in order: what is said, and under which conditions it is said."""
    found: list[Segment] = []
    taken = 0  # everything before it belongs to a segment
    if restriction := _RESTRICTION.match(sentence):
        end, resume = _end_of_fronted(sentence, restriction.end())
        if resume < len(sentence) and end - restriction.end() < _LONGEST_RESTRICTION:
            found.append(Segment("if", restriction.start("words"), end))
            taken = resume
    for connective in connectives(sentence):
        if connective.start < taken:
            continue
        before = sentence[taken : connective.start]
        in_front = _BEFORE_A_FRONTED.fullmatch(before) is not None
        if in_front or _is_inserted(sentence, before, connective):
            end, resume = _end_of_fronted(sentence, connective.end)
        else:
            end, resume = _end_of_tail(sentence, connective)
        if not in_front and before.strip(_AROUND):
            found.append(Segment("main", *_trimmed(sentence, taken, connective.start)))
        if connective.end < end or _opens_list(sentence, end):
            sense: Sense = "unless" if connective.excepts else "if"
            found.append(Segment(sense, connective.end, end, connective.only, connective.joint))
        taken = resume
    if sentence[taken:].strip(" ,;:.-–—()"):
        found.append(Segment("main", *_trimmed(sentence, taken, len(sentence))))
    return found


def _opens_list(sentence: str, end: int) -> bool:
    """ "You can claim if:": the condition is all in the list."""
    return sentence.rstrip().endswith(":") and end == len(sentence.rstrip())


def _is_inserted(sentence: str, before: str, connective: Connective) -> bool:
    """ "You are paid or, if you’re under 18, your parents are": between commas, with a clause after it."""
    return before.rstrip().endswith(",") and any(
        parse_clause(sentence[at + 1 :].strip()) is not None and not JOINT.match(sentence, at)
        for at in _commas(sentence, connective.end)
    )


def _end_of_fronted(sentence: str, start: int) -> tuple[int, int]:
    """Where a condition in front ends, and where its consequence begins."""
    commas = _commas(sentence, start)
    consequence = [at for at in commas if _CONSEQUENCE.match(sentence, at + 1)]
    imperative = [
        at
        for at in commas
        if is_verb_phrase(sentence[at + 1 : at + 60]) and not _wants_more(sentence, start, at)
    ]
    clause = [
        at
        for at in commas
        if parse_clause(sentence[at + 1 :].strip()) is not None and not JOINT.match(sentence, at)
    ]
    subject = [at for at in clause if SUBJECT.match(sentence[at + 1 :].strip())]
    for choice in (consequence[:1], imperative[:1], subject[:1], clause[-1:]):
        if choice:
            return choice[0], choice[0] + 1
    plain = _CONSEQUENCE.search(sentence, sentence.find(" ", start + 1) + 1)
    if plain and not _wants_more(sentence, start, plain.start()):
        return plain.start(), plain.end()
    if commas and not sentence.rstrip().endswith(":"):
        return commas[-1], commas[-1] + 1
    return max(start, len(sentence.rstrip(" .:;"))), len(sentence)


def _wants_more(sentence: str, start: int, at: int) -> bool:
    words = sentence[start:at].split()
    return not words or bare(words[-1]) in vocabulary().want_a_clause


def _end_of_tail(sentence: str, connective: Connective) -> tuple[int, int]:
    """Where a condition after its consequence ends: at the next connective, a closing bracket, an aside."""
    start = connective.end
    opening = sentence.rfind("(", 0, connective.start)
    if opening >= 0 and ")" not in sentence[opening : connective.start]:
        closing = _closing(sentence, opening)
        return closing, closing + 1
    end = len(sentence.rstrip(" .:;"))
    for further in connectives(sentence, start):
        if sentence.count("(", start, further.start) == sentence.count(")", start, further.start):
            end = min(end, further.start)
            break
    if aside := _ASIDE.search(sentence, start, end):
        end = aside.start()
    end = max(start, start + len(sentence[start:end].rstrip(" ,;.-–—(")))
    return end, end


def _closing(sentence: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(sentence)):
        depth += {"(": 1, ")": -1}.get(sentence[at], 0)
        if depth == 0:
            return at
    return len(sentence)


def _commas(sentence: str, start: int) -> list[int]:
    """Where commas stand outside brackets."""
    depth, found = 0, []
    for at in range(start, len(sentence)):
        depth += {"(": 1, ")": -1}.get(sentence[at], 0)
        if sentence[at] == "," and depth <= 0:
            found.append(at)
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    if piece.count("(") > piece.count(")"):
        piece = piece[: piece.rindex("(")]  # the condition stood in brackets
    left = len(piece) - len(piece.lstrip(" ,;)-–—"))
    return start + left, start + max(left, len(piece.rstrip(_AROUND)))


def without_aside(text: str) -> str:
    """The text without what follows a dash, if that tells the reader something else to do or to know."""
    for dash in _ASIDE.finditer(text):
        if _ASIDE_BEGINS.match(text, dash.end()) or is_verb_phrase(text[dash.end() :]):
            return text[: dash.start()]
    return text
