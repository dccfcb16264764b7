"""Which of the teacher's questions are learnt from, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.shared.extractive_metric import overlap_f1
from caveat.core.script import language_of
from caveat.language.tokens import STOP_TOKENS, tokens
from caveat.models.language_model.quotations import find_quotation
from caveat.training.adaptation.records import Judged, Passage, Written
from caveat.training.adaptation.teaching import Answered

__all__ = ["by_reader", "by_teacher", "first_look"]

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
