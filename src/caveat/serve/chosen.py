"""What a question is really asked: the whole of one that goes on from another, and of chosen sources alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from caveat.answerers.kept import Kept
from caveat.core.errors import InputError
from caveat.core.records import Document, KnowledgeBase, Source
from caveat.language.ellipsis import completed
from caveat.language.question_rewriting import tells_only
from caveat.library.choosing import Shelf
from caveat.library.memory import state_in_memory
from caveat.serve.bodies import AskBody, FollowUp

if TYPE_CHECKING:
    from caveat.library.library import Library

# Indexes of chosen sources are kept until they have so many characters together.
_KEPT_CHARACTERS, _LEAST_CHARACTERS = 1 << 24, 1 << 18


def followed(body: AskBody) -> tuple[AskBody, FollowUp | None]:
    """The request with its whole question: what goes on from `before` is completed, what only tells asks that again."""
    line = " ".join(body.question.split())
    if not body.before.strip() or not line:
        return body, None
    if tells_only(line):
        return _told(body, FollowUp(body.before, line, keeps=True))
    whole = completed(line, body.before)
    return (body, None) if whole is None else _told(body, FollowUp(whole.question, whole.told))


def _told(body: AskBody, follow_up: FollowUp) -> tuple[AskBody, FollowUp]:
    scenario = " ".join(filter(None, (body.scenario, follow_up.told)))
    return replace(body, question=follow_up.question, scenario=scenario), follow_up


class ChosenSources:
    """Some sources of a library, searched as a library of their own; kept for the next question on the same ones."""

    def __init__(self) -> None:
        self._kept: Kept[tuple[object, Shelf]] = Kept(_KEPT_CHARACTERS, lambda kept: _size(kept[1].held))

    def of(self, library: Library, names: Sequence[str]) -> Shelf:
        """The sources of these names, with all that their files gave."""
        state = library.state()

        def made() -> tuple[object, Shelf]:
            wanted = set(names)
            found = [each.source for each in library.entries() if _is_wanted(each.source, wanted)]
            if missing := [name for name in names if not any(_is_wanted(each, {name}) for each in found)]:
                raise InputError("is not in the library", path=missing[0])
            named = {each: state.document(each) for each in dict.fromkeys(found)}
            chosen = state_in_memory(named.values())
            # Triples are called by their file here, and by their name in the library.
            bases = {each.path: name for name, each in named.items() if isinstance(each, KnowledgeBase)}
            paths = {name: path for path, name in bases.items()}
            shelf = Shelf(
                lambda: chosen,
                lambda name: bases.get(name, name),
                lambda name: paths.get(name, name),
                tuple(named.values()),
            )
            return state, shelf

        return self._kept.get((id(state), tuple(names)), made)[1]


def _is_wanted(source: str, names: set[str]) -> bool:
    """Whether a source is one of these, or of a file that is: `fees.xlsx#2026` is of `fees.xlsx`."""
    return source in names or ("#" in source and source.rpartition("#")[0] in names)


def _size(sources: Sequence[Source]) -> int:
    return max(_LEAST_CHARACTERS, sum(len(each.text) for each in sources if isinstance(each, Document)))
