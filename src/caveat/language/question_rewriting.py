"""What is asked, said plainly: without greeting and politeness, and what the asker tells first as their scenario.

"Hello, could you tell me how I get new plates?" asks how one gets new plates; taken at its word it asks for yes or no.
"I have lost my card. Can I still travel?" tells something of the asker and then asks. A scenario in the language that
the question is not in can be read by no model, and is left out.
"""

from __future__ import annotations

import re

import msgspec

from caveat.core.languages import Language, language_of
from caveat.core.records import Question
from caveat.language.packs import pack, pattern_of
from caveat.language.sentences import sentences

_WORDS = re.compile(r"[^\W_]")
_ASKS = re.compile(r"[?？]\s*$")
_LONGEST_THANKS = 60


def plainly(question: Question) -> Question:
    """The question that is meant; the same record where it is plain already."""
    # Runs of blanks would be passed again and again.
    asked = " ".join(question.text.split())
    language = question.spoken
    text = _without_greeting(asked, language)
    before, text = _asking(text, language)
    own = pack(language)
    if (rewritten := own.load(own.rewriting)) is not None:
        earlier, text = rewritten(text)
        before = " ".join(part for part in (before, earlier) if part)
    if before and (not _found("tells", before, language) or _found("refers", text, language)):
        before, text = "", f"{before} {text}"
    told = "" if question.told_in_another_language else question.scenario
    scenario = " ".join(part for part in (before, told) if part)
    if text == asked and scenario == question.scenario:
        return question
    return msgspec.structs.replace(question, text=text, scenario=scenario, language=question.spoken)


def asks_nothing(text: str) -> bool:
    """Whether a text is a greeting or thanks alone, or has no word at all."""
    text = " ".join(text.split())
    language = language_of(text)
    left = f"{_without_greeting(text, language).rstrip(' .!,。！，~')}."
    greeting = pattern_of("greeting", language)
    return (
        greeting is not None and (found := greeting.match(left)) is not None and found.end() == len(left)
    ) or not _WORDS.search(text)


def tells_only(text: str) -> bool:
    """Whether a text tells something of the asker and asks nothing: "I am 34."."""
    text = " ".join(text.split())
    language = language_of(text)
    text = _without_greeting(text, language)
    asks = any(_ASKS.search(text[start:end]) for start, end in sentences(text))
    framed = any(_found(name, text, language) for name in ("frame", "opening", "asks"))
    first = pattern_of("tells_first", language)
    return not asks and not framed and first is not None and first.match(text) is not None


def _without_greeting(text: str, language: Language) -> str:
    text = text.strip()
    greeting, thanks = (pattern_of(name, language) for name in ("greeting", "thanks"))
    while greeting and (found := greeting.match(text)) and found.end() < len(text):
        text = text[found.end() :]
    if thanks and (found := thanks.search(text, max(0, len(text) - _LONGEST_THANKS))) and found.start() > 0:
        text = text[: found.start()]
    return text


def _found(name: str, text: str, language: Language) -> bool:
    pattern = pattern_of(name, language)
    return pattern is not None and pattern.search(text) is not None


def _asking(text: str, language: Language) -> tuple[str, str]:
    """What is told around the one sentence that asks, and that; all is the question where several ask, or none."""
    parts = [text[start:end].strip() for start, end in sentences(text)]
    asking = [part for part in parts if _ASKS.search(part)] or [
        part for part in parts if _found("frame", part, language)
    ]
    if len(parts) < 2 or len(asking) != 1:
        return "", text
    return " ".join(part for part in parts if part is not asking[0]), asking[0]
