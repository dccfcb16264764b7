"""Questions of yes or no from English rules themselves: who may, must, may not or need not do what, and what is so.

Published English inference is of captions and talk, and judges trained on it overlook the "not" of a rule when a
question asks and not a statement. A sentence with one of these words is its own answer: "Guests may not park here"
says no to "Can I park here?". So that the word decides and not the sentence, some sentences are read with the opposite
word, and each question is also put to the sentence of the same text that shares most with it, which leaves it open.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from caveat.language.follow_up import inquiry
from caveat.language.packs.en.clause import parse_clause
from caveat.language.sentences import sentences

Kind = Literal["may", "must", "may not", "need not", "so", "not so"]
Judged = tuple[str, str, Literal["entailed", "contradicted", "open"]]

# How each kind is said of you and of several, and how of anyone.
_SAID: dict[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "may": (("are allowed to", "are able to", "are eligible to", "are free to"), ("can", "may")),
    "must": (("have to", "need to", "are required to"), ("must", "shall")),
    "may not": (
        ("are not allowed to", "are not able to", "are not eligible to", "can never"),
        ("cannot", "can not", "can't", "can’t", "may not", "must not", "shall not"),
    ),
    "need not": (
        (
            *("do not have to", "don't have to", "don’t have to", "do not need to"),
            *("don't need to", "don’t need to", "are not required to"),
        ),
        ("need not",),
    ),
}
_KIND: dict[str, Kind] = {word: kind for kind, ways in _SAID.items() for group in ways for word in group}
_OPPOSITE: dict[Kind, Kind] = {"may": "may not", "may not": "may", "must": "need not", "need not": "must"}
_MODAL = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, _KIND), key=len, reverse=True))})\b", re.IGNORECASE
)
# What is so, and how it is denied; "do" comes and goes with the denial.
_FACT = re.compile(
    r"\b(?:(?P<verb>is|are|was|were|will|has|have)(?P<denied> not|n['’]t)?"
    r"|(?P<do>do not|don['’]t|will never|never))\b(?= \w)",
    re.IGNORECASE,
)
_DENIALS = {
    "is": ("is not", "isn't", "isn’t", "is no longer", "is never"),
    "are": ("are not", "aren't", "aren’t", "are never"),
    "was": ("was not", "was never"),
    "were": ("were not", "were never"),
    "will": ("will not", "won't", "won’t", "will never"),
}
_ADVERBS = re.compile(
    r"^(?:(?:also|usually|normally|generally|typically|still|then|always|now|all|both|each) )+"
)
# Where what is done ends, and words that tell of a smaller or another case.
_END = re.compile(
    r", |,$|;|:| \(| \[| if | unless | when | where | until | except | because | before | after | so that "
)
_LIMITED = re.compile(
    r"\b(?:only|either|neither|not|no|never|rather|instead|except|unless|even|otherwise|without|nothing|none)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?P<condition>(?:If|When|Once|Where|While|After|Before) [^,]{4,90}?)\s*, (?P<rest>.+)$", re.DOTALL
)
# What refers to another sentence cannot be asked for by itself, nor a clause that is no whole one.
_REFERS = re.compile(
    r"^(?:it|they|this|that|these|those|he|she|which|who|we|there|or|and|but|if|when|while|though|how|what|please|note|\W)\b",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:will|won|would|might|is|are|was|were|has|had|do|does|that|who|which)\b|[’']", re.IGNORECASE
)
# "You may need a licence", "it may rain": what is possible, not what is allowed.
_POSSIBLE = re.compile(r"(?:need|have|be|want|wish|not|still|seem|cause|result|require)\b")
_PLACE = re.compile(r" (?:in|by|within|for|on|at|during|through|with|from|as|to the|of the) ")
_MARKS = re.compile(r"\s*[\[{][^\]}]{0,40}[\]}]|^[#*\-•\s]+|^\(?[a-z0-9]{1,3}[.)]\s+")
_TO_YOU = re.compile(
    r"\b(to|for|with|from|of|by|on|about|gives?|pays?|tell|ask|help|let|send|allow|entitle|contact|owe|charge) you\b"
)
_PEOPLE = re.compile(
    r"^(?:(?:the|an?|any|all|some|most|eligible|individual) )*"
    r"(?:employees?|applicants?|members?|students?|veterans?|patients?|tenants?|users?|customers?|drivers?|persons?|"
    r"people|borrowers?|motorists?|parents?|residents?|citizens?|workers?|guests?|visitors?|owners?|recipients?|"
    r"individuals?|beneficiar(?:y|ies)|claimants?|receiving part(?:y|ies)|licensees?|subscribers?)$",
    re.IGNORECASE,
)
_LONGEST_SENTENCE, _LONGEST_TEXT, _LONGEST_SUBJECT = 300, 600, 6
_FEWEST, _MOST = 2, 18
# Each sentence is asked about in so many ways.
_WAYS = 2


class _Rule(NamedTuple):
    """A sentence and the word that decides, where it stands, under which condition who does what; what is around it.

    Of what is so, `what` is the whole question.
    """

    sentence: str
    kind: Kind
    word: str
    start: int
    condition: str
    who: str
    what: str
    heading: str = ""
    before: str = ""
    after: str = ""


def rule_questions(text: str, draw: random.Random) -> Iterator[Judged]:
    """What is asked, the text and how it is judged; a line that is short or marked as one is a heading."""
    rules = list(_rules_of(_spaced(text)))
    for rule in rules:
        for _ in range(_WAYS):
            yield from _asked(rule, rules, draw)


def asked_pages(text: str, draw: random.Random) -> Iterator[tuple[str, str, bool]]:
    """What is asked, the whole text, in which the sentence may be read with the opposite word, and whether yes."""
    whole = _spaced(text)
    for rule in _rules_of(whole):
        kind, sentence = _read(rule, draw)
        question, yes = _question(kind, rule, draw)
        if whole.count(rule.sentence) == 1:
            yield question, whole.replace(rule.sentence, sentence), yes


def _spaced(text: str) -> str:
    return text.replace(" , ", ", ")


def _rules_of(text: str) -> Iterator[_Rule]:
    heading = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        parts = [_MARKS.sub("", line[start:end]).strip() for start, end in sentences(line)]
        if len(parts) == 1 and (line.startswith("#") or (len(line.split()) <= 9 and line[-1] not in ".:;,")):
            heading = parts[0]
            continue
        for at, sentence in enumerate(parts):
            if len(sentence) > _LONGEST_SENTENCE or sentence.endswith(("?", ":")):
                continue
            if (rule := _rule(sentence) or _fact(sentence)) is not None:
                around = [parts[near] if 0 <= near < len(parts) else "" for near in (at - 1, at + 1)]
                yield rule._replace(heading=heading, before=around[0], after=around[1])


def _rule(sentence: str) -> _Rule | None:
    words = list(_MODAL.finditer(sentence))
    if len(words) != 1:
        return None
    found = words[0]
    condition, who = _subject(sentence[: found.start()])
    what = _ADVERBS.sub("", _END.split(f"{sentence[found.end() :].strip()} ")[0].strip(" .!"))
    if not who or not _FEWEST <= len(what.split()) <= _MOST or _LIMITED.search(what):
        return None
    if found.group().lower() == "may" and _POSSIBLE.match(what):
        return None
    return _Rule(sentence, _KIND[found.group().lower()], found.group(), found.start(), condition, who, what)


def _fact(sentence: str) -> _Rule | None:
    words = list(_FACT.finditer(sentence))
    if len(words) != 1 or _MODAL.search(sentence):
        return None
    found = words[0]
    condition, who = _subject(sentence[: found.start()])
    what = _END.split(f"{sentence[found.end() :].strip()} ")[0].strip(" .!")
    clause = f"{who} {found.group()} {what}"
    if (
        not who
        or not _FEWEST <= len(what.split()) <= _MOST
        or _LIMITED.search(what)
        or parse_clause(clause) is None
    ):
        return None
    question, negated = inquiry(clause.replace("never ", "not " if found["verb"] else "do not ", 1))
    denied = bool(found["denied"] or found["do"])
    if negated != denied or not question.endswith("?"):
        return None
    return _Rule(
        sentence,
        "not so" if denied else "so",
        found.group(),
        found.start(),
        condition,
        who,
        question.rstrip("?"),
    )


def _subject(before: str) -> tuple[str, str]:
    """The condition that a sentence begins with, and of whom it is said; nobody where that is no plain phrase."""
    condition, who = "", before.strip()
    if (conditional := _CONDITION.match(f"{who} ")) is not None:
        condition, who = conditional["condition"], conditional["rest"].strip()
    plain = "," not in who and not _FINITE.search(who) and not _REFERS.match(who) and not _LIMITED.search(who)
    return condition, who if plain and len(who.split()) <= _LONGEST_SUBJECT else ""


def _asked(rule: _Rule, rules: Sequence[_Rule], draw: random.Random) -> Iterator[Judged]:
    kind, sentence = _read(rule, draw)
    question, yes = _question(kind, rule, draw)
    yield question, _text(rule, sentence, draw), "entailed" if yes else "contradicted"
    if draw.random() < 0.5:
        others = [other for other in draw.choices(rules, k=24) if other.sentence != rule.sentence]
        asked = set(question.lower().split())
        if others:
            nearest = max(others, key=lambda other: len(asked & set(other.sentence.lower().split())))
            yield question, _text(nearest, nearest.sentence, draw, alone=True), "open"


def _read(rule: _Rule, draw: random.Random) -> tuple[Kind, str]:
    """The sentence as it is read, sometimes with the opposite word or another for the same, and what it then says."""
    kind, word = rule.kind, rule.word
    if draw.random() < 0.5:
        kind, word = _turned(rule, draw)
    elif kind in _SAID and draw.random() < 0.4:
        word = _said(kind, rule.who, draw)
    sentence = rule.sentence[: rule.start] + word + rule.sentence[rule.start + len(rule.word) :]
    return kind, " ".join(sentence.split())


def _turned(rule: _Rule, draw: random.Random) -> tuple[Kind, str]:
    """The opposite of a rule's word; a fact whose verb has none stays as it is."""
    if rule.kind in _SAID:
        kind = _OPPOSITE[rule.kind]
        return kind, _said(kind, rule.who, draw)
    if rule.kind == "so":
        ways = _DENIALS.get(rule.word.lower())
        return ("not so", draw.choice(ways)) if ways else (rule.kind, rule.word)
    plain = re.sub(r"n['’]t$| not$", "", rule.word, flags=re.IGNORECASE)
    plain = {"wo": "will", "do": "", "never": "", "will never": "will"}.get(plain.lower(), plain)
    return "so", plain


def _said(kind: Kind, who: str, draw: random.Random) -> str:
    of_several, of_anyone = _SAID[kind]
    several = who.lower() == "you" or (who.lower().endswith("s") and _PEOPLE.match(who) is not None)
    return draw.choice(of_several + of_anyone if several else of_anyone)


def _text(rule: _Rule, sentence: str, draw: random.Random, *, alone: bool = False) -> str:
    """The sentence, sometimes with what stands around it, sometimes under its heading."""
    text = sentence
    if not alone and draw.random() < 0.4:
        wider = f"{rule.before} {sentence} {rule.after}".strip()
        text = wider if len(wider) <= _LONGEST_TEXT else sentence
    if rule.heading and draw.random() < 0.5:
        stop = "" if rule.heading[-1:] in ".?!:" else "."
        text = f"{rule.heading}{stop} {text}"
    return text


def _question(kind: Kind, rule: _Rule, draw: random.Random) -> tuple[str, bool]:
    """A question that the rule answers, and whether with yes."""
    who, what, condition = rule.who, rule.what, rule.condition
    first = draw.random() < 0.8
    if kind in ("so", "not so"):
        question = _first_person(what) if first else what
        question = re.sub(r"^Are I\b", "Am I", question)
    else:
        if _PEOPLE.match(who) and draw.random() < 0.6:
            who = "you"
        if kind in ("may", "must") and draw.random() < 0.35:
            # What may be done in a certain way may be done; of what may not that does not follow.
            shorter = _PLACE.split(what)[0]
            what = shorter if len(shorter.split()) > 2 else what
        if who.lower() == "you" and first:
            who, what = "I", _first_person(what)
        elif not who.split()[0].isupper() or who.split()[0] == "A":
            who = who[:1].lower() + who[1:]
        question = draw.choice(_ways(kind, who, what))
    if condition and draw.random() < 0.6:
        condition = _first_person(condition) if first else condition
        condition = condition[:1].lower() + condition[1:]
        behind = draw.random() < 0.5
        question = (
            f"{question} {condition}" if behind else f"{condition}, {question[:1].lower()}{question[1:]}"
        )
    return question[:1].upper() + question[1:] + "?", kind in ("may", "must", "so")


def _ways(kind: Kind, who: str, what: str) -> tuple[str, ...]:
    """How one asks whether something is allowed, or demanded."""
    several = who in ("I", "you") or who.endswith("s")
    be, do = "am" if who == "I" else "are" if several else "is", "do" if several else "does"
    if kind in ("may", "may not"):
        plain = (f"can {who} {what}",) * 3
        asked = (f"may {who} {what}", f"{be} {who} allowed to {what}", f"{be} {who} able to {what}")
        anyone = (f"is it possible to {what}", f"is it ok to {what}", f"is it allowed to {what}")
        return plain + asked + (anyone if who in ("I", "you") else ())
    return (
        f"{do} {who} have to {what}",
        f"{do} {who} have to {what}",
        f"{do} {who} need to {what}",
        f"must {who} {what}",
        f"{be} {who} required to {what}",
        f"is it mandatory for {'me' if who == 'I' else who} to {what}",
    )


def _first_person(text: str) -> str:
    text = _TO_YOU.sub(r"\1 me", text)
    for theirs, mine in (
        ("you are", "I am"),
        ("you were", "I was"),
        ("yourself", "myself"),
        ("yours", "mine"),
    ):
        text = re.sub(rf"\b{theirs}\b", mine, text, flags=re.IGNORECASE)
    text = re.sub(r"\byour\b", "my", text, flags=re.IGNORECASE)
    return re.sub(r"\byou\b(?:[’']re)?", "I", text, flags=re.IGNORECASE)
