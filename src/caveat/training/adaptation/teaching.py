"""Which passages of somebody's documents the teacher is asked about: to write questions, later to answer them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import PurePath
from typing import Literal, TypeVar

import msgspec

from caveat.benchmarks.shared.extractive_metric import overlap_f1
from caveat.core.errors import CaveatError
from caveat.core.languages import Language, language_of
from caveat.core.records import Document
from caveat.language.packs import pack
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.library.passages import document_passages, passage_text, title_of
from caveat.models.language_model.completions import Message, Prompt, fence_of, prompt_file
from caveat.models.language_model.quotations import find_quotation
from caveat.training.adaptation.records import WANTED, Judged, Passage, Taught, TaughtSpans, Wanted, Written
from caveat.training.sampling import spread

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


# Which of the teacher's questions are learnt from, and why the others are not.

# Words that an answer may have: what a reader gives at most, too.
_LONGEST_ANSWER = 30
# Two answers that share this much (F1 of their words) are the same answer with other edges.
_SAME = 0.5
# How sure the reader may be of an answer where the teacher says that there is none.
_SURE = 0.5


def first_look(passage: Passage, written: Iterable[Written], asked: set[str]) -> Iterator[Judged]:
    """The questions of a passage, judged by their words alone; `asked` are those of all passages so far."""
    for each in written:
        judged = Judged(passage.id, each)
        place = find_quotation(each.quotation, passage.text) if each.quotation.strip() else None
        condition = find_quotation(each.condition, passage.text) if each.kind == "conditional" else None
        dropped = _fault(passage, each, place, condition, asked)
        asked.add(_key(each.question))
        if each.kind == "none":
            place = None
        yield msgspec.structs.replace(judged, place=place, condition=condition, dropped=dropped)


def _fault(
    passage: Passage,
    written: Written,
    place: tuple[int, int] | None,
    condition: tuple[int, int] | None,
    asked: set[str],
) -> str:
    words = set(tokens(written.question)) - STOP_TOKENS
    if not words:
        return "no question"
    if language_of(written.question) != language_of(passage.text):
        return "in another language"
    if _key(written.question) in asked:
        return "asked before"
    if written.kind == "none":
        return "quotes an answer though there is none" if place else ""
    if place is None:
        return "quotation not in the passage"
    if written.kind in ("yes", "no"):
        return ""
    quoted = tokens(passage.text[place[0] : place[1]])
    if len(quoted) > _LONGEST_ANSWER:
        return "answer too long"
    if (answer := set(quoted) - STOP_TOKENS) and answer <= words:
        return "question names the answer"
    if written.kind == "conditional" and condition is None:
        return "condition not in the passage"
    return ""


def by_reader(judged: Judged, passage: Passage, found: str, probability: float) -> Judged | None:
    """The question, where what the reader found to it decides; nothing where the teacher is to be asked again.

    A span stays that the reader finds too, and a question without an answer goes where the reader is sure of one.
    """
    judged = msgspec.structs.replace(judged, reader=found)
    if judged.written.kind == "none" and probability >= _SURE:
        return _gone(judged)
    return judged if _is_answer(judged, passage, found) else None


def by_teacher(judged: Judged, passage: Passage, found: str, teacher: Answered | None) -> Judged:
    """The question with what the reader found and what the teacher answered when it was asked its own question.

    It stays where the teacher says the same again: the span, yes or no, or that there is no answer.
    """
    again = "" if teacher is None else teacher.quotation if teacher.kind == "span" else teacher.kind
    judged = msgspec.structs.replace(judged, again=again, reader=found)
    if teacher is not None and teacher.kind == judged.written.kind != "span":
        return judged
    return judged if _is_answer(judged, passage, again) else _gone(judged)


def _is_answer(judged: Judged, passage: Passage, found: str) -> bool:
    """Whether that is the question's span, but for its edges."""
    if judged.place is None or judged.written.kind in ("yes", "no"):
        return False
    start, end = judged.place
    return overlap_f1(tokens(found), tokens(passage.text[start:end])) >= _SAME


def _gone(judged: Judged) -> Judged:
    return msgspec.structs.replace(judged, dropped="not answered the same way again")


def _key(question: str) -> str:
    return " ".join(tokens(question))
