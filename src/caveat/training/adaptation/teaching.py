"""Which passages of somebody's documents the teacher is asked about: to write questions, later to answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import PurePath
from typing import Literal, TypeVar

import msgspec

from caveat.core.errors import CaveatError
from caveat.core.records import Document
from caveat.core.script import Language, language_of
from caveat.language.packs import pack
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.library.passages import document_passages, passage_text, title_of
from caveat.models.language_model.completions import Message, Prompt
from caveat.models.language_model.prompt_files import fence_of, prompt_file
from caveat.training.adaptation.records import WANTED, Passage, Taught, TaughtSpans, Wanted
from caveat.training.sampling import spread

__all__ = [
    "QUESTIONS_A_PASSAGE",
    "Answered",
    "answering",
    "chosen_passages",
    "language_of_most",
    "writing_questions",
]

QUESTIONS_A_PASSAGE = 6
"""Questions that the teacher is asked to write on one passage: of more it repeats itself."""
# With fewer words of substance there is nothing to ask about: headings, captions, links.
_FEWEST_WORDS = 20
Said = TypeVar("Said")

_NAMED: dict[Language, dict[Wanted, str]] = {
    ENGLISH: {"span": "span", "none": "none", "yes-no": "yes or no", "conditional": "conditional"},
    CHINESE: {"span": "span", "none": "none", "yes-no": "yes 或 no", "conditional": "conditional"},
}
# Half of all questions have a plain answer, the other kinds share the rest.
_WEIGHTS: dict[Wanted, int] = {"span": 3, "none": 1, "yes-no": 1, "conditional": 1}
# Six questions with their quotations, in JSON; an answer is a few words.
_TOKENS_OF_QUESTIONS, _TOKENS_OF_AN_ANSWER = 900, 120


def language_of_most(documents: Iterable[Document]) -> Language:
    """The language of most of the text."""
    characters: Counter[Language] = Counter()
    for document in documents:
        characters[language_of(document.text)] += len(document.text)
    if not characters:
        raise CaveatError("There is no text to learn from: the sources hold no document.")
    return characters.most_common(1)[0][0]


def chosen_passages(documents: Iterable[Document], language: Language, questions: int) -> tuple[Passage, ...]:
    """Enough passages in a language for so many questions, spread evenly over all that there are, none twice."""
    found: dict[str, Passage] = {}
    for document in documents:
        for number, passage in enumerate(document_passages(document)):
            text = passage_text(document, passage).strip()
            if language_of(text) != language or len(set(tokens(text)) - STOP_TOKENS) < _FEWEST_WORDS:
                continue
            title = " › ".join(dict.fromkeys((title_of(document), *passage.headings)))
            name = PurePath(document.url).name or title_of(document)
            found.setdefault(text, Passage(f"{name}:{number}", document.url, title, text))
    if not found:
        raise CaveatError(
            f"There is no passage to ask about: none in {pack(language).english_name} has "
            f"{_FEWEST_WORDS} different words of substance."
        )
    return tuple(spread(tuple(found.values()), ceil(questions / QUESTIONS_A_PASSAGE)))


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
    if language == CHINESE:
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
