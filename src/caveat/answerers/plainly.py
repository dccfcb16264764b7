"""What is asked, said plainly: without greeting and politeness, and what the asker tells first as their scenario.

"Hello, could you tell me how I get new plates?" asks how one gets new plates; taken at its word it asks for yes or no.
"I have lost my card. Can I still travel?" tells something of the asker and then asks. A scenario in the language that
the question is not in can be read by no model, and is left out.
"""

from __future__ import annotations

import re

import msgspec

from caveat.answerers.documents.conditions.follow_up import inquiry
from caveat.core.records import Question
from caveat.language.sentences import sentences

__all__ = ["asks_nothing", "plainly", "tells_only"]

_GREETING = re.compile(
    r"\s*(?:(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening|day))(?: there| all| everyone| again)?"
    r"|dear [a-z]+(?: [a-z]+)?|thanks?(?: you)?(?: (?:so|very) much)?(?: in advance)?|excuse me|sorry to bother you"
    r"|please|kindly|ok(?:ay)?|well|so)\s*(?:[,.!:;–-]+|\n|(?=\bplease\b)|(?<=please)(?=\s))\s*"
    r"|\s*(?:您好|你好|大家好|请问(?:一下)?|打扰(?:一下|了)|麻烦(?:问|请问)?一下|谢谢(?:你|您|大家)?)[，,。.！!：:\s]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[\s,.!]*\b(?:thanks|thank you)(?: (?:so|very) much| in advance)?\s*[.!]*\s*$"
    r"|[，,。！!\s]*谢谢(?:您|你|了|大家)?[。！!]*\s*$",
    re.IGNORECASE,
)
_ME = r"(?:\s+(?:me|us))?(?:\s+please)?"
# What stands before the question that is meant.
_FRAME = re.compile(
    r"(?:\b(?:can|could|would|will) (?:you|someone|anyone|anybody|somebody)(?: please| kindly)? (?:tell|inform|explain"
    rf"|show|advise|remind|clarify|say|let me know|give me (?:an idea|a hint)(?: of)?){_ME}(?: to{_ME})?"
    r"|\b(?:do you|does anyone|does anybody)(?: happen to)? know"
    r"|\bi(?:['’]d| would)? (?:just |also |really )?(?:want(?:ed)?|need(?:ed)?|like|have|am trying|was trying) to "
    r"(?:know|find out|ask|understand|learn|check|figure out|be sure|decide)"
    r"|\bi(?:['’]m| am| was) (?:just |also )?"
    r"(?:wondering|asking|curious|trying to (?:find out|understand|decide|figure out))"
    r"|\bi wonder|\bi(?:['’]m| am) not sure|\bi (?:do not|don['’]?t) know|\bmy question is|\bany idea"
    rf"|\b(?:please )?(?:tell|let){_ME} know|\bplease (?:tell|explain|advise){_ME}|^\s*tell me|^\s*explain)\s*[,:]?\s+"
    r"(?=(?:about )?(?:the|if|whether|what|which|who|whom|whose|where|when|why|how|is|are|do|does|can|will)\b)"
    r"(?:about )?",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^(?:can|could|would|will) you(?: please)? (?:give|send|provide|find|get|share)(?: me| us)?(?: with)?\s+"
    r"(?=(?:some |any |more |further )?(?:info|information|details|help|advice)\b)",
    re.IGNORECASE,
)
_CHINESE_FRAME = re.compile(
    r"^(?:我?(?:想|要|想要)(?:问|知道|了解|咨询|请教)(?:一下|下)?|(?:能|可以|请)?(?:告诉|说说|讲讲|介绍)(?:一下|下)?我?"
    r"|(?:有)?(?:人|谁|哪位)知道|帮我(?:查|看)(?:一下|下)?)[，,：:\s]*"
)
_WORDS = re.compile(r"[^\W_]")
_WHETHER = re.compile(r"(?:if|whether)\s+(?:or not\s+)?", re.IGNORECASE)
_WH = re.compile(r"(?:什么|怎么|怎样|如何|哪|多少|多久|多长|多大|几|谁|为何|何时)")
_TELLS = re.compile(r"\b(?:i|i['’]\w+|my|we|our|me)\b|我", re.IGNORECASE)
# What was said before is needed to understand these.
_REFERS = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|one|any|so)\s*[?.!]|\b(?:it|they|this|these)\b|[它这那其]",
    re.IGNORECASE,
)
# How what is told of the asker begins.
_SELF = re.compile(
    r"(?:(?:and|but|also|well)?,? ?(?:i|i['’]\w+|my|we|we['’]\w+|our)\b)|我|本人", re.IGNORECASE
)
_CHINESE_ASKS = re.compile(
    r"吗|呢\W*$|什么|怎|几[个岁年天点]|多少|多久|多长|哪|谁|是否|能否|如何|为何|(\w)不\1|有没有|可不可以"
)
_THING = re.compile(r"the (\w+)", re.IGNORECASE)
_ASKS = re.compile(r"[?？]\s*$")
_JOINED = re.compile(r"\b(?:and|but|so)$", re.IGNORECASE)
_LONGEST_THANKS = 60
# Fewer words before the question tell nothing.
_FEWEST = 3


def plainly(question: Question) -> Question:
    """The question that is meant; the same record where it is plain already."""
    # Runs of blanks would be passed again and again.
    asked = " ".join(question.text.split())
    text = _without_greeting(asked)
    before, text = _asking(text)
    if question.spoken == "zh":
        text = _chinese(text)
    else:
        earlier, text = _english(text)
        before = " ".join(part for part in (before, earlier) if part)
    if before and (not _TELLS.search(before) or _REFERS.search(text)):
        before, text = "", f"{before} {text}"
    told = "" if question.told_in_another_language else question.scenario
    scenario = " ".join(part for part in (before, told) if part)
    if text == asked and scenario == question.scenario:
        return question
    return msgspec.structs.replace(question, text=text, scenario=scenario, language=question.spoken)


def asks_nothing(text: str) -> bool:
    """Whether a text is a greeting or thanks alone, or has no word at all."""
    text = " ".join(text.split())
    left = f"{_without_greeting(text).rstrip(' .!,。！，~')}."
    return ((found := _GREETING.match(left)) is not None and found.end() == len(left)) or not _WORDS.search(
        text
    )


def tells_only(text: str) -> bool:
    """Whether a text tells something of the asker and asks nothing: "I am 34."."""
    text = _without_greeting(" ".join(text.split()))
    asks = any(_ASKS.search(text[start:end]) for start, end in sentences(text))
    framed = _FRAME.search(text) or _CHINESE_FRAME.match(text) or _CHINESE_ASKS.search(text)
    return not asks and not framed and _SELF.match(text) is not None


def _without_greeting(text: str) -> str:
    text = text.strip()
    while (found := _GREETING.match(text)) and found.end() < len(text):
        text = text[found.end() :]
    if (found := _THANKS.search(text, max(0, len(text) - _LONGEST_THANKS))) and found.start() > 0:
        text = text[: found.start()]
    return text


def _asking(text: str) -> tuple[str, str]:
    """What is told around the one sentence that asks, and that; all is the question where several ask, or none."""
    parts = [text[start:end].strip() for start, end in sentences(text)]
    asking = [part for part in parts if _ASKS.search(part)] or [part for part in parts if _FRAME.search(part)]
    if len(parts) < 2 or len(asking) != 1:
        return "", text
    return " ".join(part for part in parts if part is not asking[0]), asking[0]


def _english(text: str) -> tuple[str, str]:
    """What is told before the frame of a question, and the question without its frame."""
    if (frame := _FRAME.search(text)) is None:
        return "", _WISH.sub("", text)
    before = text[: frame.start()].rstrip(" ,;:")
    before = _JOINED.sub("", before).rstrip(" ,;:")
    if before and len(before.split()) < _FEWEST:
        before = ""
    asked = text[frame.end() :].rstrip(" .!")
    if thing := _THING.match(asked):
        asked = f"What {'are' if thing[1].endswith('s') else 'is'} {asked}"
    if whether := _WHETHER.match(asked):
        asked = _inverted(asked[whether.end() :])
    asked = asked[:1].upper() + asked[1:]
    return before, asked if asked.endswith("?") else f"{asked}?"


def _inverted(clause: str) -> str:
    """ "I can claim" as "Can I claim"; as it is, with whether, where that cannot be told."""
    statement = clause.rstrip(" ?")
    found = inquiry(statement)
    if found.negated or '"' in found.question or not found.question.endswith("?"):
        return f"whether {statement}"
    return found.question


def _chinese(text: str) -> str:
    found = _CHINESE_FRAME.match(text)
    if found is None or found.end() == len(text):
        return text
    asked = text[found.end() :]
    if _WH.search(asked):
        asked = re.sub(r"吗(?=[？?]?\s*$)", "", asked)
    return asked
