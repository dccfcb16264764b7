"""Forms of questions: those that ask for a place in other words than where, and those from an object to its subject."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

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
    for pattern in _backwards():
        if found := pattern.match(question.strip()):
            named = found["object"].strip(_QUOTES)
            predicate = found["predicate"].strip()
            return Backwards(predicate, named) if named and predicate else None
    return None


def asked_where(question: str) -> str | None:
    """A Chinese question for a city, or for where something lies, in the plainest words; None if it is no such."""
    plain = _where().sub("在哪里", question, count=1)
    return plain if plain != question else None


@cache
def _where() -> re.Pattern[str]:
    zh = _forms().zh
    return re.compile(
        rf"(?:是|都)?{_any(zh['situated'])}(?:{_any(zh['which'])}{_any(zh['places'])}|哪里|哪儿|何处|何地)(?:的)?"
    )


@cache
def _backwards() -> tuple[re.Pattern[str], ...]:
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
