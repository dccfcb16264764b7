"""One reply out of several to the same question, each from sources of another kind.

The readers' probabilities are shares of one sum, of all that was found and of none (`caveat.models.probability`).
Across kinds it is done in the same way: each answer keeps its odds against none, and all of them share one none.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import msgspec

from caveat.core.answers import Answer, Place
from caveat.core.records import Reply
from caveat.models.probability import answer_key

# No kind of source is surer than this that it answers, lest it silence the others.
_LEAST_NONE = 1e-3
# Who asks has more of an answer than of a table in which it may stand: the table is this much of the best at most.
_BESIDE = 0.95


def merged(replies: Sequence[Reply], top: int) -> Reply:
    """The answers of all the replies, most probable first; a single reply stays as it is.

    The same answer from two kinds is one, where it is more probable. A table that stands alone comes after what says
    something, gives way to an answer in the text of its own page, and is none where yes or no is asked
    for. Answers that hold together are the reply if they are the most probable.
    """
    if len(replies) == 1:
        return replies[0]
    if any(answer.kind in ("yes", "no") for reply in replies for answer in reply.answers):
        replies = [_without_tables(reply) for reply in replies]
    odds = {index: 1 / max(reply.unanswerable, _LEAST_NONE) for index, reply in enumerate(replies)}
    every = [
        (answer.score * odds[index], index, answer)
        for index, reply in enumerate(replies)
        for answer in reply.answers
    ]
    said = max((own for own, _, answer in every if not _is_table(answer)), default=inf)
    found = sorted(
        (
            (min(own, _BESIDE * said) if _is_table(answer) else own, index, answer)
            for own, index, answer in every
        ),
        key=lambda item: -item[0],
    )
    kept: list[tuple[float, Answer]] = []
    # By text: where it is kept, and from which reply. One reply may have a text twice, under different conditions.
    places: dict[str, tuple[int, int]] = {}
    # What the answers of a reply weigh together, those beyond the first few as well.
    weight = 1 + sum((1 - reply.unanswerable) * odds[index] for index, reply in enumerate(replies))
    weight -= sum(own for own, _, _ in every) - sum(own for own, _, _ in found)
    for own, index, answer in found:
        place, of = places.get(key := answer_key(answer.text), (len(kept), index))
        if of != index:
            before, other = kept[place]
            kept[place] = before, _with_evidence(other, answer)
            weight -= own
        elif _gives_way(answer, [other for _, other in kept]):
            weight -= own
        else:
            places.setdefault(key, (len(kept), index))
            kept.append((own, answer))
    weight = max(weight, 1 + sum(own for own, _ in kept))
    if (whole := replies[found[0][1]] if found else None) is not None and whole.together:
        return msgspec.structs.replace(whole, unanswerable=min(whole.unanswerable, 1 / weight))
    answers = tuple(msgspec.structs.replace(answer, score=own / weight) for own, answer in kept[:top])
    return Reply(replies[0].question, answers, 1 / weight)


def _without_tables(reply: Reply) -> Reply:
    """What a reply says beside whole tables, which say neither yes nor no; all else is none."""
    kept = tuple(answer for answer in reply.answers if not _is_table(answer))
    if len(kept) == len(reply.answers):
        return reply
    none = 1.0 - sum(answer.score for answer in kept)
    return msgspec.structs.replace(reply, answers=kept, unanswerable=max(reply.unanswerable, none))


def _is_table(answer: Answer) -> bool:
    """Whether it is a table that stands alone."""
    return answer.cells is not None and answer.cells.kind == "table"


def _gives_way(answer: Answer, better: Sequence[Answer]) -> bool:
    return _is_table(answer) and any(
        other.kind == "span" and _is_of_file(answer.place, other.place) for other in better
    )


def _is_of_file(table: Place | None, text: Place | None) -> bool:
    """Whether a table is one of the page that a text is."""
    if table is None or text is None:
        return False
    return table.source == text.source or table.source.startswith(f"{text.source}#")


def _with_evidence(answer: Answer, again: Answer) -> Answer:
    """The answer with the places of the other as evidence, unless that is the same page read in another way."""
    if _is_of_file(answer.place, again.place) or _is_of_file(again.place, answer.place):
        return answer
    places = filter(None, (again.place, *again.evidence))
    return msgspec.structs.replace(answer, evidence=tuple(dict.fromkeys((*answer.evidence, *places))))
