"""A reply as a tree: each answer in its sentence, where it stands, what it depends on, the finer answers under it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from caveat.records import Answer, Condition, Document, Place, Reply
from caveat.text.around import sentence_around

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

__all__ = ["percent", "print_reply", "reply_tree"]

_HIGHLIGHT = "bold reverse"
# Where nothing can be highlighted, in a pipe or a file, these stand around the answer.
_MARKS = "«", "»"
_LONGEST = 240
_MOST_EVIDENCE = 3
# Answers less probable than this are counted, not shown; JSON has them all.
_WORTH_SHOWING = 0.01
# Blanks of any kind become one; so do control characters, which a terminal would obey.
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def print_reply(reply: Reply, documents: Mapping[str, Document]) -> None:
    """Print a reply on standard output; a pipe gets marks in place of styles, and lines of any length."""
    from rich.console import Console

    console = Console(highlight=False)
    plain = not console.is_terminal or console.is_dumb_terminal
    if not console.is_terminal:
        console = Console(highlight=False, width=100_000)
    console.print(reply_tree(reply, documents, plain=plain))


def reply_tree(reply: Reply, documents: Mapping[str, Document], *, plain: bool = False) -> Tree:
    """The reply as a tree; `documents` by the names that its places give."""
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(_clean(reply.question.text), style="bold"))
    if not reply.answers or reply.unanswerable > reply.answers[0].score:
        texts = "these texts" if len(documents) > 1 else "this text"
        tree.add(_scored(f"not answered by {texts}", reply.unanswerable, "bold yellow"))
    shown = [answer for answer in reply.answers if answer.score >= _WORTH_SHOWING]
    for answer in shown:
        _add_answer(tree, answer, documents, plain)
    if more := len(reply.answers) - len(shown):
        tree.add(Text(f"{more} more below {percent(_WORTH_SHOWING)}", style="dim"))
    return tree


def _add_answer(tree: Tree, answer: Answer, documents: Mapping[str, Document], plain: bool) -> None:
    from rich.text import Text

    branch = tree.add(_scored(_clean(answer.text), answer.score, "bold green"))
    if (place := answer.place) is not None:
        document = documents.get(place.source)
        if document is not None and place.start is not None and place.end is not None:
            around = sentence_around(document, place.start, place.end)
            branch.add(_sentence(document, *around, place.start, place.end, plain))
        branch.add(Text(_where(place), style="dim"))
    for evidence in [place for place in answer.evidence if not _holds(place, answer.place)][:_MOST_EVIDENCE]:
        _add_evidence(branch, evidence, answer.text, documents, plain)
    if answer.conditions:
        conditions = branch.add("if")
        for condition in answer.conditions:
            conditions.add(_condition(condition))
    for part in answer.parts:
        _add_answer(branch, part, documents, plain)


def _holds(evidence: Place, place: Place | None) -> bool:
    """Whether evidence is what was shown already: the sentence of the answer's own place."""
    if place is None or evidence.source != place.source:
        return False
    if None in (evidence.start, evidence.end, place.start, place.end):
        return evidence == place
    return evidence.start <= place.start and place.end <= evidence.end  # type: ignore[operator]


def _add_evidence(
    branch: Tree, evidence: Place, answer: str, documents: Mapping[str, Document], plain: bool
) -> None:
    """What shows the answer elsewhere, with the answer highlighted if its words stand there."""
    from rich.text import Text

    document = documents.get(evidence.source)
    if document is not None and evidence.start is not None and evidence.end is not None:
        start = document.text.find(answer, evidence.start, evidence.end)
        end = start + len(answer)
        if start < 0:
            start = end = evidence.end
        branch.add(_sentence(document, evidence.start, evidence.end, start, end, plain))
    branch.add(Text(_where(evidence), style="dim"))


def _sentence(document: Document, first: int, last: int, start: int, end: int, plain: bool) -> Text:
    """A sentence, with the span in it highlighted or marked; a long one is cut on both sides of the span."""
    from rich.text import Text

    before = _clean(document.text[first:start], keep=True)
    after = _clean(document.text[end:last], keep=True)
    if len(before) > _LONGEST:
        before = "…" + before[-_LONGEST:]
    if len(after) > _LONGEST:
        after = after[:_LONGEST] + "…"
    shown = Text(before.lstrip())
    if span := _clean(document.text[start:end]):
        shown.append("".join((_MARKS[0], span, _MARKS[1])) if plain else span, "" if plain else _HIGHLIGHT)
    shown.append(after.rstrip())
    return shown


def _condition(condition: Condition) -> Text:
    from rich.text import Text

    shown = Text("☐ " + _clean(condition.text))
    if condition.place is not None and condition.place.headings:
        shown.append(f"  ({' › '.join(map(_clean, condition.place.headings))})", "dim")
    return shown


def _where(place: Place) -> str:
    name = "standard input" if place.source == "-" else place.source
    return " › ".join(map(_clean, (name, *place.headings)))


def _scored(text: str, score: float, style: str) -> Text:
    from rich.text import Text

    return Text.assemble((text, style), ("  " + percent(score), "cyan"))


def percent(score: float) -> str:
    """A probability in whole per cent; nothing is called certain or impossible that is not."""
    if 0.0 < score < 0.01:
        return "<1%"
    if 0.99 < score < 1.0:
        return ">99%"
    return f"{100 * score:.0f}%"


def _clean(text: str, *, keep: bool = False) -> str:
    text = _BLANKS.sub(" ", text)
    return text if keep else text.strip()
