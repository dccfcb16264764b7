"""What a language model is asked of passages, and what it says: kinds, quotations, conditions, by sentence number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

import msgspec

from caveat.answerers.prompted.passages import Shown
from caveat.core.records import Question
from caveat.core.script import Language
from caveat.language.packs import phrase
from caveat.models.language_model.completions import Message, Prompt
from caveat.models.language_model.prompt_files import prompt_file

__all__ = [
    "MOST_ANSWERS",
    "MOST_CONDITIONS",
    "MOST_SENTENCES",
    "Example",
    "Kind",
    "Quoted",
    "Reading",
    "Stated",
    "reading_of",
    "reading_prompt",
    "span_prompt",
]

Kind = Literal["span", "list", "yes", "no", "none"]
# No question has more answers than a person would read.
MOST_SENTENCES, MOST_ANSWERS, MOST_CONDITIONS = 6, 12, 8
# What a model quotes that says yes or no in its own word, though it calls it a span.
_SIDES: dict[str, Kind] = {"yes": "yes", "no": "no", "是": "yes", "是的": "yes", "否": "no", "不是": "no"}
# Much of an example helps less than one more.
_LONGEST_EXAMPLE = 400


class Stated(msgspec.Struct, frozen=True):
    """A condition, as a model says it."""

    sentence: int
    quotation: str
    unless: bool = False
    settled: Literal["holds", "fails", "open"] = "open"


def _few(most: int) -> msgspec.Meta:
    """A list of at most so many, for servers that hold a model to the schema: small ones otherwise go on for ever.

    A longer one from another server is no fault.
    """
    return msgspec.Meta(extra_json_schema={"maxItems": most})


class Reading(msgspec.Struct, frozen=True):
    """An answer, as a model says it."""

    sentences: Annotated[list[int], _few(MOST_SENTENCES)]
    kind: Kind
    quotations: Annotated[list[str], _few(MOST_ANSWERS)]
    conditions: Annotated[list[Stated], _few(MOST_CONDITIONS)] = []
    logic: Literal["all", "any"] = "all"


class Quoted(msgspec.Struct, frozen=True):
    """One span, as a model says it; no words where there is none."""

    sentence: int
    quotation: str


Said = TypeVar("Said", Reading, Quoted)
# Tokens that are enough for all that was ever seen; a model that goes on longer repeats itself.
_MOST_WRITTEN: dict[type, int] = {Reading: 400, Quoted: 120}


class Example(msgspec.Struct, frozen=True):
    """A question of a training split, with the passage it is on and its answer, empty where there is none."""

    question: str
    passage: str
    answer: str


def reading_of(said: Reading | Quoted) -> Reading:
    """A span as an answer like the others, and a side that was called a span as what it is."""
    if isinstance(said, Reading):
        return _sided(said)
    if not said.quotation.strip():
        return Reading([], "none", [])
    return Reading([said.sentence], "span", [said.quotation])


def _sided(said: Reading) -> Reading:
    if said.kind in ("yes", "no"):
        # Its own word is no quotation, and neither is nothing.
        quoted = [each for each in said.quotations if _bare(each) and _bare(each) not in _SIDES]
        return msgspec.structs.replace(said, quotations=quoted)
    if said.kind != "span" or len(said.quotations) != 1 or not said.sentences:
        return said
    side = _SIDES.get(_bare(said.quotations[0]))
    return msgspec.structs.replace(said, kind=side, quotations=[]) if side else said


def _bare(quotation: str) -> str:
    return quotation.strip(" .。!！").lower()


def reading_prompt(
    question: Question, shown: Shown, *, sample: int = 0, temperature: float = 0.0
) -> Prompt[Reading]:
    """The question with all that an answer may have: its kind, several quotations, conditions."""
    told = "" if question.told_in_another_language else " ".join(question.scenario.split())
    return _prompt("reading", Reading, question, shown, (), told, sample, temperature)


def span_prompt(
    question: Question,
    shown: Shown,
    examples: Sequence[Example] = (),
    *,
    sample: int = 0,
    temperature: float = 0.0,
) -> Prompt[Quoted]:
    """The question where one span is the answer."""
    return _prompt("span", Quoted, question, shown, examples, "", sample, temperature)


def _prompt(
    name: str,
    schema: type[Said],
    question: Question,
    shown: Shown,
    examples: Sequence[Example],
    told: str,
    sample: int,
    temperature: float,
) -> Prompt[Said]:
    file, language = prompt_file(name), question.spoken
    user = file.user(
        language,
        fence=shown.fence,
        passages=shown.text,
        examples=_examples(examples, language),
        scenario=told or phrase("nothing_said", language),
        question=" ".join(question.text.split()),
    )
    return Prompt(
        messages=(Message("system", file.system(language)), Message("user", user)),
        schema=schema,
        version=file.version,
        max_tokens=_MOST_WRITTEN[schema],
        temperature=temperature,
        sample=sample,
        # Of the other samples it counts whether they agree.
        logprobs=sample == 0,
    )


def _examples(examples: Sequence[Example], language: Language) -> str:
    if not examples:
        return ""
    lines = [phrase("examples", language)]
    for each in examples:
        lines.append(f"[1] {' '.join(each.passage.split())[:_LONGEST_EXAMPLE]}")
        lines.append(f"{phrase('question', language)}: {each.question}")
        answer = Quoted(1 if each.answer else 0, each.answer)
        lines.append(msgspec.json.encode(answer).decode("utf-8"))
    return "\n".join(lines)
