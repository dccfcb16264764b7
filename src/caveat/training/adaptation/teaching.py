"""What the teacher is asked: to write questions on a passage, and later to answer them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec

from caveat.core.script import Language
from caveat.models.language_model.completions import Message, Prompt
from caveat.models.language_model.prompt_files import fence_of, prompt_file
from caveat.training.adaptation.passages import QUESTIONS_A_PASSAGE
from caveat.training.adaptation.records import WANTED, Passage, Taught, TaughtSpans, Wanted

__all__ = ["Answered", "answering", "writing_questions"]

Said = TypeVar("Said")

_NAMED: dict[Language, dict[Wanted, str]] = {
    "en": {"span": "span", "none": "none", "yes-no": "yes or no", "conditional": "conditional"},
    "zh": {"span": "span", "none": "none", "yes-no": "yes 或 no", "conditional": "conditional"},
}
# Half of all questions have a plain answer, the other kinds share the rest.
_WEIGHTS: dict[Wanted, int] = {"span": 3, "none": 1, "yes-no": 1, "conditional": 1}
# Six questions with their quotations, in JSON; an answer is a few words.
_TOKENS_OF_QUESTIONS, _TOKENS_OF_AN_ANSWER = 900, 120


class Answered(msgspec.Struct, frozen=True):
    """The teacher's answer to a question: a quotation, and where it asks whether something is so, yes or no."""

    kind: Literal["span", "yes", "no", "none"]
    quotation: str = ""


def writing_questions(
    passage: Passage, language: Language, kinds: Sequence[Wanted] = WANTED
) -> Prompt[Taught] | Prompt[TaughtSpans]:
    """The prompt that asks for the questions of a passage, of these kinds."""
    count = str(QUESTIONS_A_PASSAGE)
    if tuple(kinds) == ("span",):
        return _prompt("teaching_spans", TaughtSpans, _TOKENS_OF_QUESTIONS, passage, language, count=count)
    wanted = _wanted(kinds, language)
    return _prompt("teaching", Taught, _TOKENS_OF_QUESTIONS, passage, language, count=count, kinds=wanted)


def _wanted(kinds: Sequence[Wanted], language: Language) -> str:
    """How many of each kind, as the prompt says it; the first has what is left over."""
    whole = sum(_WEIGHTS[kind] for kind in kinds)
    counts = {kind: max(1, QUESTIONS_A_PASSAGE * _WEIGHTS[kind] // whole) for kind in kinds}
    counts[kinds[0]] += QUESTIONS_A_PASSAGE - sum(counts.values())
    named = _NAMED[language]
    if language == "zh":
        return "，".join(f"{count} 个 {named[kind]}" for kind, count in counts.items())
    return ", ".join(f"{count} of kind {named[kind]}" for kind, count in counts.items())


def answering(passage: Passage, question: str, language: Language) -> Prompt[Answered]:
    """The prompt that asks a question of its passage; the passage first, which a server then reads only once."""
    return _prompt("answering", Answered, _TOKENS_OF_AN_ANSWER, passage, language, question=question)


def _prompt(
    name: str, schema: type[Said], max_tokens: int, passage: Passage, language: Language, **told: str
) -> Prompt[Said]:
    """A prompt file with the passage between its fences and what else it has places for."""
    file = prompt_file(name)
    shown = {"fence": fence_of(passage.text), "title": passage.title, "passage": passage.text}
    return Prompt(
        messages=(
            Message("system", file.system(language)),
            Message("user", file.user(language, **shown, **told)),
        ),
        schema=schema,
        version=file.version,
        max_tokens=max_tokens,
    )
