"""A reply as a tree for the terminal: each answer in its sentence or its cells, where it stands, what it depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from caveat.core.answers import Place
from caveat.core.records import Document, Reply
from caveat.render.answer_tree import answer_tree
from caveat.render.quotes import clean
from caveat.render.tree import (
    AnswerNode,
    AnswerTree,
    Branch,
    Evidence,
    Group,
    Quote,
    ShownRows,
    logic_in_words,
)
from caveat.render.words import Words, percent, words_of

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

_LONGEST_CELL, _LONGEST_FACT = 60, 240
_MOST_EVIDENCE, _MOST_TRIPLES = 3, 5
_HIGHLIGHT = "bold reverse"
# Where nothing can be highlighted, in a pipe or a file, these stand around the answer.
_MARKS = "«", "»"


class _Manner(NamedTuple):
    """What a tree is drawn with: marks in place of styles, the words of the language."""

    plain: bool
    words: Words


def print_reply(
    reply: Reply, documents: Mapping[str, Document], others: Collection[str] = (), *, heading: str = ""
) -> None:
    """Print a reply on standard output; a pipe gets marks in place of styles, and lines of any length."""
    from rich.console import Console

    console = Console(highlight=False)
    plain = not console.is_terminal or console.is_dumb_terminal
    if not console.is_terminal:
        console = Console(highlight=False, width=100_000)
    console.print(reply_tree(reply, documents, others, plain=plain, heading=heading))


def reply_tree(
    reply: Reply,
    documents: Mapping[str, Document],
    others: Collection[str] = (),
    *,
    plain: bool = False,
    heading: str = "",
) -> Tree:
    """The reply as a tree; `documents` by the names that its places give, `others` the names of other sources.

    Over it stands the question, or another `heading`.
    """
    from rich.text import Text
    from rich.tree import Tree

    words = words_of(reply.question.spoken)
    label = Text(clean(heading or reply.question.text), style="bold")
    if reply.understood:
        label.append(f"\n{clean(words.of_corrections(reply))}", style="not bold dim")
    tree = Tree(label)
    _add_tree(tree, answer_tree(reply, documents, others=others), _Manner(plain, words))
    return tree


def _add_tree(tree: Tree, found: AnswerTree, manner: _Manner) -> None:
    from rich.text import Text

    words = manner.words
    none = found.not_answered
    if none.first:
        forms = words.not_answered if none.texts_only else words.not_answered_by_sources
        tree.add(_scored(forms[none.sources > 1], none.score, "bold yellow"))
    if found.together:
        _add_branches(tree, found.branches, manner)
        for passage in found.passages:
            for quote in passage.quotes:
                tree.add(_quoted(quote, manner.plain))
            tree.add(_where(passage.place, words))
        return
    for branch in found.branches:
        _add_alternative(tree, branch, manner)
    if more := sum(len(branch.answers) for branch in found.improbable):
        tree.add(Text(words.count(words.improbable, more), style="dim"))


def _add_alternative(tree: Tree, branch: Branch, manner: _Manner) -> None:
    """Add the answers of a branch, each with its conditions under it."""
    from rich.text import Text

    words = manner.words
    for answer in branch.answers:
        node = tree.add(_answered(answer, words))
        if answer.otherwise:
            node.add(words.otherwise)
        if answer.table is not None:
            _add_rows(node, answer.table, manner)
        for triple in answer.triples[:_MOST_TRIPLES]:
            facts = (triple.subject, triple.predicate, triple.object)
            node.add(Text(" · ".join(_cut(clean(each), _LONGEST_FACT) for each in facts)))
        if (more := len(answer.triples) - _MOST_TRIPLES) > 0:
            node.add(Text(words.more.format(more), style="dim"))
        if answer.place is not None:
            _add_evidence(node, Evidence(answer.place, answer.quote), manner)
        for evidence in answer.evidence[:_MOST_EVIDENCE]:
            _add_evidence(node, evidence, manner)
        add_checklist(node, branch, words)
        for part in answer.branches:
            _add_alternative(node, part, manner)


def _add_evidence(node: Tree, evidence: Evidence, manner: _Manner) -> None:
    if evidence.quote is not None:
        node.add(_quoted(evidence.quote, manner.plain))
    node.add(_where(evidence.place, manner.words))


def add_checklist(node: Tree, branch: Branch, words: Words) -> None:
    """Add the conditions of a branch, a box each, in their groups."""
    for group in branch.checklist:
        _add_group(node.add(words.group(group.how)), group, branch, words)


def _add_group(node: Tree, group: Group, branch: Branch, words: Words) -> None:
    for part in group.parts:
        if isinstance(part, int):
            node.add(_box(branch, part, group, words))
        else:
            _add_group(node.add(words.group(part.how)), part, branch, words)


def _box(branch: Branch, number: int, group: Group, words: Words) -> Text:
    """A condition's question with its box, and a no after one that must be answered so."""
    from rich.text import Text

    condition = branch.conditions[number]
    shown = Text("☐ " + clean(condition.question or condition.text))
    if not condition.wanted and not group.how.startswith("unless"):
        shown.append(f"  {words.verdicts['no']}", "bold")
    if condition.headings:
        shown.append(f"  ({' › '.join(map(clean, condition.headings))})", "dim")
    return shown


def _add_rows(node: Tree, table: ShownRows, manner: _Manner) -> None:
    """Add what was done with a table, and the rows that it was done with."""
    from rich.text import Text

    words = manner.words
    node.add(Text(clean(table.operation) or words.table_alone))
    if not table.rows:
        return
    node.add(_table(table, manner.plain))
    if table.more:
        node.add(Text(words.count(words.more_rows, table.more), style="dim"))


def _table(shown: ShownRows, plain: bool) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    def cell(text: str) -> str:
        text = clean(text)
        return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in shown.names:
        table.add_column(Text(cell(name), "bold"), overflow="fold")
    for row in shown.rows:
        table.add_row(
            *(_marked(cell(piece.text), plain) if piece.marked else Text(cell(piece.text)) for piece in row)
        )
    return table


def _add_branches(tree: Tree, branches: Iterable[Branch], manner: _Manner) -> None:
    """Add answers that hold together under their conditions, which are said on one line."""
    for branch in branches:
        under = tree.add(_if(branch, manner.words)) if branch.conditions else tree
        for answer in branch.answers:
            _add_branches(under.add(_answered(answer, manner.words)), answer.branches, manner)


def _if(branch: Branch, words: Words) -> Text:
    from rich.text import Text

    if branch.requires is not None:
        return Text(words.under.format(conditions_in_words(branch, words)))
    before, _, after = words.under.partition("{}")
    conditions = (Text(clean(condition.text), "bold") for condition in branch.conditions)
    return Text.assemble(before, Text(words.joints[0]).join(conditions), after)


def conditions_in_words(branch: Branch, words: Words) -> str:
    """The conditions of a branch on one line: "A and (B or C)", for conditions of a few words."""
    names = [clean(condition.text) for condition in branch.conditions]
    return logic_in_words(branch, names, words.joints, words.brackets, words.negated[1])


def _answered(answer: AnswerNode, words: Words) -> Text:
    return _scored(words.answer(answer.text, answer.verdict), answer.score, "bold green")


def _scored(text: str, score: float, style: str) -> Text:
    """A text and how probable it is."""
    from rich.text import Text

    return Text.assemble((clean(text), style), ("  " + percent(score), "cyan"))


def _quoted(quote: Quote, plain: bool) -> Text:
    """A sentence on one line, with what is marked in it highlighted, or between marks."""
    from rich.text import Text

    shown = Text()
    for piece in quote.pieces:
        text = clean(piece.text, keep=not piece.marked)
        shown.append(_marked(text, plain) if piece.marked else text)
    if quote.pieces and not quote.pieces[-1].marked:
        shown.rstrip()
    # Nothing is highlighted in the blanks before the first word.
    return shown[len(shown.plain) - len(shown.plain.lstrip()) :]


def _marked(text: str, plain: bool) -> Text:
    """A text highlighted, or between marks."""
    from rich.text import Text

    return Text(text.join(_MARKS)) if plain else Text(text, _HIGHLIGHT)


def _where(place: Place, words: Words) -> Text:
    """The source, its page, and the headings over the place."""
    from rich.text import Text

    page = () if place.page is None else (words.page_number.format(f"{place.page:,}"),)
    return Text(" › ".join(map(clean, (words.named(place.source), *page, *place.headings))), style="dim")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
