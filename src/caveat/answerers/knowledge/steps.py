"""From a question to the values that answer it: one step from an entity along a predicate, two, or one backwards."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from caveat.answerers.knowledge.matching import Matching, Understood
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.words import MASK
from caveat.core.answers import Triple
from caveat.core.languages import count_han, language_of
from caveat.language.packs.zh import CHINESE
from caveat.library.triples.folding import clean_predicate, fold
from caveat.library.triples.mentions import Mention
from caveat.library.triples.names import ALIAS_PREDICATES
from caveat.library.triples.store import KnowledgeStore

_QUOTES = "《》“”「」『』\"' "
_NAMED = "(?P<object>.{1,60}?)"
_END = r"[\s？?。.！!呢]*$"


class Backwards(NamedTuple):
    """A question from an object to what it is that of: whose capital is Paris."""

    predicate: str
    object: str


class _Forms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    zh: dict[str, tuple[str, ...]]
    en: dict[str, tuple[str, ...]]


def asked_backwards(question: str) -> Backwards | None:
    """The predicate and the object of a question for the subject; None if it is no such question."""
    for pattern in _backwards_forms():
        if found := pattern.match(question.strip()):
            named = found["object"].strip(_QUOTES)
            predicate = found["predicate"].strip()
            return Backwards(predicate, named) if named and predicate else None
    return None


def asked_where(question: str) -> str | None:
    """A Chinese question for a city, or for where something lies, in the plainest words; None if it is no such."""
    plain = _where_words().sub("在哪里", question, count=1)
    return plain if plain != question else None


@cache
def _where_words() -> re.Pattern[str]:
    zh = _forms().zh
    return re.compile(
        rf"(?:是|都)?{_any(zh['situated'])}(?:{_any(zh['which'])}{_any(zh['places'])}|哪里|哪儿|何处|何地)(?:的)?"
    )


@cache
def _backwards_forms() -> tuple[re.Pattern[str], ...]:
    zh, en = _forms().zh, _forms().en
    opening = f"^(?:{_any(zh['opening'])}[，,]?)?"
    whose = f"(?:{_any(zh['who'])}|{_any(zh['which'])}[^的是]{{0,8}})的"
    of = r"(?P<predicate>[^的是？?]{1,10}?)"
    which, is_, has = (_any(en[part]) for part in ("which", "is", "has"))
    predicate = r"(?P<predicate>[\w -]{2,40}?)"
    return (
        re.compile(f"{opening}{whose}{of}{_any(zh['is'])}{_NAMED}{_END}"),
        re.compile(f"{opening}{_NAMED}是{whose}{of}{_END}"),
        re.compile(
            rf"^(?:whose|{which} [\w -]{{2,30}}?['’]s?) {predicate} {is_} {_NAMED}{_END}", re.IGNORECASE
        ),
        re.compile(
            rf"^(?:of )?{which} [\w -]{{2,30}}? {is_} {_NAMED} (?:the|an?) {predicate}(?: of)?{_END}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"^{_NAMED} {is_} (?:the|an?) {predicate} of (?:{which}(?: [\w -]{{2,30}})?|whom){_END}",
            re.IGNORECASE,
        ),
        re.compile(
            rf"^{which} [\w-]{{2,30}}? {has} (?:the |an? )?(?P<predicate>[\w-]{{3,30}}) {_NAMED}{_END}",
            re.IGNORECASE,
        ),
    )


@cache
def _forms() -> _Forms:
    text = (files("caveat.answerers.knowledge") / "asking.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Forms)


def _any(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


# Blanks or digits on both sides of a comma make it part of a number, a sentence stop makes the whole a text.
_MARKS = re.compile(r"[、；;|]|(?<![0-9])[，,/]|[，,/](?![0-9])")
_STRONG = re.compile(r"[；;|]")
_TEXT = re.compile(r"[。！？!?]|\.\s")
_OPENING, _CLOSING = "（([【《“「『", "）)]】》”」』"
_LONGEST_PART, _LONGEST_VALUE, _MOST_PARTS = 30, 400, 40
_LIST = 3


def parts_of(value: str) -> tuple[str, ...]:
    """The parts, at least two; none where the value is one thing, or a text.

    In Latin letters a comma may stand inside one thing (Paris, France): there only lists of three or more are cut.
    """
    if len(value) > _LONGEST_VALUE or _TEXT.search(value):
        return ()
    parts = _apart(value)
    several = 2 if count_han(value) or _STRONG.search(value) else _LIST
    if not several <= len(parts) <= _MOST_PARTS or any(len(part) > _LONGEST_PART for part in parts):
        return ()
    return tuple(parts)


def _apart(value: str) -> list[str]:
    """Cut at the marks that stand in no brackets and no book marks."""
    parts, depth, begin = [], 0, 0
    marks = {match.start() for match in _MARKS.finditer(value)}
    for at, character in enumerate(value):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif depth <= 0 and at in marks:
            parts.append(value[begin:at])
            begin = at + 1
    parts.append(value[begin:])
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


# What stands between the entity and the thing that is asked of its wife, its founder, its capital …
_CHINESE = re.compile(rf"^(?P<before>.*?){MASK}的?(?P<first>[^的{MASK}]{{1,10}})的(?P<second>[^的{MASK}]+)$")
_ENGLISH = (
    re.compile(rf"^(?P<second>.*\w) of (?:the )?(?P<first>[\w ]{{2,40}}?) of (?:the )?{MASK}(?P<after>.*)$"),
    re.compile(rf"^(?P<before>.*?){MASK}['’]s (?P<first>[\w ]{{2,40}}?)['’]s (?P<second>.+)$"),
    re.compile(rf"^(?P<second>.*\w) of {MASK}['’]s (?P<first>[\w ]{{2,40}}?)(?P<after>\W*)$"),
)
_SURE = 0.5
_LIKELY, _MOST_OBJECTS = 0.3, 5
# How sure a predicate in its own words is from object to subject, and how much is looked at and answered.
_SAME, _MOST_BACKWARDS, _MOST_SUBJECTS = 0.9, 20, 200


class TwoSteps(NamedTuple):
    """Two steps: the triple to the thing between, those from there to the answers, how probable both are together."""

    first: Triple
    second: tuple[Triple, ...]
    probability: float


class _Split(NamedTuple):
    """A question taken apart: one for the first step, and what stands around its object in that for the second."""

    first: str
    before: str
    after: str


def walk_twice(
    question: str, base: Base, model: Matching, understood: Sequence[Understood]
) -> TwoSteps | None:
    """The best walk of two steps; None if the question has no form for it, or one step answers another question."""
    best: TwoSteps | None = None
    for mention in _likely_mentions(understood):
        for split in _splits(question, mention):
            for walked, predicates in _walks(split, base, model):
                if (best is None or walked.probability > best.probability) and _needed(
                    understood[0], predicates
                ):
                    best = walked
    return best


def _likely_mentions(understood: Sequence[Understood]) -> list[Mention]:
    """The mentions that are probable among all, whatever they are asked for."""
    shares: dict[Mention, float] = defaultdict(float)
    for each in understood:
        shares[each.mention] += each.probability
    least = _LIKELY * sum(shares.values())
    return [mention for mention, share in shares.items() if share >= least]


def _needed(top: Understood, predicates: set[str]) -> bool:
    """Whether one step leaves a question open: it is not sure of itself, or it sees one of the two steps alone."""
    return top.probability < _SURE or top.candidate.predicate in predicates


def _splits(question: str, mention: Mention) -> Iterator[_Split]:
    start, end = mention.start, mention.end
    masked = f"{question[:start]}{MASK}{question[end:]}"
    name = question[start:end]
    if language_of(question) == CHINESE:
        if match := _CHINESE.match(re.sub(rf"[《“「『]{MASK}[》”」』]", MASK, masked)):
            yield _Split(f"{name}的{match['first']}是什么？", match["before"], f"的{match['second']}")
        return
    for pattern in _ENGLISH:
        if match := pattern.match(masked):
            parts = match.groupdict()
            before = f"{parts['second']} of " if "after" in parts else parts["before"]
            after = parts["after"] if "after" in parts else f"'s {parts['second']}"
            yield _Split(f"What is the {match['first']} of {name}?", before, after)


def _walks(split: _Split, base: Base, model: Matching) -> Iterator[tuple[TwoSteps, set[str]]]:
    firsts, _ = model.understood(split.first, base)
    if not firsts or firsts[0].probability < _SURE:
        return
    step = firsts[0]
    for triple in step.candidate.triples[:_MOST_OBJECTS]:
        for between in dict.fromkeys((triple.object, *parts_of(triple.object)[:_MOST_OBJECTS])):
            if between == step.entity:
                continue
            begin = len(split.before)
            seconds, _ = model.understood(f"{split.before}{between}{split.after}", base)
            for second in seconds[:1]:
                of_it = (second.mention.start, second.mention.end) == (begin, begin + len(between))
                # Asked for the name of the thing between, one step answers.
                if (
                    of_it
                    and second.probability >= _SURE
                    and second.candidate.predicate not in ALIAS_PREDICATES
                ):
                    walked = TwoSteps(
                        triple, tuple(second.candidate.triples), step.probability * second.probability
                    )
                    yield walked, {step.candidate.predicate, second.candidate.predicate}


class ValueAnswer(NamedTuple):
    """Values that answer a question together, the triples that were walked along to them, and how probable it is."""

    values: tuple[str, ...]
    triples: tuple[Triple, ...]
    probability: float


def find_answers(question: str, base: Base, model: Matching) -> tuple[list[ValueAnswer], float]:
    """What answers a question, the most probable first, and how probable it is that the base has no answer."""
    backwards = _backwards(question, base, model)
    if backwards is not None:
        return [backwards], 1 - backwards.probability
    understood, none = model.understood(question, base)
    if not understood or none > understood[0].probability:
        understood, none = _where(question, base, model, understood, none)
    walked = walk_twice(question, base, model, understood)
    found = _together(understood)
    if walked is None:
        return found, none
    # What two steps explain is taken from all that one step does.
    left = 1 - walked.probability
    rest = [each._replace(probability=each.probability * left) for each in found]
    return sorted([_walked(walked), *rest], key=lambda each: -each.probability), none * left


def _where(
    question: str, base: Base, model: Matching, understood: list[Understood], none: float
) -> tuple[list[Understood], float]:
    """A question for a city that nothing answers, asked as where something is; else what was understood of it."""
    plain = asked_where(question) if language_of(question) == CHINESE else None
    if plain is None:
        return understood, none
    found, nothing = model.understood(plain, base)
    return (found, nothing) if found and found[0].probability > nothing else (understood, none)


def _backwards(question: str, base: Base, model: Matching) -> ValueAnswer | None:
    """The subjects of an object, where the question has that form and the base is small enough to have them."""
    asked = asked_backwards(question)
    if asked is None or not isinstance(base, KnowledgeStore):
        return None
    wanted = clean_predicate(fold(asked.predicate).text)
    by_predicate: dict[str, list[Triple]] = defaultdict(list)
    for triple in base.triples_to(asked.object):
        by_predicate[clean_predicate(triple.predicate)].append(triple)
    best: ValueAnswer | None = None
    for predicate, triples in list(by_predicate.items())[:_MOST_BACKWARDS]:
        probability = (
            _SAME if predicate == wanted else _meant(asked.predicate, predicate, triples[0], base, model)
        )
        if probability >= _SURE and (best is None or probability > best.probability):
            values = tuple(dict.fromkeys(triple.subject for triple in triples))
            best = ValueAnswer(values, tuple(triples), probability)
    # A part of very many would look like all of them.
    return best if best is None or len(best.values) <= _MOST_SUBJECTS else None


def _meant(words: str, predicate: str, triple: Triple, base: Base, model: Matching) -> float:
    """How probable it is that these words mean the predicate, asked of the subject."""
    zh = language_of(words) == CHINESE
    question = f"{triple.subject}的{words}是什么？" if zh else f"What is the {words} of {triple.subject}?"
    found, _ = model.understood(question, base)
    fitting = (
        each for each in found if each.entity == triple.subject and each.candidate.predicate == predicate
    )
    return min(_SAME, max((each.probability for each in fitting), default=0.0))


def _together(understood: Sequence[Understood]) -> list[ValueAnswer]:
    """The same values found in several ways count once, and are as probable as all these ways together."""
    ways: dict[tuple[str, ...], ValueAnswer] = {}
    for each in understood:
        triples = each.candidate.triples
        values = tuple(dict.fromkeys(triple.object for triple in triples))
        known = ways.get(values)
        ways[values] = (
            ValueAnswer(values, tuple(triples), each.probability)
            if known is None
            else known._replace(probability=known.probability + each.probability)
        )
    return sorted(ways.values(), key=lambda found: -found.probability)


def _walked(walked: TwoSteps) -> ValueAnswer:
    values = tuple(dict.fromkeys(triple.object for triple in walked.second))
    return ValueAnswer(values, (walked.first, *walked.second), walked.probability)
