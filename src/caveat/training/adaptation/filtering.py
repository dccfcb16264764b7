"""Which of the teacher's questions are learnt from, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.shared.extractive_metric import overlap_f1
from caveat.core.script import language_of
from caveat.language.stop_words import STOP_WORDS
from caveat.language.tokens import tokens
from caveat.models.language_model.quotations import find_quotation
from caveat.training.adaptation.records import Judged, Passage, Written
from caveat.training.adaptation.teaching import Answered

__all__ = ["after_round_trip", "first_look"]

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
    words = set(tokens(written.question)) - STOP_WORDS
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
    if (answer := set(quoted) - STOP_WORDS) and answer <= words:
        return "question names the answer"
    if written.kind == "conditional" and condition is None:
        return "condition not in the passage"
    return ""


def after_round_trip(
    judged: Judged, passage: Passage, teacher: Answered | None, found: str, probability: float
) -> Judged:
    """The question with what the teacher and the reader answered to it.

    A span stays where one of the two finds it again; yes and no where the teacher says so again; a question without
    an answer where the teacher finds none again and the reader is not sure of one.
    """
    kind = judged.written.kind
    again = "" if teacher is None else teacher.quotation if teacher.kind == "span" else teacher.kind
    judged = msgspec.structs.replace(judged, again=again, reader=found)
    if kind in ("yes", "no"):
        stays = again == kind
    elif kind == "none":
        stays = again == "none" and probability < _SURE
    else:
        assert judged.place is not None
        answer = passage.text[judged.place[0] : judged.place[1]]
        stays = any(overlap_f1(tokens(other), tokens(answer)) >= _SAME for other in (again, found))
    return judged if stays else msgspec.structs.replace(judged, dropped="not answered the same way again")


def _key(question: str) -> str:
    return " ".join(tokens(question))
