"""The open conditions of an answer as a checklist: what must hold, all of it or any of it, and what must not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from caveat.core.records import AllOf, Answer, AnyOf, Condition, Requirement
from caveat.render.reply_text import clean

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

__all__ = ["add_checklist", "in_words"]


def add_checklist(branch: Tree, answer: Answer) -> None:
    """Add "if" with a box for each condition under it, in "all of" and "any of"; what must not be comes as "unless"."""
    whole = answer.requires if answer.requires is not None else AllOf(tuple(range(len(answer.conditions))))
    parts = whole.parts if isinstance(whole, AllOf) else (whole,)
    unless = [part for part in parts if isinstance(part, int) and not answer.conditions[part].wanted]
    wanted = [part for part in parts if part not in unless]
    if len(wanted) == 1 and isinstance(wanted[0], AnyOf):
        _add(branch.add("if any of"), wanted[0].parts, answer)
    elif wanted:
        _add(branch.add("if all of" if len(wanted) > 1 else "if"), wanted, answer)
    if unless:
        _add(branch.add("unless any of" if len(unless) > 1 else "unless"), unless, answer, asked_plainly=True)


def in_words(answer: Answer) -> str:
    """The same on one line: "A and (B or C)", for conditions of a few words."""

    def said(part: Requirement, inside: bool) -> str:
        if isinstance(part, int):
            condition = answer.conditions[part]
            return clean(condition.text) if condition.wanted else f"not: {clean(condition.text)}"
        joint = " and " if isinstance(part, AllOf) else " or "
        words = joint.join(said(each, True) for each in part.parts)
        return f"({words})" if inside and len(part.parts) > 1 else words

    whole = answer.requires if answer.requires is not None else AllOf(tuple(range(len(answer.conditions))))
    return said(whole, False)


def _add(branch: Tree, parts: Sequence[Requirement], answer: Answer, *, asked_plainly: bool = False) -> None:
    for part in parts:
        if isinstance(part, int):
            branch.add(_line(answer.conditions[part], answer, asked_plainly))
        else:
            _add(branch.add("all of" if isinstance(part, AllOf) else "any of"), part.parts, answer)


def _line(condition: Condition, answer: Answer, asked_plainly: bool) -> Text:
    from rich.text import Text

    places = [answer.place, *answer.evidence[:1]]

    shown = Text("☐ " + clean(condition.question or condition.text))
    if not condition.wanted and not asked_plainly:
        shown.append("  no", "bold")
    # What stands under the same headings as the answer need not say so.
    same = any(
        place is not None and place.headings == condition.place.headings
        for place in places
        if condition.place
    )
    if condition.place is not None and condition.place.headings and not same:
        shown.append(f"  ({' › '.join(map(clean, condition.place.headings))})", "dim")
    return shown
