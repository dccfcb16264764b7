"""What the teacher is asked: to write questions on a passage, and later to answer them."""

from __future__ import annotations

from typing import Literal

import msgspec

from caveat.core.script import Language
from caveat.models.language_model.completions import Message, Prompt
from caveat.models.language_model.prompt_files import fence_of, prompt_file
from caveat.training.adaptation.passages import QUESTIONS_A_PASSAGE
from caveat.training.adaptation.records import Passage, Taught

__all__ = ["Answered", "answering", "writing_questions"]

_WANTED = {
    "en": "three of kind span, one of kind none, one of kind yes or no, one of kind conditional",
    "zh": "三个 span，一个 none，一个 yes 或 no，一个 conditional",
}
# Six questions with their quotations, in JSON; an answer is a few words.
_TOKENS_OF_QUESTIONS, _TOKENS_OF_AN_ANSWER = 900, 120


class Answered(msgspec.Struct, frozen=True):
    """The teacher's answer to a question: a quotation, and where it asks whether something is so, yes or no."""

    kind: Literal["span", "yes", "no", "none"]
    quotation: str = ""


def writing_questions(passage: Passage, language: Language) -> Prompt[Taught]:
    """The prompt that asks for the questions of a passage."""
    file = prompt_file("teaching")
    return Prompt(
        messages=(
            Message("system", file.system(language)),
            Message(
                "user",
                file.user(
                    language,
                    fence=fence_of(passage.text),
                    title=passage.title,
                    passage=passage.text,
                    count=str(QUESTIONS_A_PASSAGE),
                    kinds=_WANTED[language],
                ),
            ),
        ),
        schema=Taught,
        version=file.version,
        max_tokens=_TOKENS_OF_QUESTIONS,
    )


def answering(passage: Passage, question: str, language: Language) -> Prompt[Answered]:
    """The prompt that asks a question of its passage; the passage first, which a server then reads only once."""
    file = prompt_file("answering")
    values = {"fence": fence_of(passage.text), "title": passage.title, "passage": passage.text}
    return Prompt(
        messages=(
            Message("system", file.system(language)),
            Message("user", file.user(language, question=question, **values)),
        ),
        schema=Answered,
        version=file.version,
        max_tokens=_TOKENS_OF_AN_ANSWER,
    )
