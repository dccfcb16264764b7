"""Are lists of candidates sound? What DBQA and TBQA share; a question is known by its text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.shared.extractive_checks import empty_question
from caveat.benchmarks.shared.finding import Finding
from caveat.benchmarks.shared.place import Place, quote

__all__ = [
    "Candidate",
    "check_candidates",
    "contradictory_labels",
    "duplicate_candidate",
    "no_positive",
    "single_candidate",
    "split_question",
]


class Candidate(msgspec.Struct, frozen=True):
    """A candidate of a question: what makes it the same as another, how it is shown, its label and line."""

    key: Hashable
    shown: str
    label: int | None
    line: int


def check_candidates(pairs: Iterable[tuple[str, Candidate]], file: str) -> Iterator[Finding]:
    """The findings for each question in the order in which the questions first come."""
    lists: dict[str, list[Candidate]] = {}
    numbers: dict[str, list[int]] = {}
    for number, (question, candidate) in enumerate(pairs):
        lists.setdefault(question, []).append(candidate)
        numbers.setdefault(question, []).append(number)
    for question, candidates in lists.items():
        place = Place(file, candidates[0].line)
        yield from empty_question(question, place)
        yield from split_question(question, numbers[question], candidates, file)
        yield from single_candidate(question, candidates, place)
        yield from no_positive(question, candidates, place)
        yield from duplicate_candidate(question, candidates, file)
        yield from contradictory_labels(question, candidates, file)


def split_question(
    question: str, numbers: Sequence[int], candidates: Sequence[Candidate], file: str
) -> Iterator[Finding]:
    """A question whose candidates have others between them: the task groups by text and merges them."""
    for index in range(1, len(numbers)):
        if numbers[index] != numbers[index - 1] + 1:
            line = candidates[index - 1].line
            yield Place(file, candidates[index].line).finding(
                "split-question", f"{quote(question)} has candidates up to line {line} already"
            )


def single_candidate(question: str, candidates: Sequence[Candidate], place: Place) -> Iterator[Finding]:
    """A question with nothing to rank."""
    if len(candidates) == 1:
        yield place.finding("single-candidate", f"{quote(question)} has one candidate only")


def no_positive(question: str, candidates: Sequence[Candidate], place: Place) -> Iterator[Finding]:
    """A question all of whose candidates are labelled wrong: every system scores 0 on it."""
    if all(candidate.label == 0 for candidate in candidates):
        yield place.finding("no-positive", f"{quote(question)} has no candidate labelled 1")


def duplicate_candidate(question: str, candidates: Sequence[Candidate], file: str) -> Iterator[Finding]:
    """A candidate that comes again with the same label."""
    for first, again in _repeats(candidates):
        if first.label == again.label:
            yield Place(file, again.line).finding(
                "duplicate-candidate",
                f"{quote(again.shown)} is a candidate of {quote(question)} on line {first.line} already",
            )


def contradictory_labels(question: str, candidates: Sequence[Candidate], file: str) -> Iterator[Finding]:
    """A candidate that comes again with the other label."""
    for first, again in _repeats(candidates):
        if first.label != again.label:
            yield Place(file, again.line).finding(
                "contradictory-labels",
                f"{quote(again.shown)} is labelled {again.label} for {quote(question)}, "
                f"and {first.label} on line {first.line}",
            )


def _repeats(candidates: Sequence[Candidate]) -> Iterator[tuple[Candidate, Candidate]]:
    """Each candidate that has come before, after its first coming."""
    first: dict[Hashable, Candidate] = {}
    for candidate in candidates:
        before = first.setdefault(candidate.key, candidate)
        if before is not candidate:
            yield before, candidate
