"""A reply as a tree: each answer in its sentence, where it stands, what it depends on, the finer answers under it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from caveat.core.records import Answer, Document, Place, Reply
from caveat.render.cells_table import add_cells
from caveat.render.checklist_tree import add_checklist
from caveat.render.percent import percent
from caveat.render.reply_text import brief, clean, scored, sentence, where
from caveat.render.together_tree import add_together
from caveat.sources.outline import sentence_around

if TYPE_CHECKING:
    from rich.tree import Tree

__all__ = ["percent", "print_reply", "reply_tree"]

_MOST_EVIDENCE, _MOST_TRIPLES = 3, 5
# Answers less probable than this are counted, not shown; JSON has them all.
_WORTH_SHOWING = 0.01


def print_reply(reply: Reply, documents: Mapping[str, Document], others: Collection[str] = ()) -> None:
    """Print a reply on standard output; a pipe gets marks in place of styles, and lines of any length."""
    from rich.console import Console

    console = Console(highlight=False)
    plain = not console.is_terminal or console.is_dumb_terminal
    if not console.is_terminal:
        console = Console(highlight=False, width=100_000)
    console.print(reply_tree(reply, documents, others, plain=plain))


def reply_tree(
    reply: Reply, documents: Mapping[str, Document], others: Collection[str] = (), *, plain: bool = False
) -> Tree:
    """The reply as a tree; `documents` by the names that its places give, `others` the names of what is no text."""
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(clean(reply.question.text), style="bold"))
    if not reply.answered:
        sources = "source" if others else "text"
        these = f"these {sources}s" if len(documents) + len(others) > 1 else f"this {sources}"
        tree.add(scored(f"not answered by {these}", reply.unanswerable, "bold yellow"))
    if reply.together:
        add_together(tree, reply.answers, documents, plain)
        return tree
    shown = [answer for answer in reply.answers if answer.score >= _WORTH_SHOWING]
    for number, answer in enumerate(shown):
        _add_answer(tree, answer, documents, plain, first=number == 0)
    if more := len(reply.answers) - len(shown):
        tree.add(Text(f"{more} more below {percent(_WORTH_SHOWING)}", style="dim"))
    return tree


def _add_answer(
    tree: Tree, answer: Answer, documents: Mapping[str, Document], plain: bool, *, first: bool = True
) -> None:
    from rich.text import Text

    branch = tree.add(scored(answer.text, answer.score, "bold green"))
    if answer.otherwise:
        branch.add("otherwise")
    if answer.cells is not None:
        add_cells(branch, answer, answer.cells, plain, first=first)
    for triple in answer.triples[:_MOST_TRIPLES]:
        branch.add(Text(" · ".join(map(brief, (triple.subject, triple.predicate, triple.object)))))
    if (more := len(answer.triples) - _MOST_TRIPLES) > 0:
        branch.add(Text(f"{more} more", style="dim"))
    if (place := answer.place) is not None:
        document = documents.get(place.source)
        if document is not None and place.start is not None and place.end is not None:
            around = sentence_around(document, place.start, place.end)
            branch.add(sentence(document, *around, [(place.start, place.end)], plain))
        branch.add(Text(where(place), style="dim"))
    for evidence in [place for place in answer.evidence if not _holds(place, answer.place)][:_MOST_EVIDENCE]:
        _add_evidence(branch, evidence, "" if answer.kind in ("yes", "no") else answer.text, documents, plain)
    if answer.conditions:
        add_checklist(branch, answer)
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
        start = document.text.find(answer, evidence.start, evidence.end) if answer else -1
        spans = [] if start < 0 else [(start, start + len(answer))]
        branch.add(sentence(document, evidence.start, evidence.end, spans, plain))
    branch.add(Text(where(evidence), style="dim"))
