"""Other things that a language model is asked: all spans of a passage, an answer's structure, which candidate is best.

Whatever it says is found in the passage again or left out; a candidate is one of those that were shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from typing import NamedTuple, TypeVar

import msgspec

from caveat.answerers.documents.structure.spans import Kind, Pair, Span, in_order
from caveat.answerers.prompted.passages import Shown, shown_candidates, shown_whole
from caveat.core.languages import language_of
from caveat.core.records import Document
from caveat.models.language_model.client import Client
from caveat.models.language_model.completions import Completion, Message, Prompt, prompt_file
from caveat.models.language_model.quotations import find_quotation

Said = TypeVar("Said")
Place = tuple[int, int]

# Tokens that an answer may have: lists and structures are long.
_MOST_WRITTEN = {"spans": 300, "structure": 700, "ranking": 40}


class _Spans(msgspec.Struct, frozen=True):
    quotations: list[str]


class _Fine(msgspec.Struct, frozen=True):
    text: str
    conditions: list[str] = []


class _Coarse(msgspec.Struct, frozen=True):
    coarse: str
    conditions: list[str] = []
    fine: list[_Fine] = []


class _Structure(msgspec.Struct, frozen=True):
    answers: list[_Coarse]


class _Ranking(msgspec.Struct, frozen=True):
    numbers: list[int]


class FoundStructure(NamedTuple):
    """The spans of a structured answer from left to right, which belong together, and how much was not found."""

    spans: list[Span]
    pairs: list[Pair]
    unfound: int = 0


def ask_for_spans(
    client: Client, asked: Iterable[tuple[str, str]]
) -> Iterator[tuple[list[Place] | None, int]]:
    """For each question and text the places of all answers, None for no reply; and how many were not found."""
    mine, theirs = tee(asked)
    for (_, text), said in zip(mine, _asked(client, "spans", _Spans, theirs), strict=True):
        if said is None:
            yield None, 0
            continue
        places = [find_quotation(each, text) for each in said.quotations]
        found = sorted(dict.fromkeys(place for place in places if place is not None))
        yield (found if found or not places else None), places.count(None)


def ask_for_structure(client: Client, asked: Iterable[tuple[str, str]]) -> Iterator[FoundStructure | None]:
    """For each question and text the structure of its answer; None where none can be had."""
    mine, theirs = tee(asked)
    for (_, text), said in zip(mine, _asked(client, "structure", _Structure, theirs), strict=True):
        yield None if said is None else _structure(said, text)


def ask_to_rank(client: Client, asked: Iterable[tuple[str, Sequence[str]]]) -> Iterator[list[int] | None]:
    """For each question the numbers, from 0, of the candidates that answer it, the best first; None for no reply."""
    mine, theirs = tee(asked)

    def prompts() -> Iterator[Prompt[_Ranking]]:
        for question, candidates in theirs:
            yield _prompt("ranking", _Ranking, question, shown_candidates(candidates))

    for (_, candidates), completion in zip(mine, client.complete_many(prompts()), strict=True):
        if completion.parsed is None:
            yield None
            continue
        numbers = dict.fromkeys(number - 1 for number in completion.parsed.numbers)
        yield [number for number in numbers if 0 <= number < len(candidates)]


def _asked(
    client: Client, name: str, schema: type[Said], asked: Iterable[tuple[str, str]]
) -> Iterator[Said | None]:
    prompts = (_prompt(name, schema, question, shown_whole(Document(text))) for question, text in asked)
    completions: Iterator[Completion[Said]] = client.complete_many(prompts)
    return (completion.parsed for completion in completions)


def _prompt(name: str, schema: type[Said], question: str, shown: Shown) -> Prompt[Said]:
    file, language = prompt_file(name), language_of(question)
    user = file.user(language, fence=shown.fence, passages=shown.text, question=" ".join(question.split()))
    return Prompt(
        messages=(Message("system", file.system(language)), Message("user", user)),
        schema=schema,
        version=file.version,
        max_tokens=_MOST_WRITTEN[name],
    )


def _structure(said: _Structure, text: str) -> FoundStructure | None:
    spans: dict[Span, None] = {}
    pairs: dict[Pair, None] = {}
    unfound = 0

    def found(kind: Kind, words: str) -> Span | None:
        nonlocal unfound
        if not words.strip():
            return None
        place = find_quotation(words, text)
        if place is None:
            unfound += 1
            return None
        spans.setdefault(span := Span(kind, *place))
        return span

    def related(head: Span | None, tail: Span | None) -> None:
        if head is not None and tail is not None:
            pairs.setdefault((head, tail))

    for answer in said.answers:
        coarse = found("coarse", answer.coarse)
        for condition in answer.conditions:
            related(found("condition", condition), coarse)
        for fine in answer.fine:
            part = found("fine", fine.text)
            related(coarse, part)
            for condition in fine.conditions:
                related(found("condition", condition), part)
    if unfound and not spans:
        return None
    return FoundStructure(in_order(spans), list(pairs), unfound)
