"""What a language model is asked of passages, and what it says: kinds, quotations, conditions, by sentence number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec

from caveat.answerers.documents.spans import place_in
from caveat.answerers.prompted.passages import Numbered, Shown
from caveat.core.answers import Answer, AnswerKind, Condition, Place
from caveat.core.languages import Language
from caveat.core.logic import FAILS, HOLDS, All, Any, Atom, Expression, Not, simplify
from caveat.core.records import Document, Question
from caveat.core.settling import with_requirement
from caveat.language.follow_up import inquiry
from caveat.language.packs import phrase
from caveat.models.language_model.completions import Message, Prompt, prompt_file
from caveat.models.language_model.quotations import find_quotation

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


# What a language model says as a reply: every quotation found again in the source, or nothing of it is used.


class UnfoundError(Exception):
    """What a model says does not stand in what it was shown."""


class Checked(NamedTuple):
    """The answers of a model, each with its place; none where it says that there is none. Scores are to come."""

    answers: tuple[Answer, ...]
    together: bool = False
    unfound: tuple[str, ...] = ()


class _Found(NamedTuple):
    document: int
    start: int
    end: int


def checked(said: Reading, shown: Shown, documents: Sequence[Document], question: Question) -> Checked:
    """The answers that a model's words stand for; raises `UnfoundError` where they do not stand in the source."""
    if said.kind == "none":
        return Checked(())
    numbers = [named for number in said.sentences[:MOST_SENTENCES] if (named := shown.at(number))]
    condition, atoms = _condition(said, shown, documents, question)
    if said.kind in ("yes", "no"):
        return _side(said, shown, documents, numbers, condition, atoms)
    found: dict[_Found, None] = {}
    unfound: list[str] = []
    for quotation in said.quotations[:MOST_ANSWERS]:
        place = _find(quotation, shown, documents, numbers)
        if place is None:
            unfound.append(quotation)
        else:
            found.setdefault(place)
    if not found or (unfound and said.kind == "span"):
        raise UnfoundError(unfound[0] if unfound else "no quotation")
    if condition == FAILS:
        return Checked(())
    answers = tuple(_span(documents[place.document], place, condition, atoms, documents) for place in found)
    return Checked(answers, together=len(answers) > 1, unfound=tuple(unfound))


def _side(
    said: Reading,
    shown: Shown,
    documents: Sequence[Document],
    numbers: Sequence[Numbered],
    condition: Expression,
    atoms: dict[str, _Found],
) -> Checked:
    """Yes or no with the sentences that say so; the other where the asker has said that a condition fails."""
    evidence = [_Found(*place) for place in numbers]
    unfound: list[str] = []
    for quotation in said.quotations[:MOST_ANSWERS]:
        if (place := _find(quotation, shown, documents, numbers)) is not None:
            inside = [each for each in shown.sentences if _is_inside(place, each)]
            evidence += [_Found(*each) for each in inside]
        else:
            unfound.append(quotation)
    if not evidence or (unfound and len(unfound) == len(said.quotations[:MOST_ANSWERS])):
        raise UnfoundError(unfound[0] if unfound else "no sentence")
    kind: AnswerKind = "yes" if (said.kind == "yes") != (condition == FAILS) else "no"
    places = tuple(
        place_in(documents[each.document], each.start, each.end) for each in dict.fromkeys(evidence)
    )
    answer = _under(Answer(kind, kind, 0.0, evidence=places), condition, atoms, documents)
    return Checked((answer,), unfound=tuple(unfound))


def _span(
    document: Document,
    place: _Found,
    condition: Expression,
    atoms: dict[str, _Found],
    documents: Sequence[Document],
) -> Answer:
    at = place_in(document, place.start, place.end)
    answer = Answer(document.text[place.start : place.end], "span", 0.0, at)
    return _under(answer, condition, atoms, documents)


def _under(
    answer: Answer, condition: Expression, atoms: dict[str, _Found], documents: Sequence[Document]
) -> Answer:
    if condition in (HOLDS, FAILS):
        return answer

    def as_condition(atom: Atom) -> Condition:
        found = atoms[atom.fact]
        place: Place = place_in(documents[found.document], found.start, found.end)
        return Condition(atom.text, place, atom.question)

    return with_requirement(answer, condition, as_condition)


def _condition(
    said: Reading, shown: Shown, documents: Sequence[Document], question: Question
) -> tuple[Expression, dict[str, _Found]]:
    """What is left open of the conditions, and where each stands; only what the asker has said can settle one."""
    parts: list[Expression] = []
    places: dict[str, _Found] = {}
    for stated in said.conditions[:MOST_CONDITIONS]:
        place = _stated(stated, shown, documents)
        text = documents[place.document].text[place.start : place.end]
        asked = inquiry(text)
        atom = Atom(text, asked.question)
        places.setdefault(atom.fact, place)
        if stated.settled != "open" and question.scenario.strip():
            parts.append(HOLDS if stated.settled == "holds" else FAILS)
        else:
            parts.append(Not(atom) if stated.unless != asked.negated else atom)
    if not parts:
        return HOLDS, {}
    return simplify(Any(tuple(parts)) if said.logic == "any" else All(tuple(parts))), places


def _stated(stated: Stated, shown: Shown, documents: Sequence[Document]) -> _Found:
    """The place of a condition: its words, else the sentence that they were said to stand in."""
    number = shown.at(stated.sentence)
    found = _find(stated.quotation, shown, documents, [number] if number else [])
    if found is None and number is not None:
        return _Found(*number)
    if found is None:
        raise UnfoundError(stated.quotation)
    return found


def _find(
    quotation: str, shown: Shown, documents: Sequence[Document], near: Sequence[Numbered]
) -> _Found | None:
    """The place of a quotation in what was shown, in the sentences that were named if it can be."""
    for each in near:
        if place := find_quotation(quotation, documents[each.document].text[each.start : each.end]):
            return _Found(each.document, each.start + place[0], each.start + place[1])
    # A quotation may go over several sentences; what was left out between them is not looked at.
    for number, start, end in _joined(shown.sentences):
        if place := find_quotation(quotation, documents[number].text[start:end]):
            return _Found(number, start + place[0], start + place[1])
    return None


def _joined(parts: Sequence[Numbered]) -> list[_Found]:
    """Neighbouring sentences as one: between them there are blanks and marks of lists alone."""
    joined: list[_Found] = []
    for each in parts:
        last = joined[-1] if joined else None
        if last is not None and last.document == each.document and 0 <= each.start - last.end <= _GAP:
            joined[-1] = last._replace(end=each.end)
        else:
            joined.append(_Found(*each))
    return joined


# Characters between two sentences that follow each other.
_GAP = 8


def _is_inside(place: _Found, sentence: Numbered) -> bool:
    return place.document == sentence.document and sentence.start <= place.start and place.end <= sentence.end
